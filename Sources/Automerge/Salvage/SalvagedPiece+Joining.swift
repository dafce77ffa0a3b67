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
