import Automerge
import Diagnostics
import FileFaults
import Foundation
import SampleStores
import Testing

@testable import MigrationCore

/// Two devices that import their own stores of one person's data: other row numbers, other versions of
/// the app, other values in some rows.
@Suite struct StoreConvergencePropertyTests {
  private static let versions: [(app: SampleApp, names: [String])] = [
    (.ritualist, ["V2", "V3", "V6", "V8", "V9", "V10", "V11"]),
    (.laundryTime, ["shipped", "V1", "V2", "V4"]),
  ]

  /// A place for each of two devices, in versions that a seed says.
  private static func devices(_ seed: UInt64) throws -> (StorePlace, StorePlace, String) {
    var generator = TestRandom(seed: seed)
    let (app, names) = versions[Int(seed % 2)]
    let first = names.randomElement(using: &generator) ?? ""
    let second = names.randomElement(using: &generator) ?? ""
    let one = try StorePlace(StorePlace.plan(app, first, rows: 90, device: 1, seed: seed))
    let other = try StorePlace(StorePlace.plan(app, second, rows: 90, device: 2, seed: seed))
    for place in [one, other] { try place.importing { $0.includesPrivate = true } }
    return (one, other, "seed \(seed): \(first) and \(second)")
  }

  private static func keys(of document: Document) -> Set<String> {
    Set(document.keys(obj: .ROOT))
  }

  @Test(arguments: Array(1...8) as [UInt64])
  func `documents merge either way to the same, and each entity is there once`(
    seed: UInt64
  ) throws {
    let (one, other, what) = try Self.devices(seed)
    let (left, right) = (try one.documents(), try other.documents())
    var shared = 0
    for path in Set(left.keys).intersection(right.keys) {
      let (mine, theirs) = (
        try Document(Data(left[path] ?? [])), try Document(Data(right[path] ?? []))
      )
      let (forward, backward) = (mine.fork(), theirs.fork())
      try forward.merge(other: theirs)
      try backward.merge(other: mine)
      #expect(forward.heads() == backward.heads(), "\(what): \(path)")
      #expect(
        Self.keys(of: forward) == Self.keys(of: mine).union(Self.keys(of: theirs)),
        "\(what): \(path)")
      for key in Self.keys(of: mine).intersection(Self.keys(of: theirs)) {
        // Both made the same map: nothing of one device hides behind the other.
        #expect(try forward.getAll(obj: .ROOT, key: key).count == 1, "\(what): \(path) \(key)")
        shared += 1
      }
    }
    #expect(shared > 12, "\(what)")
  }

  @Test(arguments: Array(1...4) as [UInt64])
  func `an edit wins over whatever another device imports`(seed: UInt64) throws {
    let (one, other, what) = try Self.devices(seed)
    let path = seed.isMultiple(of: 2) ? "habits.automerge" : "pets.automerge"
    let mine = try Document(Data(one.folder.bytes(path)))
    let theirs = try Document(Data(other.folder.bytes(path)))
    for key in Self.keys(of: mine) {
      guard case .Object(let map, _) = try mine.get(obj: .ROOT, key: key) else { continue }
      try mine.put(obj: map, key: "name", value: .String("edited"))
    }
    for document in [mine.fork(), theirs.fork()] {
      try document.merge(other: document.heads() == mine.heads() ? theirs : mine)
      for key in Self.keys(of: mine) {
        guard case .Object(let map, _) = try document.get(obj: .ROOT, key: key) else { continue }
        #expect(
          try document.get(obj: map, key: "name") == .Scalar(.String("edited")), "\(what): \(key)")
      }
    }
  }

  @Test(arguments: Array(1...4) as [UInt64])
  func `a second device brings a folder up to date, once`(seed: UInt64) throws {
    let (one, other, what) = try Self.devices(seed)
    let stores = other.stores.path
    let told = try one.importing { $0.source = .folder(path: stores) }
    #expect(told.counts.allSatisfy { $0.updated == 0 }, "\(what)")
    let updated = try one.importing {
      $0.source = .folder(path: stores)
      $0.updates = true
    }
    let after = try one.documents()
    #expect(updated.findings.allSatisfy { $0.severity < .error }, "\(what): \(updated.findings)")
    let again = try one.importing {
      $0.source = .folder(path: stores)
      $0.updates = true
    }
    #expect(again.counts.allSatisfy { $0.updated == 0 && $0.imported == 0 }, "\(what)")
    #expect(try one.documents() == after, "\(what)")
  }
}
