@testable import Automerge
import Foundation
import Testing

/// A document with an object of each kind: an empty map, a list of 1, 2, 3 and the text "hello".
struct SmallDocument {
  let document: Document
  let map: ObjId
  let list: ObjId
  let text: ObjId

  init(textEncoding: TextEncoding = .unicodeScalar, text value: String = "hello") throws {
    document = Document(textEncoding: textEncoding)
    document.actor = ActorId(bytes: [1])
    map = try document.putObject(obj: .ROOT, key: "map", ty: .Map)
    list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
    text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    try document.splice(obj: list, start: 0, delete: 0, values: [.Int(1), .Int(2), .Int(3)])
    try document.spliceText(obj: text, start: 0, delete: 0, value: value)
    document.commitWith(message: nil, timestamp: Date(timeIntervalSince1970: 0))
  }

  /// The numbers of the list.
  func numbers() throws -> [ScalarValue] { try document.values(obj: list).map(\.scalar) }

  /// Expects that an edit fails, with what its error says, and leaves nothing behind.
  func expectRefusal(
    _ description: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ edit: () throws -> Void
  ) {
    let before = document.save()
    let error = #expect(throws: DocError.self, sourceLocation: sourceLocation) { try edit() }
    if let description {
      #expect(error?.errorDescription == description, sourceLocation: sourceLocation)
    }
    #expect(document.save() == before, sourceLocation: sourceLocation)
    document.expectSound(sourceLocation: sourceLocation)
  }

  /// Expects that an edit makes no change.
  func expectNoChange(
    sourceLocation: SourceLocation = #_sourceLocation, _ edit: () throws -> Void
  ) rethrows {
    let heads = document.heads()
    try edit()
    #expect(document.heads() == heads, sourceLocation: sourceLocation)
    document.expectSound(sourceLocation: sourceLocation)
  }
}

extension Document {
  /// The document's next author; one byte keeps what is expected readable.
  func fork(as actor: UInt8) -> Document {
    let copy = fork()
    copy.actor = ActorId(bytes: [actor])
    return copy
  }

  /// Expects what holds of every document: a sound op set, and a file that loads again.
  func expectSound(sourceLocation: SourceLocation = #_sourceLocation) {
    #if INTERNAL_CHECKS
      #expect(checkInvariants().isEmpty, sourceLocation: sourceLocation)
    #endif
    do {
      #expect(try Document(save()).heads() == heads(), sourceLocation: sourceLocation)
    } catch {
      Issue.record(error, sourceLocation: sourceLocation)
    }
  }
}

extension Value {
  /// The scalar; null for an object.
  var scalar: ScalarValue { if case .Scalar(let value) = self { value } else { .Null } }
}

extension TextEncoding {
  static let all: [TextEncoding] = [.unicodeScalar, .utf8, .utf16, .graphemeCluster]
}
