import EasyReact
import EasyReactShared
import EasyReactTesting
import Testing
@Suite struct Smoke {
  @Test func basics() {
    let world = World()
    let a = world.machine(1), b = world.machine(2)
    a.node.value = 1
    #expect(a.told.values == [1])
    #expect(b.told.values == [])
    world.settle()
    #expect(b.told.values == [1])
    #expect(a.told.values == [1])
    b.node.update { $0 += 1 }
    a.node.update { $0 += 1 }
    world.settle()
    #expect(a.node.value == 3)
    #expect(b.node.value == 3)
    a.node.clean()
    world.settle()
    #expect(b.node.isEmpty)
    print(a.told.values, b.told.values, a.node.status.value!)
  }
}
