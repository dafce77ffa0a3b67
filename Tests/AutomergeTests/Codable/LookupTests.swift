@testable import Automerge
import Foundation
import Testing

@Suite struct LookupTests {
  private let document = Document()
  private let list: ObjId
  private let map: ObjId
  private let notes: ObjId

  init() throws {
    try document.put(obj: .ROOT, key: "name", value: .String("joe"))
    _ = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    try document.put(obj: .ROOT, key: "null", value: .Null)
    list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
    map = try document.insertObject(obj: list, index: 0, ty: .Map)
    _ = try document.insertObject(obj: list, index: 1, ty: .Text)
    try document.insert(obj: list, index: 2, value: .String("alex"))
    notes = try document.putObject(obj: map, key: "notes", ty: .Text)
  }

  private func look(
    _ path: String, _ type: EncodingContainerType, _ strategy: SchemaStrategy
  ) throws -> Result<ObjId, CodingKeyLookupError> {
    document.retrieveObjectId(
      path: try AnyCodingKey.parsePath(path), containerType: type, strategy: strategy)
  }

  private func failure(
    _ path: String, _ type: EncodingContainerType, _ strategy: SchemaStrategy
  ) throws -> String {
    switch try look(path, type, strategy) {
    case .success(let object): "found \(object)"
    case .failure(let error): error.name
    }
  }

  // MARK: lookupPath

  @Test func `a path to an object is its identity`() throws {
    #expect(try document.lookupPath(path: "") == .ROOT)
    #expect(try document.lookupPath(path: ".") == .ROOT)
    #expect(try document.lookupPath(path: ".list") == list)
    #expect(try document.lookupPath(path: "list.[0]") == map)
    #expect(try document.lookupPath(path: "list.[0].notes") == notes)
  }

  @Test(arguments: ["a", "a.", "name", "list.[2]", "list.[3]", "list.[0].none"])
  func `a path to a scalar or to nothing is nil`(path: String) throws {
    #expect(try document.lookupPath(path: path) == nil)
  }

  @Test(arguments: [
    ("a.b", "SchemaMissing"), ("list.[3].a", "SchemaMissing"), ("list.[4]", "IndexOutOfBounds"),
    ("list.[9].a", "IndexOutOfBounds"), ("text.a", "PathExtendsThroughText"),
    ("list.[1].a", "PathExtendsThroughText"), ("name.a", "PathExtendsThroughScalar"),
    ("list.[2].[0]", "PathExtendsThroughScalar"), ("[1].a", "AutomergeDocError"),
    ("[0]", "AutomergeDocError"), ("list.a", "AutomergeDocError"),
  ])
  func `a path through something else is an error`(path: String, name: String) throws {
    let error = try error(CodingKeyLookupError.self) { try document.lookupPath(path: path) }
    #expect(error.name == name, "\(error)")
    #expect(error.errorDescription?.isEmpty == false)
    #expect(error.failureReason == nil)
  }

  @Test func `an error of the document is kept`() throws {
    let error = try error(CodingKeyLookupError.self) { try document.lookupPath(path: "list.a") }
    guard case .AutomergeDocError(let inner) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(inner as? DocError == DocError(reason: .wrongObjectType))
    #expect(error == .AutomergeDocError(DocError(reason: .wrongObjectType)))
    #expect(error != .AutomergeDocError(DocError(reason: .unknownObject)))
    #expect(CodingKeyLookupError.SchemaMissing("a") == .MismatchedSchema("a"))
  }

  // MARK: Containers

  @Test func `a value's container is the object before the last step`() throws {
    #expect(try look("name", .Value, .readonly).get() == .ROOT)
    #expect(try look("list.[0].notes", .Value, .readonly).get() == map)
    #expect(try look("list.[0].none", .Value, .createWhenNeeded).get() == map)
  }

  @Test func `the root is a map and nothing else`() throws {
    #expect(try look("", .Key, .readonly).get() == .ROOT)
    #expect(try failure("", .Index, .readonly) == "InvalidIndexLookup")
    #expect(try failure("", .Value, .createWhenNeeded) == "InvalidIndexLookup")
  }

  @Test(arguments: [EncodingContainerType.Key, .Index, .Value])
  func `overriding is refused`(type: EncodingContainerType) throws {
    #expect(try failure("list", type, .override) == "UnexpectedLookupFailure")
    #expect(try failure("", type, .override) == "UnexpectedLookupFailure")
  }

  @Test(arguments: [SchemaStrategy.createWhenNeeded, .readonly])
  func `a container of another kind is a mismatch`(strategy: SchemaStrategy) throws {
    #expect(try failure("list", .Key, strategy) == "MismatchedSchema")
    #expect(try failure("list.[0]", .Index, strategy) == "MismatchedSchema")
    #expect(try failure("text", .Key, strategy) == "MismatchedSchema")
    #expect(try failure("name", .Index, strategy) == "MismatchedSchema")
    #expect(try failure("text.a", .Value, strategy) == "PathExtendsThroughText")
    #expect(try failure("name.a", .Key, strategy) == "PathExtendsThroughScalar")
  }

  @Test func `reading only makes nothing`() throws {
    let heads = document.heads()
    for type in [EncodingContainerType.Key, .Index] {
      #expect(try failure("alpha", type, .readonly) == "SchemaMissing")
      #expect(try failure("list.[3]", type, .readonly) == "SchemaMissing")
      #expect(try failure("list.[3].[0]", type, .readonly) == "SchemaMissing")
      #expect(try failure("list.[4].a", type, .readonly) == "IndexOutOfBounds")
    }
    #expect(document.heads() == heads)
  }

  @Test(arguments: [
    ("alpha", EncodingContainerType.Key, ".alpha", ObjType.Map),
    ("alpha", .Index, ".alpha", .List),
    ("list.[3].a", .Value, ".list.[3]", .Map),
    ("list.[3].[0]", .Value, ".list.[3]", .List),
    ("list.[3].[0]", .Index, ".list.[3].[0]", .List),
    ("red.[0].blue.yellow", .Key, ".red.[0].blue.yellow", .Map),
    ("red.[0].blue.[0]", .Index, ".red.[0].blue.[0]", .List),
    ("red.[0].blue.yellow", .Value, ".red.[0].blue", .Map),
    ("null", .Key, ".null", .Map), ("null", .Index, ".null", .List),
  ])
  func `missing containers are made`(
    path: String, type: EncodingContainerType, made: String, kind: ObjType
  ) throws {
    let object = try look(path, type, .createWhenNeeded).get()
    #expect(try document.path(obj: object).stringPath() == made)
    #expect(document.objectType(obj: object) == kind)
    #expect(try look(path, type, .createWhenNeeded).get() == object)
    #expect(document.length(obj: list) <= 4)
  }

  @Test func `a list grows at its end only`() throws {
    #expect(try failure("new.[1].a", .Value, .createWhenNeeded) == "IndexOutOfBounds")
    #expect(try failure("list.[5]", .Key, .createWhenNeeded) == "IndexOutOfBounds")
    let error = try #require(throws: CodingKeyLookupError.self) {
      try look("other.[5].b", .Value, .createWhenNeeded).get()
    }
    #expect(
      error.errorDescription
        == "Index value 5 is too far beyond the length: 0 to append a new item.")
    let reading = try #require(throws: CodingKeyLookupError.self) {
      try look("list.[4].a", .Key, .readonly).get()
    }
    #expect(
      reading.errorDescription
        == "Index value 4 is beyond the length: 3 and nothing may be made")
  }
}
