import Automerge
import SafeFiles

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is done with a file in which something is there very often.
package enum DoublingStage: String, CaseIterable, Sendable {
  case load
  case save
  /// Everything that readers see, marks and conflicts included.
  case read
  /// What was there at all heads.
  case readHistory = "read-history"
  /// Into an empty document.
  case merge
  /// What is new since there was nothing.
  case patches
  /// Reading what can be read behind a wrong checksum.
  case salvage
  /// A peer that has nothing asks for everything.
  case sync
  /// Each change arrives by itself, and before those it builds on.
  case backwards

  /// Returns the work on a file; what has to be there before is done.
  package func work(on bytes: [UInt8]) throws -> () throws -> Void {
    switch self {
    case .load:
      return { _ = try DocumentState(loading: bytes) }
    case .salvage:
      var damaged = bytes
      if damaged.count > 5 { damaged[5] ^= 0xff }
      return { [damaged] in _ = SalvagedDocument(salvaging: damaged, labels: []) }
    case .backwards:
      let document = try Document(Data(bytes))
      let changes = document.getHistory().reversed().compactMap { document.change(hash: $0)?.bytes }
      return {
        let peer = Document()
        for change in changes { try peer.applyEncodedChanges(encoded: change) }
      }
    default:
      let document = try Document(Data(bytes))
      return { try perform(on: document) }
    }
  }

  private func perform(on document: Document) throws {
    switch self {
    case .save: _ = document.save()
    case .read: try Self.read(document)
    case .readHistory: try Self.readHistory(document)
    case .merge: try Document().merge(other: document)
    case .patches: _ = document.difference(from: [], to: document.heads())
    case .sync: try Self.synchronize(document)
    case .load, .salvage, .backwards: break
    }
  }

  private static func synchronize(_ document: Document) throws {
    let peer = Document()
    let (ours, theirs) = (SyncState(), SyncState())
    for _ in 0..<8 {
      if let message = peer.generateSyncMessage(state: theirs) {
        try document.receiveSyncMessage(state: ours, message: message)
      }
      if let message = document.generateSyncMessage(state: ours) {
        try peer.receiveSyncMessage(state: theirs, message: message)
      }
    }
  }

  /// Reads each object once by each way of reading it.
  private static func read(_ document: Document) throws {
    var pending: [(ObjId, ObjType)] = [(.ROOT, .Map)]
    while let (object, type) = pending.popLast() {
      var values: [Value] = []
      switch type {
      case .Map:
        for (key, value) in try document.mapEntries(obj: object) {
          _ = try document.getAll(obj: object, key: key)
          values.append(value)
        }
      case .List:
        values = try document.values(obj: object)
        if !values.isEmpty { _ = try document.getAll(obj: object, index: 0) }
      case .Text:
        _ = try document.text(obj: object)
        _ = try document.marks(obj: object)
      }
      for case .Object(let object, let type) in values { pending.append((object, type)) }
    }
  }

  /// Reads the outermost objects: each reading of the past goes through the history.
  private static func readHistory(_ document: Document) throws {
    let heads = document.heads()
    for (_, value) in try document.mapEntriesAt(obj: .ROOT, heads: heads).prefix(1) {
      guard case .Object(let object, .Text) = value else { continue }
      _ = try document.textAt(obj: object, heads: heads)
      _ = try document.marksAt(obj: object, heads: heads)
    }
  }
}

/// A pattern written down, with how many there are of what it repeats.
struct DoublingFile {
  /// What no file exceeds.
  private static let mostBytes = 1_000_000

  let pattern: DoublingPattern
  let form: DoublingForm
  let count: Int
  /// Its name, which tells all of it.
  let entry: FileName

  init(_ pattern: DoublingPattern, _ form: DoublingForm, count: Int) throws {
    try self.init(named: "\(pattern.rawValue).\(form.rawValue).\(count).automerge")
  }

  /// Takes the name of such a file.
  init(named name: String) throws {
    let parts = name.split(separator: ".")
    guard parts.count == 4, let pattern = DoublingPattern(rawValue: String(parts[0])),
      let form = DoublingForm(rawValue: String(parts[1])), let count = Int(parts[2]),
      let entry = FileName(name)
    else { throw MeasurementError.wrongResult("\(name) is no file of the run") }
    self.pattern = pattern
    self.form = form
    self.count = count
    self.entry = entry
  }

  var name: String { entry.description }

  /// The same with half as many.
  func half() throws -> DoublingFile { try DoublingFile(pattern, form, count: count / 2) }

  /// Returns the bytes; nil if they are too many, or do not load.
  func bytes() -> [UInt8]? {
    // A pattern that does not load at some size has no file of it.
    guard let bytes = try? form.file(of: pattern, count), bytes.count <= Self.mostBytes,
      (try? DocumentState(loading: bytes)) != nil
    else { return nil }
    return bytes
  }
}

/// How a pattern is written down.
package enum DoublingForm: String, CaseIterable, Sendable {
  case changes
  case document

  /// Returns a file in which there are `count` of what a pattern repeats.
  package func file(of pattern: DoublingPattern, _ count: Int) throws -> [UInt8] {
    let changes = pattern.changes(count)
    return self == .changes ? changes : try DocumentState(loading: changes).encoded()
  }
}
