import Testing

/// The engine is one module whose folders are its layers; a later one may use an earlier one only.
@Suite struct EngineLayerTests {
  private static let layers = [
    "Bytes", "Columns", "Identity", "Model", "Storage", "History", "OpSet", "Document", "Sync",
    "Codable",
  ]

  @Test func `every file of the engine is in a layer`() {
    expectNone(
      PackageTree.sources.filter { $0.module == "Automerge" && !Self.layers.contains($0.folder) }
        .map { "\($0.path): \($0.folder) is no layer of the engine" })
  }

  @Test func `no layer of the engine uses a later one`() {
    let engine = PackageTree.sources.filter { $0.module == "Automerge" }
    var home: [String: Int] = [:]
    var ambiguous: Set<String> = []
    for file in engine {
      guard let layer = Self.layers.firstIndex(of: file.folder) else { continue }
      for name in declaredTypes(file) {
        if let other = home[name], other != layer { ambiguous.insert(name) }
        home[name] = layer
      }
    }
    var violations: [String] = []
    for file in engine {
      guard let layer = Self.layers.firstIndex(of: file.folder) else { continue }
      let uses = home.filter { $0.value > layer && !ambiguous.contains($0.key) }.keys
      for index in file.code.indices where uses.contains(where: file.code[index].holds) {
        for match in file.code[index].matches(of: /(?:^|[^\w.])(case\s+)?([A-Z]\w*)/) {
          // A case may have the name of a type.
          guard match.1 == nil else { continue }
          let name = String(match.2)
          guard let used = home[name], used > layer, !ambiguous.contains(name) else { continue }
          violations.append(
            file.violation(at: index, "\(file.folder) uses \(name) of \(Self.layers[used])"))
        }
      }
    }
    expectNone(violations)
    #expect(home.count > 20, "the engine's types were not found")
  }

  /// Types at the top level only: a nested name belongs to its outer type.
  private func declaredTypes(_ file: SourceFile) -> [String] {
    file.code.compactMap { line in
      guard line.utf8.first.map({ $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "}") }) == true
      else {
        return nil
      }
      return line.firstMatch(
        of:
          /^(?:(?:public|package|internal|private|fileprivate|final|indirect|@\w+)\s+)*(?:struct|enum|class|actor|protocol|typealias)\s+(\w+)/
      ).map { String($0.1) }
    }
  }
}
