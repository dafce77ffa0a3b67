import Folders
import Foundation

/// Compares JSON as the rules of an export allow (file-formats.md), with Foundation's reader
/// and nothing of the program's own.
enum JSONEquality {
  static let dates: Set<String> = ["createdAt", "startTime", "endTime"]
  static let optional: Set<String> = ["endTime", "tagId", "comment", "isArchived"]

  /// A legacy object in the form an export of its import has.
  static func normalized(_ object: [String: Any], isRecord: Bool) -> [String: Any] {
    var result = object
    result["id"] = (object["id"] as? String)?.uppercased()
    for name in optional where result[name] is NSNull { result[name] = nil }
    for name in dates {
      if let text = result[name] as? String, let date = RFC3339(text) {
        result[name] = date.description
      }
    }
    if let tag = result["tagId"] as? String, UUID(uuidString: tag) != nil {
      result["tagId"] = tag.uppercased()
    }
    if isRecord, result["images"] == nil || result["images"] is NSNull {
      result["images"] = [Any]()
    }
    return result
  }

  static func object(_ bytes: [UInt8]) throws -> [String: Any] {
    try JSONSerialization.jsonObject(with: Data(bytes.strippingMark)) as? [String: Any] ?? [:]
  }

  static func isEqual(_ left: [String: Any], _ right: [String: Any]) -> Bool {
    text(left) == text(right)
  }

  private static func text(_ object: [String: Any]) -> Data? {
    try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
  }
}

extension [UInt8] {
  fileprivate var strippingMark: [UInt8] {
    starts(with: [0xef, 0xbb, 0xbf]) ? Array(dropFirst(3)) : self
  }
}
