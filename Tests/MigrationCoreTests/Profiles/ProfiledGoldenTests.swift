import Automerge
import Diagnostics
import Folders
import Foundation
import Testing

@testable import MigrationCore

/// The golden vectors of declared kinds once more, as files in a folder that an import reads.
@Suite struct ProfiledGoldenTests {
  /// The cases whose entities can all be files of their own: in `identities` some are told by a path.
  static let cases = DeclaredGoldenTests.cases.filter { $0 != "identities" }

  @Test(arguments: cases)
  func `an imported folder has the changes of the reference documents`(name: String) throws {
    let folder = try Self.folder(of: name)
    let report = try folder.importing()
    var expected: [String: Set<ChangeHash>] = [:]
    for kind in folder.profile.kinds {
      let path = "\(kind.name).automerge"
      guard let bytes = try? Fixtures.bytes("convergent-2/\(name)/\(path)") else { continue }
      expected[path] = try Self.hashes(in: DocumentState(loading: bytes))
    }
    #expect(!expected.isEmpty)
    let documents = try folder.documents()
    #expect(Set(documents.keys) == Set(expected.keys))
    for (path, hashes) in expected {
      let found = try Self.hashes(in: DocumentState(loading: #require(documents[path])))
      #expect(found == hashes, "\(path)")
    }
    let refused = try JSONDecoder().decode(
      DeclaredGoldenTests.Expected.self,
      from: Data(Fixtures.bytes("convergent-2/\(name)/expected-hashes.json"))
    ).refused.filter { $0.refused != "unknown kind" }.count
    #expect(report.counts.reduce(0) { $0 + $1.rejected } == refused)
    #expect(try folder.importing().documents.allSatisfy { $0.outcome == .unchanged })
    #expect(try folder.documents() == documents)
    if refused == 0, !report.findings.contains(where: { $0.code == .duplicateID }) {
      #expect(try folder.verifying().isComplete)
    }
  }

  /// A folder in which each entity of a case is a file.
  private static func folder(of name: String) throws -> ProfiledFolder {
    var json = try #require(
      JSONSerialization.jsonObject(
        with: Data(Fixtures.bytes("convergent-2/\(name)/profile.json"))) as? [String: Any])
    var kinds = try #require(json["kinds"] as? [[String: Any]])
    for index in kinds.indices {
      let kind = try #require(kinds[index]["kind"] as? String)
      let identity = try #require(kinds[index]["identity"] as? [String: Any])
      let isSingle = identity["type"] as? String == "singleton"
      kinds[index]["files"] = ["paths": [isSingle ? "\(kind).json" : "\(kind)/*.json"]]
      kinds[index]["document"] = ["path": "\(kind).automerge"]
    }
    json["kinds"] = kinds
    let folder = try ProfiledFolder(
      Profile(parsing: Array(JSONSerialization.data(withJSONObject: json)), of: name))
    let lines = try Fixtures.bytes("convergent-2/\(name)/entities.jsonl")
      .split(separator: UInt8(ascii: "\n"))
    for (number, line) in lines.enumerated() {
      let text = String(decoding: line, as: UTF8.self)
      let kindName = try #require(text.firstMatch(of: /"kind":\s*"([^"]*)"/)).1
      // A kind of another profile has no file to be in.
      guard let kind = folder.profile.kind(named: String(kindName)) else { continue }
      let fields = try #require(text.firstRange(of: /"fields":\s*/))
      var entity = String(text[fields.upperBound...].dropLast())
      if let property = kind.identity.property,
        let id = text[..<fields.lowerBound].firstMatch(of: /"id":\s*("[^"]*"|[^,]*),/)?.1
      {
        let rest = entity.dropFirst()
        let isEmpty = rest.trimmingCharacters(in: .whitespaces) == "}"
        entity = "{\"\(property)\":\(id)\(isEmpty ? "" : ",")\(rest)"
      }
      let path = kind.identity == .singleton ? "\(kindName).json" : "\(kindName)/\(number).json"
      try folder.folder.write(entity, to: path)
    }
    return folder
  }

  private static func hashes(in document: DocumentState) -> Set<ChangeHash> {
    Set((0..<document.changeCount).map { document.hash(ofChange: $0) })
  }
}
