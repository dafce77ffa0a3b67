import Automerge

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// What an app does to have a whole document: through the public interface, object by object, and as values
// of its own.
extension RecordMeasurements {
  var reading: [Measurement] {
    [
      Measurement("walk", "full state read object by object", target: .units(0.3)) { [documents] in
        let document = try documents.loaded()
        var walk = Walk(document)
        let time = try ProcessorTime.milliseconds { try walk.enter(.ROOT) }
        guard walk.objectCount == 2 * documents.count + 1 else {
          throw MeasurementError.wrongResult("the walk lacks objects")
        }
        return time
      },
      Measurement("decode", "full state as values of an app", target: .units(1)) { [documents] in
        let document = try documents.loaded()
        var records: [String: DecodedRecord] = [:]
        let time = try ProcessorTime.milliseconds {
          records = try AutomergeDecoder(doc: document).decode([String: DecodedRecord].self)
        }
        guard records.count == documents.count else {
          throw MeasurementError.wrongResult("records are missing")
        }
        return time
      },
    ]
  }

  private struct DecodedRecord: Decodable {
    let startTime: Date
    let endTime: Date
    let tagId: String
    let comment: String?
    let images: [String]
  }

  /// Reads every value below an object, in the order of the keys.
  private struct Walk {
    private let document: Document
    private(set) var objectCount = 0
    private var byteCount = 0

    init(_ document: Document) { self.document = document }

    mutating func enter(_ object: ObjId) throws {
      objectCount += 1
      for (key, value) in try document.mapEntries(obj: object) {
        byteCount += key.utf8.count
        try take(value)
      }
    }

    private mutating func take(_ value: Value) throws {
      switch value {
      case .Object(let inner, .List):
        objectCount += 1
        for element in try document.values(obj: inner) { try take(element) }
      case .Object(let inner, _): try enter(inner)
      case .Scalar(.String(let text)): byteCount += text.utf8.count
      case .Scalar: byteCount += 8
      }
    }
  }
}
