import Automerge
import FolderDocuments
import Folders
import Runs

extension DocumentState {
  /// Returns a value for a report: strings, whole numbers and truth values as they are, dates as
  /// RFC 3339, everything else as its typed JSON.
  func reportValue(of value: DocumentValue) throws(MigrationError) -> ReportValue {
    if case .scalar(let place) = value.content {
      switch place.type {
      case .null: return .null
      case .boolFalse: return .boolean(false)
      case .boolTrue: return .boolean(true)
      case .string: return .string(String(decoding: pool[place.range], as: UTF8.self))
      case .int: return .integer(Int(signed(place)))
      case .timestamp:
        let moment = RFC3339(milliseconds: signed(place))
        if moment.isWritable { return .string(moment.description) }
      default: break
      }
    }
    return .string(String(decoding: try typedJSON(of: value), as: UTF8.self))
  }
}
