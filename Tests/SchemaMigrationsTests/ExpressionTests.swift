import SchemaMigrations
import Testing

/// Values, and what expressions make of them.
@Suite struct ExpressionTests {
  private static let entity: MigrationValue = [
    "name": "Ada King Lovelace", "age": 36, "tags": ["a", "b"], "nothing": nil,
    "at": ["home": true],
  ]

  private func value(_ expression: ValueExpression) throws -> MigrationValue? {
    try expression.value(
      in: ExpressionScope(Self.entity, identity: "id-1", parameters: Sample.context.parameters))
  }

  @Test func `an expression makes a value of others, or nothing`() throws {
    let name = ValueExpression.copy("/name")
    func piece(_ piece: ValueExpression.Piece) -> ValueExpression {
      .piece(piece, of: name, separator: " ")
    }
    let table: [(ValueExpression, MigrationValue?)] = [
      (.copy("/tags/1"), "b"), (.copy("/tags/01"), nil), (.copy("/tags/2"), nil),
      (.copy("/at/home"), true), (.copy("/name/x"), nil), (.copy(""), Self.entity),
      (.copy("/nothing"), MigrationValue.null), (.identity, "id-1"), (.parameter("at"), Sample.at),
      (.first([.copy("/none"), .copy("/nothing"), name]), MigrationValue.null),
      (.first([.copy("/none")]), nil),
      (
        .concatenated([name, .copy("/none"), .copy("/age")], separator: ", "),
        "Ada King Lovelace, 36"
      ),
      (.concatenated([.copy("/none")], separator: ""), nil),
      (piece(.at(0)), "Ada"), (piece(.at(1)), "King"), (piece(.at(3)), nil),
      (piece(.at(-1)), "Ada"),
      (piece(.last), "Lovelace"), (piece(.from(1)), "King Lovelace"), (piece(.from(3)), nil),
      (.piece(.at(0), of: name, separator: ""), "Ada King Lovelace"),
      (.piece(.at(1), of: .constant("a--b---c"), separator: "--"), "b"),
      (.piece(.from(1), of: .constant("a--b---c"), separator: "--"), "b---c"),
      (.lookedUp(.copy("/age"), ["36": "old"], otherwise: nil), "old"),
      (.lookedUp(.copy("/at/home"), ["true": 1], otherwise: nil), 1),
      (.lookedUp(name, [:], otherwise: .constant("other")), "other"),
      (.lookedUp(.copy("/none"), [:], otherwise: nil), nil),
      (.object([.init("b", .copy("/age")), .init("a", .copy("/none"))]), ["b": 36]),
      (.list([.copy("/age"), .copy("/none"), .copy("/nothing")]), [36, nil]),
      (.conditional(.present(.copy("/nothing")), then: .constant(1), otherwise: nil), 1),
      (.conditional(.equal(.copy("/none"), .copy("/no")), then: .constant(1), otherwise: nil), 1),
      (.conditional(.not(.all([])), then: .constant(1), otherwise: nil), nil),
      (.conditional(.any([]), then: .constant(1), otherwise: .constant(2)), 2),
    ]
    for (expression, expected) in table {
      #expect(try value(expression) == expected, "\(expression)")
    }
  }

  @Test func `what an expression cannot use is told, with the value`() throws {
    #expect(throws: ConversionDefect.noText(["home": true])) {
      try value(.concatenated([.copy("/at")], separator: ""))
    }
    #expect(throws: ConversionDefect.notInTable("Ada King Lovelace")) {
      try value(.lookedUp(.copy("/name"), [:], otherwise: nil))
    }
    #expect(throws: ConversionDefect.missingParameter("zone")) { try value(.parameter("zone")) }
    let long = MigrationValue.text(String(repeating: "x", count: 1000))
    #expect(ConversionDefect.noText(long).description.count < 80)
  }

  @Test func `a conversion gives what is meant, or nothing`() {
    let table: [(MigrationValue, ValueConversion, MigrationValue?)] = [
      ("12", .integer, 12), ("12.0", .integer, 12), ("1e2", .integer, 100), ("1.5", .integer, nil),
      ("9223372036854775808", .integer, nil), (" 1", .integer, nil), (true, .integer, nil),
      ("0x10", .number, nil), ("01", .number, nil), ("-0.50", .number, decimal("-0.5")),
      ("1.", .number, nil), ("", .number, nil), ("-", .number, nil), ("1e", .number, nil),
      (7, .text, "7"), (false, .text, "false"), (nil, .text, nil), ([], .text, nil),
      ("YES", .boolean, true), (0, .boolean, false), (2, .boolean, nil), ("on", .boolean, nil),
      ("{6ba7b810-9dad-11d1-80b4-00c04fd430c8}", .uuid, "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"),
      ("6ba7b810", .uuid, nil), (1, .uuid, nil),
      ("2024-02-29T12:00:00+01:00", .date, "2024-02-29T11:00:00Z"), ("2023-02-29", .date, nil),
      // More digits than a date has would be lost.
      ("2024-02-29T12:00:00.00001Z", .date, nil),
      (0, .dateOfUnixSeconds, "1970-01-01T00:00:00Z"),
      (decimal("1.5"), .dateOfUnixSeconds, "1970-01-01T00:00:01.500Z"),
      (1500, .dateOfUnixMilliseconds, "1970-01-01T00:00:01.500Z"),
      (0, .dateOfReferenceSeconds, "2001-01-01T00:00:00Z"),
      (decimal("1e300"), .dateOfUnixSeconds, nil), ("0", .dateOfUnixSeconds, nil),
    ]
    for (value, conversion, expected) in table {
      #expect(conversion.converted(value) == expected, "\(value) as \(conversion)")
    }
  }

  private func decimal(_ literal: String) -> MigrationValue {
    MigrationNumber(literal: literal).map(MigrationValue.number) ?? nil
  }

  @Test func `equal values have equal digests, and others do not`() {
    let same: [(MigrationValue, MigrationValue)] = [
      (decimal("1.0"), 1), (decimal("10e-1"), 1), (["a": 1, "b": 2], ["b": 2, "a": 1]),
      (decimal("-0"), 0),
    ]
    for (left, right) in same {
      #expect(left == right && left.hashValue == right.hashValue, "\(left) \(right)")
      #expect(ValueDigest(of: left) == ValueDigest(of: right), "\(left) \(right)")
    }
    let different: [MigrationValue] = [
      nil, true, false, 0, 1, "", "1", "e\u{301}", "\u{e9}", [], [1], [[1]], ["a", "b"], ["ab"],
      [:], ["a": 1], ["a": nil], decimal("1e-1000"), decimal("1e1000"),
    ]
    for (place, left) in different.enumerated() {
      for right in different[(place + 1)...] {
        #expect(left != right && ValueDigest(of: left) != ValueDigest(of: right))
      }
    }
    // Beyond what a decimal holds the digits count, and nothing is rounded.
    #expect(decimal("1e99999999999999999999") != decimal("1e99999999999999999998"))
  }

  @Test func `a value comes back from its JSON with all digits and in its order`() throws {
    let texts = [
      #"{"b":[1.0,-0,1e5,12345678901234567890123,0.10],"a":{"":null},"é":"\u0000\n\"\\/"}"#,
      "[]", "{}", #""""#, "true", "1", #"[[],{"a":[false]}]"#,
    ]
    for text in texts {
      let value = try MigrationValue(json: Array(text.utf8))
      let written = String(decoding: value.json, as: UTF8.self)
      #expect(try MigrationValue(json: value.json) == value)
      #expect(try MigrationValue(json: value.json).json == value.json)
      if !text.contains("u0000") { #expect(written == text) }
    }
    let value = try MigrationValue(json: Array(texts[0].utf8))
    #expect(value.object?.members.map(\.name.string) == ["b", "a", "é"])
    #expect(ValuePath("/b/3").value(in: value) == decimal("12345678901234567890123"))
    #expect(String(decoding: value.json, as: UTF8.self).contains("[1.0,-0,1e5,"))
    #expect(value["é"] == "\0\n\"\\/")
  }

  @Test(arguments: [
    ("", 0), ("[1,]", 3), (#"{"a":1,"a":2}"#, 7), ("\"\u{1}\"", 1), ("01", 0), ("nul", 3),
    (String(repeating: "[", count: 200), 128),
  ])
  func `what is no JSON is refused with the place`(text: String, offset: Int) {
    do throws(JSONFailure) {
      _ = try MigrationValue(json: Array(text.utf8))
      Issue.record("\(text) was read")
    } catch {
      #expect(error.offset == offset, "\(text): \(error)")
    }
  }

  @Test func `members keep their order, whatever their number`() {
    var object = MigrationObject()
    for number in 0..<100 { object["m\(number)"] = .number(Int64(number)) }
    object["m7"] = "seven"
    object["m50"] = nil
    object["none"] = nil
    #expect(object.members.count == 99 && object["m50"] == nil)
    #expect(object["m7"] == "seven" && object["m99"] == 99)
    #expect(object.members.prefix(9).map(\.name.string) == (0..<9).map { "m\($0)" })
    for number in 20..<100 { object["m\(number)"] = nil }
    #expect(object.members.count == 20 && object["m19"] == 19 && object["m21"] == nil)
    object["e\u{301}"] = 1
    #expect(object["\u{e9}"] == nil && object["e\u{301}"] == 1)
  }
}
