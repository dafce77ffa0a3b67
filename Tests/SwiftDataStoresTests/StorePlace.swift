import FileFaults
import Foundation
import SafeFiles
import TestStores

@testable import SwiftDataStores

/// A directory for a store and one for private copies, both gone with the value.
final class StorePlace: Sendable {
  let path: String
  /// Where private copies are made.
  let working: String

  init() throws {
    path = NSTemporaryDirectory() + "store-\(UUID().uuidString)"
    working = path + "-working"
    for directory in [path, working] {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }
  }

  deinit {
    for directory in [path, working] {
      // What stays behind in the temporary directory harms no test.
      try? FileManager.default.removeItem(atPath: directory)
    }
  }

  /// Where the store is.
  var store: String { path + "/Library.store" }

  /// Opens what is at the store's path.
  func open(
    operations: any FileOperations = SystemFileOperations(), patienceSeconds: Double = 0,
    noteLeftBehind: @escaping @Sendable (FileError) -> Void = { _ in }
  ) throws -> Store {
    let found = try StoreFinder.find(at: store, operations: operations)
    let opener = try StoreOpener(
      workingDirectory: working, patienceSeconds: patienceSeconds, operations: operations,
      noteLeftBehind: noteLeftBehind)
    return try opener.open(found.stores[0])
  }

  /// Writes a store with the files that it has while the app runs, and lets go of them.
  func write(_ store: TestStore = TestStore()) throws {
    let directory = path + "/made"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let database = try store.write(to: directory + "/Library.store")
    for suffix in ["", "-wal"] where exists("made/Library.store" + suffix) {
      let bytes = try bytes(of: "made/Library.store" + suffix)
      try write(bytes, to: "Library.store" + suffix)
    }
    withExtendedLifetime(database) {}
    try FileManager.default.removeItem(atPath: directory)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path + "/" + name) }

  func bytes(of name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path + "/" + name)))
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: path + "/" + name))
  }

  /// Everything in and below the place, with the bytes of each file.
  func content() throws -> [String: [UInt8]] {
    var content: [String: [UInt8]] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      let type = try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.type]
      content[name] =
        (type as? FileAttributeType) == .typeDirectory ? [] : try bytes(of: name)
    }
    return content
  }

  /// The names of private places.
  func privatePlaces() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: working)
  }
}

extension Store {
  /// The rows of an entity.
  func allRows(of name: String) throws -> [StoreRow] {
    guard let entity = layout.entity(named: name) else { return [] }
    let reader = try rows(of: entity)
    var rows: [StoreRow] = []
    while let row = try reader.next() { rows.append(row) }
    return rows
  }

  /// The values of a property that is a text, row by row.
  func texts(_ property: String, of entity: String) throws -> [String] {
    try allRows(of: entity).map { row in
      guard case .text(let bytes)? = row[property] else { return "" }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The pairs of a property.
  func pairs(_ property: String, of entity: String) throws -> [[StoreCell]] {
    guard
      let property = layout.entity(named: entity)?.properties.first(where: { $0.name == property }),
      let reader = try links(of: property)
    else { return [] }
    var pairs: [[StoreCell]] = []
    while let pair = try reader.next() { pairs.append([pair.source, pair.target]) }
    return pairs
  }
}
