/// A small history that uses every operation column, for tests to bend in one place each.
enum SampleHistory {
  static let otherAuthor = [UInt8](repeating: 0xcd, count: 16)

  /// A scalar, a counter, a list of two, a text with a mark, and a map inside.
  static let first: ForgedChange = {
    let base = ForgedChange()
    var change = ForgedChange(
      .set("a", .signed(1)),
      .set("c", .counter(10)),
      .make(.makeList, "l"),
      .insert(.string("x"), in: base.id(2)),
      .insert(.string("y"), in: base.id(2), after: base.id(3)),
      .make(.makeMap, "m"),
      .set("n", .double(1.5), in: base.id(5)),
      .make(.makeText, "t"),
      mark(begin: true, in: base.id(7), after: nil),
      .insert(.string("q"), in: base.id(7), after: base.id(8)),
      mark(begin: false, in: base.id(7), after: base.id(9)))
    change.message = Array("first".utf8)
    change.time = 1_700_000_000
    return change
  }()

  /// Overwrites the scalar, increments the counter, deletes the first element.
  static let second = first.followed(
    by: .set("a", .unsigned(2), predecessors: [first.id(0)]),
    ForgedOperation(.increment, .name("c"), .signed(5), predecessors: [first.id(1)]),
    ForgedOperation(
      .delete, in: first.id(2), .element(first.id(3)), predecessors: [first.id(3)]))

  /// Another author's concurrent change to the same key.
  static let concurrent = first.followed(
    by: otherAuthor, .set("a", .string("other"), predecessors: [first.id(0)]),
    .insert(.string("z"), in: first.id(2), after: first.id(3)))

  static let changes = [first, second, concurrent]
  static let document = ForgedDocument(changes)

  private static func mark(
    begin: Bool, in object: ForgedOperation.ID, after element: ForgedOperation.ID?
  ) -> ForgedOperation {
    var operation = ForgedOperation(
      .mark, in: object, element.map(ForgedOperation.Key.element) ?? .head,
      begin ? .boolean(true) : .null)
    operation.isInsert = true
    operation.isExpanding = !begin
    operation.markName = begin ? "bold" : nil
    return operation
  }
}
