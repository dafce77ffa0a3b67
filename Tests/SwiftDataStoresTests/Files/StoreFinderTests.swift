import Foundation
import SafeFiles
import Testing
import TestStores

@testable import SwiftDataStores

@Suite struct StoreFinderTests {
  @Test func `stores are found by what they hold, wherever they are`() throws {
    let place = try StorePlace()
    let support = place.path + "/Library/Application Support"
    try FileManager.default.createDirectory(
      atPath: support + "/.Cloud_SUPPORT/_EXTERNAL_DATA", withIntermediateDirectories: true)
    try place.write()
    let bytes = try place.bytes(of: "Library.store")
    try place.write(bytes, to: "Library/Application Support/Cloud")
    try place.write(bytes, to: "Library/Application Support/.Cloud_SUPPORT/_EXTERNAL_DATA/hidden")
    try place.write(Array("SQLite format 3".utf8), to: "short.store")
    try place.write([UInt8](repeating: 0, count: 4096), to: "zeros.store")
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/link.store", withDestinationPath: place.store)
    let found = try StoreFinder.find(at: place.path)
    #expect(
      found.stores.map(\.path).sorted() == ["Library.store", "Library/Application Support/Cloud"])
    #expect(found.unreadable.isEmpty)
    #expect(found.others.map(\.path).sorted() == ["short.store", "zeros.store"])
    #expect(found.links == ["link.store"])
    #expect(found.missing.isEmpty)
    let cloud = try #require(found.stores.first { $0.name == "Cloud" })
    #expect(cloud.supportName == ".Cloud_SUPPORT")
    #expect(cloud.logName == "Cloud-wal")
  }

  @Test func `a database that is gone is known by what was beside it`() throws {
    let place = try StorePlace()
    for name in [
      "a.store-wal", "a.store-journal", "in/b.sqlite-journal", "notes-wal", "c.store-shm",
    ] {
      try FileManager.default.createDirectory(
        atPath: place.path + "/in", withIntermediateDirectories: true)
      try place.write([1], to: name)
    }
    let found = try StoreFinder.find(at: place.path)
    #expect(found.missing.map(\.path).sorted() == ["a.store", "in/b.sqlite"])
    #expect(found.stores.isEmpty && found.links.isEmpty)
  }

  @Test func `a file is taken as it is, and nothing is no store`() throws {
    let place = try StorePlace()
    try place.write([1], to: "anything")
    #expect(try StoreFinder.find(at: place.path + "/anything").stores.count == 1)
    #expect(throws: StoreError.noStore(path: place.path + "/nothing")) {
      try StoreFinder.find(at: place.path + "/nothing")
    }
    #expect(try StoreFinder.find(at: place.path).stores.isEmpty)
  }

  @Test(arguments: [
    ("default.store", ".default_SUPPORT"), ("StoreContent", ".StoreContent_SUPPORT"),
    ("a.b.sqlite", ".a.b_SUPPORT"), (".hidden", "..hidden_SUPPORT"),
  ])
  func `the folder beside a store has its name without the extension`(
    name: String, support: String
  ) throws {
    let place = try StorePlace()
    try place.write([1], to: name)
    let files = try StoreFinder.find(at: place.path + "/" + name).stores[0]
    #expect(files.supportName?.description == support)
  }
}
