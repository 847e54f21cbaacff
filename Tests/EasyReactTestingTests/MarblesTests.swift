import EasyReactTesting
import Testing

/// The grammar of marble lines.
@Suite struct MarblesTests {
  private func marks(_ text: String) throws -> [[Marbles.Mark]] { try Marbles(text).steps }

  // MARK: Reading

  @Test func `a character is a step, a dash lets one pass, spaces mean nothing`() throws {
    #expect(try marks("1-2--") == [[.value("1")], [], [.value("2")], [], []])
    #expect(try marks(" 1 -\t2\n-- ") == marks("1-2--"))
    #expect(try marks("") == [] && marks("   ") == [])
  }

  @Test func `a group is one instant and one step`() throws {
    #expect(
      try marks("-[ab ~]-") == [[], [.value("a"), .value("b"), .emptied], []])
    #expect(try marks("[a]") == marks("a"))
  }

  @Test func `a quoted value is one step, of any length`() throws {
    #expect(try marks("'long value'-'-'") == [[.value("long value")], [], [.value("-")]])
    #expect(try marks("''") == [[.value("")]])
    #expect(try marks("['ab''cd']") == [[.value("ab"), .value("cd")]])
  }

  @Test func `in quotes a backslash writes what cannot be written otherwise`() throws {
    #expect(try marks(#"'it\'s'"#) == [[.value("it's")]])
    #expect(try marks(#"'\\\n\r\t\u{41}\u{1F600}'"#) == [[.value("\\\n\r\tA😀")]])
  }

  @Test func `the tilde empties, the exclamation mark ends`() throws {
    #expect(try marks("1~-!--") == [[.value("1")], [.emptied], [], [.cancelled], [], []])
    #expect(try marks("[1!]") == [[.value("1"), .cancelled]])
  }

  @Test func `what a person sees as one character is one step`() throws {
    #expect(try marks("é👨‍👩‍👧-🇩🇪") == [[.value("é")], [.value("👨‍👩‍👧")], [], [.value("🇩🇪")]])
  }

  @Test(arguments: [
    (
      "1-[23--", "no time passes in a group: write - before [ or after ]; column 6",
      "  1-[23--\n       ^"
    ),
    (
      "1-[23", "the group is not closed: write ] after its last mark; column 3",
      "  1-[23\n    ^"
    ),
    ("-[]-", "the group is empty: write - for a step of nothing; column 2", "  -[]-\n   ^"),
    (
      "[a[b]]", "a group in a group: all marks between [ and ] are one instant; column 3",
      "  [a[b]]\n    ^"
    ),
    ("ab]", "] without [; column 3", "  ab]\n    ^"),
    ("a 'bc", "the value is not closed: write ' after it; column 3", "  a 'bc\n    ^"),
    (#"'a\x'"#, #"after \ comes one of ' \ n r t u{1F600}; column 3"#, "  'a\\x'\n    ^"),
    (
      #"'\u{D800}'"#,
      #"\u{…} holds the number of a Unicode scalar, in hexadecimal digits; column 2"#,
      "  '\\u{D800}'\n   ^"
    ),
    (
      #"'\u{}'"#, #"\u{…} holds the number of a Unicode scalar, in hexadecimal digits; column 2"#,
      "  '\\u{}'\n   ^"
    ),
    (
      "1-!-2", "nothing happens after ! in column 3: only - may follow; column 5",
      "  1-!-2\n      ^"
    ),
    (
      "[!1]", "nothing happens after ! in column 2: only - may follow; column 3", "  [!1]\n    ^"
    ),
    (
      "1-2|", "nodes do not complete: leave | out, or write '|' for the value; column 4",
      "  1-2|\n     ^"
    ),
    (
      "-(ab)", "an instant is written [ab]; write '(' for the value; column 2", "  -(ab)\n   ^"
    ),
    ("日本]", "] without [; column 3", "  日本]\n      ^"),
  ])
  func `an error says what to write, and points at the column`(
    text: String, message: String, picture: String
  ) {
    let error = #expect(throws: MarbleError.self) { try Marbles(text) }
    #expect(error?.description == message + "\n" + picture)
  }

  // MARK: Printing

  @Test(arguments: [
    ("1-2--", "1-2--"), (" 1 - 2", "1-2"), ("['a']", "a"), ("[a'-'~]", "[a'-'~]"), ("''", "''"),
    ("'|''('", "'|''('"), (#"'\u{41}\u{7}\''"#, #"'A\u{7}\''"#), ("~-!", "~-!"), ("", ""),
    ("👨‍👩‍👧é", "👨‍👩‍👧é"), ("'\u{a0}'", "'\u{a0}'"),
  ])
  func `a line is printed in its shortest form`(text: String, printed: String) throws {
    #expect(try Marbles(text).description == printed)
  }

  @Test func `characters that would become one with their neighbours are printed by number`() throws
  {
    let flag: [[Marbles.Mark]] = [[.value("🇩")], [.value("🇪")]]
    let line = Marbles(steps: flag).description
    #expect(line == #"'\u{1F1E9}''\u{1F1EA}'"#)
    #expect(try Marbles(line).steps == flag)
  }

  @Test func `trimmed drops the steps at the end in which nothing happens`() throws {
    #expect(try Marbles("-1--").trimmed == Marbles("-1"))
    #expect(try Marbles("---").trimmed == Marbles(""))
  }

  // MARK: Properties

  /// Any texts, many of them from what is special.
  private func randomValue(_ random: inout SeededNumbers) -> String {
    let special: [Unicode.Scalar] = [
      "-", "[", "]", "'", "~", "!", "|", "(", ")", "\\", " ", "\n", "\r", "\t", "\u{0}", "\u{301}",
      "\u{200D}", "👨", "🏽", "🇩", "\u{1100}", "\u{1161}", "क", "\u{94D}", "\u{D4E}", "{", "}", "u",
    ]
    var value = String.UnicodeScalarView()
    for _ in 0..<random.below(4) {
      let isSpecial = random.below(3) > 0
      let any = Unicode.Scalar(UInt32(random.below(0x3000))) ?? "x"
      value.append(isSpecial ? special[random.below(special.count)] : any)
    }
    return String(value)
  }

  private func randomLine(_ random: inout SeededNumbers) -> Marbles {
    var steps: [[Marbles.Mark]] = []
    for _ in 0..<random.below(8) {
      let count = [0, 0, 1, 1, 1, 2, 3][random.below(7)]
      steps.append(
        (0..<count).map { _ in
          random.below(6) == 0 ? .emptied : .value(randomValue(&random))
        })
    }
    if random.below(5) == 0 {
      steps.append(random.below(2) == 0 ? [.cancelled] : [.value("x"), .cancelled])
    }
    return Marbles(steps: steps)
  }

  @Test func `every line reads back as it was printed`() throws {
    for seed in 0..<5000 {
      var random = SeededNumbers(seed: UInt64(seed))
      let line = randomLine(&random)
      let printed = line.description
      #expect(try Marbles(printed) == line, "seed \(seed): \(printed)")
      #expect(try Marbles(printed).description == printed, "seed \(seed)")
    }
  }

  @Test func `bad input is refused with a column inside the line, it never stops the program`() {
    var refused = 0
    for seed in 0..<20_000 {
      var random = SeededNumbers(seed: UInt64(seed))
      var text = (0..<random.below(5)).map { _ in randomValue(&random) }.joined()
      if random.below(2) == 0 {
        // A good line with something cut out or put in.
        text = randomLine(&random).description
        if !text.isEmpty {
          let place = text.index(text.startIndex, offsetBy: random.below(text.count))
          if random.below(2) == 0 { text.remove(at: place) } else { text.insert("'", at: place) }
        }
      }
      do throws(MarbleError) {
        let line = try Marbles(text)
        #expect((try? Marbles(line.description)) == line, "seed \(seed)")
      } catch {
        refused += 1
        #expect((1...max(1, text.count)).contains(error.column), "seed \(seed): \(error)")
        #expect(error.text == text && error.description.split(separator: "\n").count == 3)
      }
    }
    #expect(refused > 2000)
  }
}
