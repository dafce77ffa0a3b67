import Automerge
import Diagnostics
import FileFaults
import Folders
import SampleFolders
import Testing

@testable import FolderDocuments
@testable import MigrationCore

/// Two devices that share a folder import it, go on working, and are merged.
@Suite struct ConvergenceTests {
  static let document = "records/2024/01.automerge"

  /// Records 1 to `count`, each with a comment.
  static func folder(count: Int, _ change: (Int) -> String? = { _ in nil }) throws -> TestFolder {
    let folder = try TestFolder()
    for number in 1...count {
      let comment = change(number) ?? "comment \(number)"
      try folder.write(
        Legacy.record(number, "\"comment\":\"\(comment)\",\"images\":[\"\(number).jpg\"]"),
        to: "records/2024/01/\(number).json")
    }
    return folder
  }

  static func identity(_ number: Int) throws -> Identity {
    try #require(Identity(Legacy.id(number)))
  }

  @Test func `two imports of one folder are one`() throws {
    let one = try Self.folder(count: 5)
    let other = try Self.folder(count: 5)
    try one.importing()
    try other.importing()
    let merged = try one.document(Self.document).merging(other.document(Self.document))
    #expect(try merged.heads == one.document(Self.document).heads)
  }

  @Test func `an edit beats every imported value, whoever imported what`() throws {
    // The other device's JSON is older and differs in record 1.
    let one = try Self.folder(count: 3)
    let other = try Self.folder(count: 3) { $0 == 1 ? "older" : nil }
    try one.importing()
    try other.importing()
    try one.edit(Self.document, actor: 1) {
      try $0.set("comment", of: Self.identity(1), to: "edited")
      try $0.delete(Self.identity(2))
    }
    let merged = try one.document(Self.document).merging(other.document(Self.document))
    let reversed = try other.document(Self.document).merging(one.document(Self.document))
    for state in [merged, reversed] {
      #expect(state.text("comment", of: try Self.identity(1)) == "edited")
      #expect(state.text("comment", of: try Self.identity(3)) == "comment 3")
      #expect(DocumentRoot(state).entities.map(\.valueCount) == [1, 0, 1])
    }
    #expect(merged.heads == reversed.heads)
  }

  @Test func `a conflict is left only where two imports differ`() throws {
    let one = try Self.folder(count: 4)
    let other = try Self.folder(count: 4) { $0 == 2 ? "different" : nil }
    try one.importing()
    try other.importing()
    let merged = try one.document(Self.document).merging(other.document(Self.document))
    for entity in DocumentRoot(merged).entities {
      let map = try #require(entity.map)
      var conflicts: [String] = []
      merged.forEachKey(of: map) { name, group in
        if merged.hasDifferentValues(group) {
          conflicts.append(String(decoding: merged.pool[name], as: UTF8.self))
        }
      }
      #expect(conflicts == (entity.identity == (try Self.identity(2)) ? ["comment"] : []))
      let list = try #require(merged.value(of: map, key: Array("images".utf8)))
      var images = 0
      merged.forEachElement(of: list.id) { _, _ in images += 1 }
      #expect(images == 1)
    }
  }

  @Test func `random histories of two devices converge with the edits on top`() throws {
    for seed in UInt64(1)...12 {
      var random = TestRandom(seed: seed)
      let count = 6
      let folders = [
        try Self.folder(count: count),
        try Self.folder(count: count) { _ in
          random.number(below: 3) == 0 ? "variant \(random.number(below: 100))" : nil
        },
      ]
      for folder in folders { try folder.importing() }
      var edited: [Int: Set<String>] = [:]
      var deleted: Set<Int> = []
      for (device, folder) in folders.enumerated() {
        for step in 0..<6 {
          let number = random.number(below: count) + 1
          let state = try folder.document(Self.document)
          guard state.value(of: .root, key: try Self.identity(number).canonicalBytes) != nil else {
            continue
          }
          if random.number(below: 5) == 0 {
            try folder.edit(Self.document, actor: UInt8(device + 1)) {
              try $0.delete(Self.identity(number))
            }
            deleted.insert(number)
          } else {
            let text = "edit \(device).\(step)"
            try folder.edit(Self.document, actor: UInt8(device + 1)) {
              try $0.set("comment", of: Self.identity(number), to: text)
            }
            edited[number, default: []].insert(text)
          }
          // Somebody starts the import again.
          if random.number(below: 2) == 0 {
            let before = try folder.documents()
            try folder.importing()
            #expect(try folder.documents() == before, "seed \(seed) step \(step)")
          }
        }
      }
      let states = try folders.map { try $0.document(Self.document) }
      let merged = try states[0].merging(states[1])
      let reversed = try states[1].merging(states[0])
      #expect(merged.heads == reversed.heads, "seed \(seed)")
      for number in 1...count {
        let identity = try Self.identity(number)
        #expect(merged.text("comment", of: identity) == reversed.text("comment", of: identity))
        if deleted.contains(number) {
          #expect(
            merged.value(of: .root, key: identity.canonicalBytes) == nil,
            "seed \(seed): \(number) came back")
        } else if let edits = edited[number] {
          #expect(edits.contains(merged.text("comment", of: identity) ?? ""), "seed \(seed)")
        } else {
          #expect(merged.text("comment", of: identity)?.hasPrefix("edit") == false)
        }
      }
      // The merged document, put into either folder, is left alone by another import.
      for folder in folders {
        try folder.write(merged.encoded(), to: Self.document)
        let before = try folder.documents()
        try folder.importing()
        #expect(try folder.documents() == before, "seed \(seed)")
      }
    }
  }

  @Test func `the padding keeps imported counters below every edit`() throws {
    let folder = try Self.folder(count: 1)
    try folder.importing()
    let state = try folder.document(Self.document)
    #expect(state.maxCounter == 1024)
    try folder.edit(Self.document, actor: 1) {
      try $0.set("comment", of: Self.identity(1), to: "x")
    }
    #expect(try folder.document(Self.document).maxCounter > 1024)
  }
}
