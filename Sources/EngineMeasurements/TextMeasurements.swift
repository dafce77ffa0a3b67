import Automerge
import SampleFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is measured on a long text.
struct TextMeasurements {
  /// Edits and what was made of them, each when it is first asked for.
  private final class Sources {
    let count: Int
    let positions: TextEdits.Positions
    private(set) lazy var edits = TextEdits(count: count, positions)
    private var saved: Data?
    private var batches: [Data] = []

    init(_ positions: TextEdits.Positions, count: Int) {
      self.count = count
      self.positions = positions
    }

    func file() throws -> Data {
      if let saved { return saved }
      let bytes = try edits.document().save()
      saved = bytes
      return bytes
    }

    func changes() throws -> [Data] {
      if batches.isEmpty { batches = try edits.batches() }
      return batches
    }
  }

  let size: MeasurementSize

  init(_ size: MeasurementSize) { self.size = size }

  var rows: [Measurement] {
    rows("running", .running) + rows("random", .random) + [paste]
  }

  private func rows(_ name: String, _ positions: TextEdits.Positions) -> [Measurement] {
    let sources = Sources(positions, count: size.part(of: 260_000))
    let doubled = Sources(positions, count: 2 * sources.count)
    let object = "\(sources.count) edits of a text at \(name) positions"
    return [
      Measurement("text-\(name)", object) {
        let edits = sources.edits
        return try ProcessorTime.milliseconds { try edits.document() }
      },
      Measurement("text-\(name)-remote", object + ", applied in batches of 1,000") {
        let batches = try sources.changes()
        return try ProcessorTime.milliseconds {
          let document = Document()
          for batch in batches { try document.applyEncodedChanges(encoded: batch) }
          return document
        }
      },
      load("text-\(name)-load", "load of " + object, sources, nil),
      load(
        "text-\(name)-load-doubled", "load of twice as many", doubled,
        .ratio(Measurement.doubling, to: "text-\(name)-load")),
    ]
  }

  private func load(
    _ name: String, _ work: String, _ sources: Sources, _ target: Measurement.Target?
  ) -> Measurement {
    Measurement(name, work, target: target) {
      let bytes = try sources.file()
      return try ProcessorTime.milliseconds { try Document(bytes) }
    }
  }

  private var paste: Measurement {
    let length = size.part(of: 1_000_000)
    return Measurement("paste", "\(length) letters pasted into a text in one splice") {
      var random = SeededRandom(seed: 1)
      let letters = Array("etaoin shrdlu cmfwyp".utf8)
      let pasted = String(
        decoding: (0..<length).map { _ in random.pick(letters) }, as: UTF8.self)
      let document = Document()
      let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
      return try ProcessorTime.milliseconds {
        try document.spliceText(obj: text, start: 0, delete: 0, value: pasted)
        document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
      }
    }
  }
}

/// Edits of one character each, seven in ten of them insertions, that are the same on every machine.
struct TextEdits {
  /// Where somebody edits.
  enum Positions {
    /// Where the edit before was, most of the time: how people type.
    case running
    /// Anywhere.
    case random
  }

  /// An insertion, or a deletion if there is no character.
  private struct Edit {
    let position: UInt64
    let character: String?
  }

  private var edits: [Edit] = []
  private let length: UInt64

  private static let characters = "etaoin shrdlu cmfwyp".map(String.init)

  init(count: Int, _ positions: Positions) {
    var random = SeededRandom(seed: 1)
    var length = 0
    var cursor = 0
    edits.reserveCapacity(count)
    for _ in 0..<count {
      if positions == .random || random.happens(2) { cursor = random.number(below: length + 1) }
      if cursor > 0, random.happens(30) {
        cursor -= 1
        length -= 1
        edits.append(Edit(position: UInt64(cursor), character: nil))
      } else {
        edits.append(Edit(position: UInt64(cursor), character: random.pick(Self.characters)))
        cursor += 1
        length += 1
      }
    }
    self.length = UInt64(length)
  }

  /// Returns a document whose text had all edits in one transaction.
  func document() throws -> Document {
    let document = Document()
    let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    for edit in edits { try Self.perform(edit, on: text, of: document) }
    document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
    guard document.length(obj: text) == length else {
      throw MeasurementError.wrongResult("edits were lost")
    }
    return document
  }

  /// Returns the edits as another device would send them: batches of ten changes of a hundred.
  func batches() throws -> [Data] {
    let document = Document()
    let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    var batches: [Data] = []
    for (index, edit) in edits.enumerated() {
      try Self.perform(edit, on: text, of: document)
      if index % 100 == 99 { document.commitWith(timestamp: Date(timeIntervalSince1970: 0)) }
      if index % 1000 == 999 { batches.append(document.encodeNewChanges()) }
    }
    batches.append(document.encodeNewChanges())
    return batches
  }

  private static func perform(_ edit: Edit, on text: ObjId, of document: Document) throws {
    try document.spliceText(
      obj: text, start: edit.position, delete: edit.character == nil ? 1 : 0,
      value: edit.character)
  }
}
