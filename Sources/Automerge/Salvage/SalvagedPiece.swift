/// A stretch of a damaged file and what became of it.
package struct SalvagedPiece: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable {
    case document
    case change
    case bundle
    /// Bytes that no chunk begins with.
    case debris
    /// Nothing but zero bytes.
    case zeros
  }

  package enum Outcome: Hashable, Sendable {
    /// Every change in it verifies.
    case verified
    /// It does not verify, but some of it could be read.
    case readable(FormatError)
    /// Nothing in it makes sense.
    case lost(FormatError)
  }

  package let kind: Kind
  package let range: Range<Int>
  package let outcome: Outcome
  /// The changes in it that verify.
  package let changeCount: Int
  /// What is wrong with a piece of which every change verifies nevertheless.
  package let flaw: FormatError?

  package init(
    _ kind: Kind, _ range: Range<Int>, _ outcome: Outcome, changeCount: Int = 0,
    flaw: FormatError? = nil
  ) {
    self.kind = kind
    self.range = range
    self.outcome = outcome
    self.changeCount = changeCount
    self.flaw = flaw
  }
}

extension [SalvagedPiece] {
  /// From this many stretches on, those that follow one another and are lost become one.
  private static let mostSeparate = 1_000

  /// Appends the next stretch of a file.
  ///
  /// Bytes that are nothing go together with those before them: a file of nothing but beginnings of
  /// chunks must not cost a piece for every four bytes.
  mutating func add(_ piece: SalvagedPiece) {
    guard let last, case .lost(let error) = last.outcome, case .lost = piece.outcome,
      last.kind == piece.kind && last.kind == .debris || count >= Self.mostSeparate
    else { return append(piece) }
    self[count - 1] = SalvagedPiece(
      last.kind == piece.kind ? last.kind : .debris,
      last.range.lowerBound..<piece.range.upperBound, .lost(error))
  }
}
