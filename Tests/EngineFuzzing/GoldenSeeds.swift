/// The golden files as the seeds of a run.
enum GoldenSeeds {
  /// Longer ones would slow the run down and show nothing more.
  private static let maxCount = 8_000

  /// All documents, those that once broke something included.
  static func documents() throws -> [[UInt8]] {
    try Fixtures.names(in: "").flatMap { folder in
      // Some entries are files, which have no names in them.
      try ((try? Fixtures.names(in: folder)) ?? []).filter { $0.hasSuffix(".automerge") }
        .map { try Fixtures.bytes("\(folder)/\($0)") }
    }.filter { $0.count <= maxCount }
  }

  /// The first changes of each golden history, one file each.
  static var histories: [[UInt8]] { BasePlace.histories.map { $0.prefix(12).flatMap(\.self) } }

  /// The changes of a golden document, in causal order, as chunks.
  static func changes(of name: String) throws -> [[UInt8]] {
    try Fixtures.names(in: "\(name)/changes").filter { $0.hasSuffix(".change") }
      .map { try Fixtures.bytes("\(name)/changes/\($0)") }
  }
}
