import Foundation
import Testing

/// `inspect-crdt --at`: a change is named by its hash, or by as many digits as tell it from others.
@Suite struct HashPrefixTests {
  /// A document with so many changes that some hashes begin alike.
  private func document() throws -> (place: TemporaryDirectory, path: String, hashes: [String]) {
    let place = try TemporaryDirectory()
    let folder = place.url.appending(path: "Minuta")
    #expect(
      try run("generate-folder", folder.path, "--records", "700", "--months", "1").status == 0)
    #expect(try run("import-crdt", folder.path, "--quiet").status == 0)
    let records = folder.appending(path: "records")
    let names =
      FileManager.default.enumerator(atPath: records.path)?
      .compactMap { $0 as? String }.filter { $0.hasSuffix(".automerge") } ?? []
    let path = records.appending(path: try #require(names.first)).path
    let changes = try run("inspect-crdt", path, "--changes")
    return (place, path, changes.jsonLines.compactMap { $0["hash"] as? String })
  }

  @Test func `as many digits as tell a change from others name it`() throws {
    let (place, path, hashes) = try document()
    let groups = Dictionary(grouping: hashes) { $0.prefix(4) }
    let alone = try #require(groups.first { $0.value.count == 1 })
    let whole = try run("inspect-crdt", path, "--at", alone.value[0], "--plain")
    #expect(whole.status == 0, "\(whole.errors)")
    for digits in [String(alone.key), alone.key.uppercased(), String(alone.value[0].prefix(63))] {
      let short = try run("inspect-crdt", path, "--at", digits, "--plain")
      #expect(short.status == 0, "\(short.errors)")
      #expect(short.output == whole.output)
    }
    let shared = try #require(groups.first { $0.value.count > 1 })
    let several = try run("inspect-crdt", path, "--at", String(shared.key), "--plain")
    #expect(several.status == 78)
    #expect(several.errors.contains(shared.value[0]), "\(several.errors)")
    #expect(several.errors.contains("give more of its digits"), "\(several.errors)")
    withExtendedLifetime(place) {}
  }

  @Test(arguments: ["", ",", ",,"], ["--tree", "--conflicts"])
  func `no hash at all does not mean the present`(text: String, view: String) throws {
    let (place, path, _) = try document()
    let run = try run("inspect-crdt", path, view, "--at", text)
    #expect(run.status == 64, "\(run.output)\(run.errors)")
    #expect(run.output == "")
    #expect(run.errors.hasPrefix("inspect-crdt: --at takes the hashes of changes"), "\(run.errors)")
    withExtendedLifetime(place) {}
  }

  @Test(arguments: [
    "abc", "", "xyz12", "0000000000000000000000000000000000000000000000000000000000000000f",
  ])
  func `what is no hash is wrong usage`(text: String) throws {
    let (place, path, _) = try document()
    let run = try run("inspect-crdt", path, "--at", text.isEmpty ? " " : text)
    #expect(run.status == 64, "\(run.output)\(run.errors)")
    withExtendedLifetime(place) {}
  }
}
