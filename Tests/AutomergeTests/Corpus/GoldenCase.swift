import Testing

/// One folder of `fixtures/automerge`: a document of the reference and what it must read as.
struct GoldenCase: Sendable, CustomTestStringConvertible {
  enum Kind: String, Sendable {
    case document, fuzz, merge, sync
  }

  let name: String
  let kind: Kind
  /// The main document's path below `fixtures/automerge`; empty for sync cases.
  let document: String
  let expected: String
  let heads: String

  var testDescription: String { name }

  /// The cases a newer version made: reading them is not required, a clear error is.
  static let optional: Set<String> = ["bundle-chunk", "unknown-column"]

  static let all: [GoldenCase] = {
    // A corpus that cannot be read gives no cases, which the count test reports.
    guard let manifest = try? Fixtures.tree("manifest.json") else { return [] }
    return manifest.elements.compactMap { entry in
      guard let name = entry["case"]?.text, let kind = entry["kind"]?.text.flatMap(Kind.init)
      else { return nil }
      let document = kind == .merge ? "merged.automerge" : entry["file"]?.text
      return GoldenCase(
        name: name, kind: kind, document: document.map { "\(name)/\($0)" } ?? "",
        expected: "\(name)/" + (entry["expected"]?.text ?? "expected.json"),
        heads: "\(name)/" + (entry["heads"]?.text ?? "heads.txt"))
    }
  }()

  /// Every case with a main document that must load.
  static let readable = all.filter { $0.kind != .sync && !optional.contains($0.name) }

  static let fuzz = all.filter { $0.kind == .fuzz }
  static let sync = all.filter { $0.kind == .sync }

  func bytes() throws -> [UInt8] { try Fixtures.bytes(document) }

  /// The paths of the case's change chunks in a causal order.
  func changePaths() throws -> [String] {
    guard Fixtures.exists("\(name)/changes") else { return [] }
    return try Fixtures.names(in: "\(name)/changes").map { "\(name)/changes/\($0)" }
  }

  /// The path of the list of conflicts, or nil if the document has none.
  var conflicts: String? {
    let path = "\(name)/" + (kind == .merge ? "merged-conflicts.json" : "conflicts.json")
    return Fixtures.exists(path) ? path : nil
  }
}
