import Diagnostics
import FileFaults
import Foundation
import SafeFiles
import Testing
import TestStores

@testable import SwiftDataStores

@Suite struct RowTests {
  @Test func `every kind of value is told by its cell`() throws {
    let place = try StorePlace()
    try place.write()
    let books = try place.open().allRows(of: "Book")
    #expect(books.map(\.number) == [1, 2, 3])
    #expect(books.map(\.version) == [1, 3, 1])
    let first = books[0]
    #expect(first["isRead"] == .boolean(true))
    #expect(first["pages"] == .integer(880))
    #expect(first["price"] == .decimal(99.99))
    #expect(first["rating"] == .double(4.5))
    #expect(first["addedAt"] == .date(700_000_000.25))
    #expect(first["addedAt"]?.millisecondsSince1970 == 1_678_307_200_250)
    #expect(first["cover"] == .bytes([0xff, 0xd8]))
    #expect(
      first["id"]
        == .uuid([0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255]))
    #expect(first["author"] == .reference(row: 2, entity: nil))
    #expect(first["owner"] == .reference(row: 4, entity: 4))
    #expect(first["shelves"] == nil)
    let second = books[1]
    #expect(second["price"] == .decimal(5))
    #expect(second["rating"] == .double(3))
    #expect(second["addedAt"]?.millisecondsSince1970 == 978_307_199_000)
    #expect(second["cover"] == .bytes([]))
    #expect(second["id"] == .null)
    // The model says that the first byte is the app's own.
    #expect(second["extra"] == .bytes([1]))
    #expect(books[2]["isRead"] == .null)
  }

  @Test func `what no value of the declared type is kept as comes as it is`() throws {
    let place = try StorePlace()
    var made = TestStore()
    made.statements = [
      """
      INSERT INTO ZBOOK (Z_PK, Z_ENT, ZISREAD, ZPAGES, ZAUTHOR, ZADDEDAT, ZTITLE, ZID, ZCOVER) VALUES \
      (1, 1, 2, 'many', 'x', 'now', x'00ff', '0011', 7), \
      (2, 1, 0.5, 1.5, 1.5, 9223372036854775807, 5, x'00', 'text')
      """
    ]
    try place.write(made)
    let books = try place.open().allRows(of: "Book")
    let (first, second) = (books[0], books[1])
    #expect(first.version == nil)
    #expect(first["isRead"] == .unexpected(.integer(2)))
    #expect(first["pages"] == .unexpected(.text(Array("many".utf8))))
    #expect(first["author"] == .unexpected(.text(Array("x".utf8))))
    #expect(first["addedAt"] == .unexpected(.text(Array("now".utf8))))
    #expect(first["title"] == .unexpected(.blob([0, 255])))
    #expect(first["id"] == .unexpected(.text(Array("0011".utf8))))
    #expect(first["cover"] == .unexpected(.integer(7)))
    #expect(second["isRead"] == .unexpected(.real(0.5)))
    #expect(second["pages"] == .unexpected(.real(1.5)))
    #expect(second["addedAt"] == .unexpected(.integer(.max)))
    // A column for text makes text of a number.
    #expect(second["title"] == .text(Array("5".utf8)))
    #expect(second["id"] == .unexpected(.blob([0])))
  }

  @Test func `rows of sub-entities are theirs alone, with what they inherit`() throws {
    let place = try StorePlace()
    try place.write()
    let store = try place.open()
    #expect(try store.texts("name", of: "Person") == ["Ada"])
    #expect(try store.texts("name", of: "Author") == ["Mary Ann"])
    #expect(try store.texts("penName", of: "Author") == ["George"])
    #expect(try store.allRows(of: "Reader")[0]["card"] == .integer(77))
    #expect(
      try store.rowCounts(ofTable: "ZPERSON") == [
        .init(entity: 2, count: 1, highestRow: 1), .init(entity: 3, count: 1, highestRow: 2),
        .init(entity: 4, count: 1, highestRow: 4),
      ])
  }

  @Test(arguments: [
    ("(1, 1), (5, 1)", [Store.RowCount(entity: 1, count: 2, highestRow: 5)]),
    (
      "(1, 1), (5, 1), (3, NULL)",
      [.init(entity: nil, count: 1, highestRow: 3), .init(entity: 1, count: 2, highestRow: 5)]
    ),
    (
      "(1, 2), (5, 1)",
      [.init(entity: 1, count: 1, highestRow: 5), .init(entity: 2, count: 1, highestRow: 1)]
    ),
    (
      "(1, 1), (5, 'x')",
      [.init(entity: 1, count: 1, highestRow: 1), .init(entity: nil, count: 1, highestRow: 5)]
    ),
  ])
  func `rows are counted by what they say they are`(
    rows: String, expected: [Store.RowCount]
  ) throws {
    let place = try StorePlace()
    var made = TestStore()
    made.statements = ["INSERT INTO ZBOOK (Z_PK, Z_ENT) VALUES \(rows)"]
    try place.write(made)
    #expect(try place.open().rowCounts(ofTable: "ZBOOK") == expected)
  }

  @Test func `pairs of a relationship are read from either side, and from the column back`() throws
  {
    let place = try StorePlace()
    try place.write()
    let store = try place.open()
    func numbers(_ pairs: [[StoreCell]]) -> [[Int64]] { pairs.map { $0.compactMap(\.integer) } }
    #expect(try numbers(store.pairs("shelves", of: "Book")) == [[1, 1], [1, 2], [2, 1]])
    #expect(try numbers(store.pairs("books", of: "Shelf")) == [[1, 1], [1, 2], [2, 1]])
    #expect(try numbers(store.pairs("books", of: "Author")) == [[2, 1], [9, 3]])
    #expect(try numbers(store.pairs("tags", of: "Book")) == [[1, 1]])
  }

  @Test func `data in a file of their own are found, or told as missing`() throws {
    let place = try StorePlace()
    let there = "0A1B2C3D-0000-4000-8000-0123456789AB"
    let gone = "FFFFFFFF-0000-4000-8000-0123456789AB"
    func reference(_ uuid: String) -> String {
      TestStore.literal([2] + Array(uuid.utf8) + [0])
    }
    var made = TestStore()
    made.model = .marking("cover")
    made.statements = [
      """
      INSERT INTO ZBOOK (Z_PK, Z_ENT, ZCOVER, ZEXTRA) VALUES (1, 1, \(reference(there)), x'0101'), \
      (2, 1, \(reference(gone)), x'02'), (3, 1, x'01ffd8', \(reference(there))), (4, 1, x'01', NULL)
      """
    ]
    try place.write(made)
    let folder = place.path + "/.Library_SUPPORT/_EXTERNAL_DATA"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data([7, 8, 9]).write(to: URL(filePath: folder + "/" + there))
    let store = try place.open()
    let books = try store.allRows(of: "Book")
    let data = ExternalData(uuid: there, byteCount: 3)
    #expect(books[0]["cover"] == .external(data))
    #expect(books[1]["cover"] == .external(ExternalData(uuid: gone, byteCount: nil)))
    // The model says of the column that others say in their first byte that they hold the bytes.
    #expect(books[2]["cover"] == .bytes([0xff, 0xd8]))
    #expect(books[3]["cover"] == .bytes([]))
    // It does not of this one, so that the first byte is the app's.
    #expect(books[0]["extra"] == .bytes([1, 1]))
    #expect(books[1]["extra"] == .bytes([2]))
    #expect(books[2]["extra"] == .external(data))
    let file = try #require(try store.open(data))
    var bytes = [UInt8](repeating: 0, count: 4)
    #expect(try file.read(into: &bytes) == 3)
    #expect(bytes.prefix(3) == [7, 8, 9])
    #expect(try store.open(ExternalData(uuid: gone, byteCount: nil)) == nil)
  }

  @Test func `milliseconds are rounded once, and a number that is none has none`() {
    #expect(StoreValue.date(0).millisecondsSince1970 == 978_307_200_000)
    #expect(StoreValue.date(0.0005).millisecondsSince1970 == 978_307_200_001)
    #expect(StoreValue.date(-978_307_200.0005).millisecondsSince1970 == 0)
    for seconds in [Double.nan, .infinity, -.infinity, 1e300, 9.3e15] {
      #expect(StoreValue.date(seconds).millisecondsSince1970 == nil)
    }
  }

  @Test(arguments: [true, false, nil])
  func `what a first byte says is the model's word, whatever other rows hold`(
    isMarked: Bool?
  ) throws {
    let place = try StorePlace()
    let reference = TestStore.literal(
      [2] + Array("0A1B2C3D-0000-4000-8000-0123456789AB".utf8) + [0])
    var made = TestStore()
    if isMarked == true { made.model = .marking("cover") }
    if isMarked == nil { made.model = nil }
    made.statements = ["INSERT INTO ZBOOK (Z_PK, Z_ENT, ZCOVER) VALUES (1, 1, x'01ffd8')"]
    try place.write(made)
    let kept: StoreValue = .bytes(isMarked == true ? [0xff, 0xd8] : [1, 0xff, 0xd8])
    let store = try place.open()
    #expect(try store.allRows(of: "Book")[0]["cover"] == kept)
    #expect(store.findings.count { $0.code == .otherStorage } == (isMarked == nil ? 1 : 0))
    let other = try StorePlace()
    made.statements.append(
      "INSERT INTO ZBOOK (Z_PK, Z_ENT, ZCOVER) VALUES (2, 1, \(reference))")
    try other.write(made)
    let changed = try other.open()
    #expect(try changed.allRows(of: "Book")[0]["cover"] == kept)
    let told = changed.findings.filter { $0.message.contains("ZBOOK.ZCOVER") }.map(\.code)
    #expect(told == (isMarked.map { $0 ? [] : [.modelDiffers] } ?? [.otherStorage]))
  }
}

extension StoreModel {
  /// The model of books and people, in which large values of a property are in files.
  fileprivate static func marking(_ name: String) -> StoreModel {
    var model = StoreModel.library
    for entity in model.entities.indices {
      for index in model.entities[entity].attributes.indices
      where model.entities[entity].attributes[index].name == name {
        model.entities[entity].attributes[index].isMarked = true
      }
    }
    return model
  }
}
