// Sixty lines of operators, as a program has them: what they cost the compiler, and how much code they leave
// in the client. Scripts/measure-compile.sh
import EasyReact

struct Person: Sendable, Equatable {
  var name = "", age = 0, isKnown = false
}

func numbers(_ a: Node<Int>, _ b: Node<Int>, _ ticks: Node<Int>) -> [AnyNode] {
  let n1 = a.map { $0 + 1 }
  let n2 = a.map { $0 * 2 }
  let n3 = a.map { "\($0)" }
  let n4 = b.filter { $0 > 3 }
  let n5 = b.filter { $0 & 1 == 0 }
  let n6 = a.distinctUntilChanged()
  let n7 = a.skip(1)
  let n8 = a.take(3)
  let n9 = a.scan(0) { $0 + $1 }
  let n10 = a.combine(b)
  let n11 = a.combine(b).map { $0 + $1 }
  let n12 = a.combine(b, ticks).map { $0 + $1 + $2 }
  let n13 = a.merge(b)
  let n14 = a.zip(b)
  let n15 = a.zip(b, ticks)
  let n16 = a.compactMap { $0 > 2 ? $0 : nil }
  let n17 = a.withLatest(from: b).map { $0 - $1 }
  let n18 = a.sample(on: ticks)
  let n19 = a.pairwise()
  let n20 = a.enumerated()
  return [n1, n2, n3, n4, n5, n6, n7, n8, n9, n10] as [AnyNode]
    + [n11, n12, n13, n14, n15, n16, n17, n18, n19, n20] as [AnyNode]
}

func texts(_ a: Node<String>, _ b: Node<String>, _ count: Node<Int>) -> [AnyNode] {
  let t1 = a.map { $0.uppercased() }
  let t2 = a.map { $0.count }
  let t3 = a.map { $0 + "!" }
  let t4 = a.filter { !$0.isEmpty }
  let t5 = a.filter { $0.count > 3 }
  let t6 = a.distinctUntilChanged()
  let t7 = a.ignore("")
  let t8 = a.combine(b).map { $0 + $1 }
  let t9 = a.combine(count).map { String($0.prefix($1)) }
  let t10 = a.merge(b)
  let t11 = a.zip(count)
  let t12 = a.scan("") { $0 + $1 }
  let t13 = a.compactMap { Int($0) }
  let t14 = a.flattenMap { _ in count }
  let t15 = a.mergeMap { _ in count }
  let t16 = a.withLatest(from: count)
  let t17 = a.startWith("start")
  let t18 = a.mapReplace(1)
  let t19 = a.skip(2)
  let t20 = Node.combine([a, b]).map { $0.joined() }
  return [t1, t2, t3, t4, t5, t6, t7, t8, t9, t10] as [AnyNode]
    + [t11, t12, t13, t14, t15, t16, t17, t18, t19, t20] as [AnyNode]
}

func people(
  _ a: MutableNode<Person>, _ b: Node<Person>, _ bag: inout [Listening]
) -> [AnyNode] {
  let p1 = a.map { $0.name }
  let p2 = a.map { $0.age }
  let p3 = a.map { $0.isKnown }
  let p4 = a.filter { $0.isKnown }
  let p5 = a.filter { $0.age > 18 }
  let p6 = a.distinctUntilChanged()
  let p7 = a.combine(b).map { $0.age + $1.age }
  let p8 = a.merge(b)
  let p9 = a.scan(0) { $0 + $1.age }
  let p10 = a.map { $0.name }.distinctUntilChanged()
  let p11 = a.map { $0.age }.filter { $0 > 3 }.map { $0 * 2 }
  let p12 = a.zip(b)
  let p13 = a.flattenMap { person in b.map { $0.age + person.age } }
  let p14 = a.compactMap { $0.name.first }
  a.update { $0.age += 1 }
  a.set(Person(name: "Ada", age: 36))
  batch { a.value = Person() }
  bag.append(a.listen { print($0.name) })
  bag.append(p1.listen { print($0) })
  bag.append(p2.listen { print($0) })
  return [p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14] as [AnyNode]
}
