import Testing

@testable import SchemaMigrations

/// What an expression can have made, whatever it was made of.
@Suite struct ExpressionResultTests {
  private let copy = ValueExpression.copy("/p")

  private func table(_ otherwise: ValueExpression?) -> ValueExpression {
    .lookedUp(copy, ["a": "b", "b": "c", "1": 2], otherwise: otherwise)
  }

  @Test func `what an expression cannot give is known by its form`() {
    let id: MigrationValue = "9DCF8ED1-08CB-4912-85E0-8C79C371A20D"
    let cases: [(ValueExpression, can: [MigrationValue], cannot: [MigrationValue])] = [
      (copy, ["x", 1], []),
      (.constant("x"), ["x"], ["y", nil]),
      (.parameter("at"), ["x", 1], []),
      (.identity, ["x"], [1, nil]),
      (.nonNull(copy), ["x"], [nil]),
      (.first([.nonNull(.constant(nil)), .constant("x")]), ["x"], ["y"]),
      (table(copy), ["b", "c", 2, "x", nil], ["a", 1, "1"]),
      (table(nil), ["b", "c", 2], ["a", "x"]),
      (table(.constant("a")), ["a", "b"], ["x"]),
      (table(.copy("/q")), ["a", "x"], []),
      (.concatenated([copy, .constant("!")], separator: ""), ["a!", "!"], ["a", "!a", 1]),
      (.concatenated([.constant(1), copy], separator: "-"), ["1-a"], ["a-1"]),
      (.piece(.at(0), of: copy, separator: " "), ["a"], ["a b", 1]),
      (.piece(.last, of: copy, separator: " "), [""], [" "]),
      (.piece(.from(1), of: copy, separator: " "), ["a b"], [1]),
      (.converted(copy, .text), ["a"], [1, true, nil]),
      (.converted(copy, .integer), [1], ["1", true]),
      (.converted(copy, .uuid), [id], ["a"]),
      (.converted(copy, .dateOfUnixSeconds), ["2024-01-01T00:00:00Z"], [1, "2024", "x"]),
      (
        .object([.init("n", .constant(1)), .init("m", copy)]), [["n": 1], ["n": 1, "m": 2]],
        [["n": 2], ["o": 1], 1]
      ),
      (.list([.constant(1), .constant(2)]), [[1, 2], [2], []], [[3], 1]),
      (
        .conditional(.present(copy), then: .constant(1), otherwise: .constant(2)), [1, 2], [3]
      ),
      (.conditional(.present(copy), then: .constant(1), otherwise: nil), [1], [2]),
    ]
    for (expression, can, cannot) in cases {
      for value in can { #expect(expression.mayGive(value), "\(expression): \(value)") }
      for value in cannot { #expect(!expression.mayGive(value), "\(expression): \(value)") }
    }
  }

  @Test func `what a property keeps it was not given`() {
    let keeping = ValueExpression.conditional(
      .equal(copy, .constant("a")), then: .constant("b"), otherwise: copy)
    #expect(keeping.mayGive("a"))
    #expect(!keeping.mayGive("a", besides: "/p") && keeping.mayGive("b", besides: "/p"))
    // A part of what it gives may be anything.
    #expect(ValueExpression.object([.init("p", copy)]).mayGive(["p": "a"], besides: "/p"))
  }
}
