import Automerge
import Diagnostics
import Folders
import Testing

@testable import MigrationCore
@testable import Runs

/// Lists of images of objects that were made separately.
@Suite struct JoinedImagesTests {
  private static let base = "records/2024/01.automerge"

  private func identity() throws -> Identity { try DocumentMergeTests.identity(1) }

  /// The names readers see after the objects were brought together, the first one being the visible
  /// one, and the values that lost.
  private func unified(
    _ documents: [DocumentState]
  ) throws -> (names: [String], document: DocumentState, report: MergeReport) {
    let folder = try TestFolder()
    var merged = documents[0]
    for document in documents.dropFirst() { merged = try merged.merging(document) }
    try folder.write(merged.encoded(), to: Self.base)
    let report = try folder.merging { $0.unifies = true }
    let document = try folder.document(Self.base)
    try folder.expectSettled { $0.unifies = true }
    return (try document.images(of: identity()), document, report)
  }

  private func document(actor: UInt8, images: [String]?) throws -> DocumentState {
    let identity = try identity()
    return try AppDocument.make(actor: actor) {
      $0.make(identity, "comment", "imported")
      if let images { $0.makeImages(identity, images) }
    }
  }

  @Test func `a list that readers see is not replaced by a hidden value that is none`() throws {
    let identity = try identity()
    let odd = try AppDocument.editing(document(actor: 3, images: nil), actor: 4) {
      try $0.set("images", of: identity, to: "no list")
    }
    let result = try unified([
      document(actor: 9, images: ["a"]), odd, document(actor: 2, images: ["b"]),
    ])
    #expect(result.names == ["a", "b"])
    #expect(result.report.bases[0].differences.map(\.other) == [.string("no list")])
  }

  @Test func `where readers see no list, the names of all hidden ones come into a new one`() throws
  {
    let result = try unified([
      document(actor: 9, images: nil), document(actor: 5, images: ["a", "b"]),
      document(actor: 3, images: ["b", "c"]), document(actor: 2, images: ["d"]),
    ])
    #expect(result.names == ["a", "b", "c", "d"])
    #expect(result.report.bases[0].differences.isEmpty)
  }

  @Test func `a list somebody deleted stays deleted, and its hidden names are told`() throws {
    let identity = try identity()
    let winner = try AppDocument.editing(document(actor: 9, images: ["a"]), actor: 10) {
      try $0.delete("images", of: identity)
    }
    let result = try unified([winner, document(actor: 3, images: ["b"])])
    #expect(result.names == [])
    #expect(result.report.bases.flatMap(\.differences).map(\.other) == [.string("[\"b\"]")])
  }

  @Test func `a name that was taken out is not put back, and told`() throws {
    let identity = try identity()
    let winner = try AppDocument.editing(document(actor: 9, images: ["a", "b"]), actor: 10) {
      try $0.remove("b", fromImagesOf: identity)
    }
    let result = try unified([winner, document(actor: 3, images: ["b", "c"])])
    #expect(result.names == ["a", "c"])
    #expect(result.report.bases[0].differences.map(\.other) == [.string("b")])
  }

  @Test func `taking an image out is an edit as any other`() throws {
    let identity = try identity()
    let start = try AppDocument.make(actor: 3) {
      $0.make(identity, "comment", "imported")
      $0.makeList(identity, "links", ["one", "two"])
    }
    let hidden = try AppDocument.editing(start, actor: 4) {
      try $0.remove("two", fromList: "links", of: identity)
    }
    let winner = try AppDocument.make(actor: 9) {
      $0.make(identity, "comment", "imported")
      $0.makeList(identity, "links", ["one", "two"])
    }
    let result = try unified([winner, hidden])
    #expect(try result.document.names(in: "links", of: identity) == ["one"])
  }

  @Test func `an image that only a hidden object names is no redundant copy`() throws {
    let folder = try TestFolder()
    let month = "records/2024/01"
    let merged = try document(actor: 9, images: nil)
      .merging(document(actor: 3, images: ["a.jpg", "a (1).jpg"]))
    try folder.write(merged.encoded(), to: Self.base)
    try folder.write([1], to: "\(month)/a.jpg")
    try folder.write([1], to: "\(month)/a (1).jpg")
    #expect(try folder.merging().outcomes == ["\(month)/a (1).jpg": .kept])
    #expect(folder.exists("\(month)/a (1).jpg"))
  }
}

extension DocumentState {
  /// The names in a record's list of images; none if there is no list.
  func images(of identity: Identity) throws -> [String] { try names(in: "images", of: identity) }

  /// The strings in a list of an entity.
  func names(in field: String, of identity: Identity) throws -> [String] {
    let map = try #require(value(of: .root, key: identity.canonicalBytes)).id
    guard let list = value(of: map, key: Array(field.utf8))?.id else { return [] }
    var names: [String] = []
    forEachElement(of: list) { _, group in
      if case .scalar(let place)? = winner(in: group)?.content {
        names.append(String(decoding: bytes(place), as: UTF8.self))
      }
    }
    return names
  }
}
