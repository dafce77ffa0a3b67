import Automerge
import FolderDocuments
import Folders
package import Runs
import SafeFiles

/// Who wrote something, and when.
package struct ChangeStamp: Hashable, Sendable {
  /// The hash of the change, in hexadecimal.
  package let change: String
  /// The actor that made it, in hexadecimal.
  package let actor: String
  /// When, as UTC text; nil if the change does not say it.
  package let time: String?

  init(_ change: ChangeSummary) {
    self.change = change.hash.hex
    actor = change.actor.bytes.hexDigits
    time = change.time == 0 ? nil : UTCText.long(FileTime(seconds: change.time))
  }

  /// The stamp for the machine form of a report.
  package var object: ReportObject {
    var object = ReportObject()
    object.add("actor", actor)
    if let time { object.add("time", time) }
    object.add("change", change)
    return object
  }
}

/// Finds out who wrote the values of a document; each change is looked up once.
struct WriterTable {
  private let document: DocumentState
  private var stamps: [Int: ChangeStamp] = [:]

  init(of document: DocumentState) { self.document = document }

  /// Returns who gave a value its present content: of a text and of a counter the last one that
  /// changed it. Linear in a text.
  mutating func writer(of value: DocumentValue, in group: ValueGroup?) -> ChangeStamp? {
    var last = value.id
    switch value.content {
    case .object(.text):
      document.forEachGroup(in: value.id) { _, letter in
        document.forEachOperation(in: letter) { id, _, successors in
          last = later(of: last, id)
          for id in successors { last = later(of: last, id) }
        }
      }
    case .scalar(let place) where place.type == .counter:
      guard let group else { break }
      document.forEachOperation(in: group) { id, _, successors in
        guard id == value.id else { return }
        for id in successors { last = later(of: last, id) }
      }
    default: break
    }
    return stamp(of: last)
  }

  /// Returns who deleted what readers saw of a group; nil unless somebody did.
  mutating func deleter(of group: ValueGroup) -> ChangeStamp? {
    var last: OpID?
    document.forEachOperation(in: group) { _, _, successors in
      for id in successors { last = last.map { later(of: $0, id) } ?? id }
    }
    return last.flatMap { stamp(of: $0) }
  }

  private mutating func stamp(of id: OpID) -> ChangeStamp? {
    guard let row = document.row(ofChangeThatMade: id) else { return nil }
    if let known = stamps[row] { return known }
    let stamp = ChangeStamp(document.change(at: row))
    stamps[row] = stamp
    return stamp
  }

  private func later(of one: OpID, _ other: OpID) -> OpID {
    if one.counter != other.counter { return one.counter < other.counter ? other : one }
    return document.author(of: one) < document.author(of: other) ? other : one
  }
}

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
    return .string(String(decoding: try comparableJSON(of: value), as: UTF8.self))
  }

  /// Returns a value as its typed JSON, texts with their marks and with what else is no letter: equal
  /// bytes mean that readers see the same.
  func comparableJSON(of value: DocumentValue) throws(MigrationError) -> [UInt8] {
    try typedJSON(of: value, enteringTexts: true)
  }
}
