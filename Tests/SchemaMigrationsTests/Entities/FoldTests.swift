import Folders
import SchemaMigrations
import Testing

/// What several entities are made into does not depend on their order.
@Suite struct FoldTests {
  /// Runs one step over notes given as `fields` and returns what it makes of a fold.
  private static func folded(_ fold: String, _ notes: [String]) throws -> MigrationValue? {
    let step = try SamplePlan.step(
      #"""
      "folds": {"f": \#(fold)}, "create": [{"kind": "book", "id": {"constant": "t"},
        "fields": [{"set": "f", "to": {"fold": "f"}, "type": "json"}]}]
      """#)
    let kinds = EntityKinds(try SamplePlan.made())
    var chain = StepChain([step], of: kinds, parameters: MigrationObject())
    var made: MigrationValue?
    let note = kinds.all[0]
    for (index, fields) in notes.enumerated() {
      var entity = ChangingEntity()
      entity.kind = note
      entity.identity = Identity(high: 1, low: UInt64(index))
      try entity.tape.parse(Array(fields.utf8))
      entity.fields.take(0, of: entity.tape)
      chain.advance(&entity) { _, _ in }
    }
    chain.endPass { entity, _ in
      made = entity.fields.value(named: Array("f".utf8), of: entity.tape)
    }
    #expect(chain.remarks.map(\.text) == [])
    return made
  }

  @Test func `a sum is exact, in any order, with any number of digits that fit`() throws {
    let fold = #"{"sum": {"convert": {"copy": "/extra"}, "to": "number"}, "of": "note"}"#
    let cases: [([String], MigrationNumber?)] = [
      (["0.1", "0.2"], MigrationNumber(literal: "0.3")), ([], MigrationNumber(0)),
      (["1e20", "1", "-1e20"], MigrationNumber(1)),
      (["-5", "2.5"], MigrationNumber(literal: "-2.5")),
      (["0.001", "-0.002"], MigrationNumber(literal: "-0.001")),
      (["9007199254740993", "0.5"], MigrationNumber(literal: "9007199254740993.5")),
    ]
    for (numbers, sum) in cases {
      let notes = numbers.map { #"{"extra": \#($0)}"# }
      #expect(try Self.folded(fold, notes) == sum.map { .number($0) }, "\(numbers)")
      #expect(try Self.folded(fold, notes.reversed()) == sum.map { .number($0) }, "\(numbers)")
    }
  }

  @Test func `counts, extremes and lists`() throws {
    let notes = [
      #"{"made": "2026-01-03T00:00:00Z", "size": 3}"#, #"{"made": "2026-01-01T00:00:00Z"}"#,
      #"{"made": null, "size": 20}"#,
    ]
    func both(_ fold: String) throws -> MigrationValue? {
      let forward = try Self.folded(fold, notes)
      #expect(try Self.folded(fold, notes.reversed()) == forward)
      return forward
    }
    #expect(try both(#"{"count": true, "of": "note"}"#) == 3)
    #expect(
      try both(#"{"count": true, "of": "note", "where": {"present": {"copy": "/size"}}}"#) == 2)
    #expect(try both(#"{"minimum": {"copy": "/made"}, "of": "note"}"#) == "2026-01-01T00:00:00Z")
    #expect(try both(#"{"maximum": {"copy": "/size"}, "of": "note"}"#) == 20)
    #expect(try both(#"{"maximum": {"copy": "/first"}, "of": "note"}"#) == nil)
    #expect(
      try both(
        #"{"list": {"nonNull": {"copy": "/made"}}, "of": "note", "orderedBy": {"copy": "/made"}}"#)
        == ["2026-01-01T00:00:00Z", "2026-01-03T00:00:00Z"])
    #expect(try both(#"{"list": {"copy": "/last"}, "of": "note"}"#) == [])
  }

  @Test func `dates are compared by their moments`() throws {
    // In the order of these, which their bytes do not have.
    let dates = [
      "2026-01-01T01:00:00+02:00", "2025-12-31T23:30:00Z", "2026-01-01T00:00:00Z",
      "2026-01-01T00:00:00.500Z", "2025-12-31T23:00:01-01:00",
    ]
    let notes = dates.map { #"{"made": "\#($0)"}"# }
    for notes in [notes, notes.reversed()] {
      #expect(
        try Self.folded(#"{"minimum": {"copy": "/made"}, "of": "note"}"#, notes)
          == .text(dates[0]))
      #expect(
        try Self.folded(#"{"maximum": {"copy": "/made"}, "of": "note"}"#, notes)
          == .text(dates[4]))
      #expect(
        try Self.folded(
          #"{"list": {"copy": "/made"}, "of": "note", "orderedBy": {"copy": "/made"}}"#, notes)
          == .list(dates.map { .text($0) }))
    }
    // Which of two forms of one moment it is does not depend on which came first.
    let forms = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"].map { #"{"made": "\#($0)"}"# }
    let least = #"{"minimum": {"copy": "/made"}, "of": "note"}"#
    #expect(try Self.folded(least, forms) == Self.folded(least, forms.reversed()))
  }

  @Test func `what is sorted by is compared by all of its bytes, short or long`() throws {
    let texts = [
      "", "a", "a\u{0}", "a\u{0}b", "ab", "b", "é", "e\u{301}", "2024-01-01T00:00:00",
      "2024-01-01T00:00:00.001", "123456789012345678901234", "1234567890123456789012345",
      "123456789012345678901234x", "12345678901234567890123",
    ]
    let dates = ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00.001Z"]
    let notes =
      (texts + dates).map { text in
        String(decoding: (["extra": .text(text)] as MigrationValue).json, as: UTF8.self)
      } + [#"{"extra": 2}"#, #"{"extra": null}"#, #"{"extra": true}"#, #"{"extra": 1.5}"#]
    let fold = #"{"list": {"copy": "/extra"}, "of": "note", "orderedBy": {"copy": "/extra"}}"#
    let sorted: [MigrationValue] =
      [.null, true, .number(MigrationNumber(literal: "1.5") ?? MigrationNumber(0)), 2]
      + (dates + texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }).map { .text($0) }
    #expect(try Self.folded(fold, notes) == .list(sorted))
    #expect(try Self.folded(fold, notes.reversed()) == .list(sorted))
  }
}
