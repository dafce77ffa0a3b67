import Automerge
import SampleFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What somebody feels who edits a large document, opens small ones, or looks at the past.
///
/// An edit is a put or a letter, a commit, and the patches a view needs. It costs the same however large
/// the document is: the rows of documents twice as large say so.
struct EditingMeasurements {
  private let records: RecordDocuments
  private let doubledRecords: RecordDocuments
  private let texts: [EditedText]
  private let editCount: Int
  private let smallCount: Int

  /// What an edit of a document twice as large may cost over an edit of the smaller one: its tables are
  /// searched one step deeper, and more of them lies outside of the caches.
  private static let steadiness = 1.5

  init(_ size: MeasurementSize) {
    let count = size.part(of: RecordDocuments.standardCount)
    records = RecordDocuments(count: count)
    doubledRecords = RecordDocuments(count: 2 * count)
    // The greater has a million letters.
    let length = size.part(of: 500_000)
    texts = [EditedText(length: length), EditedText(length: 2 * length)]
    editCount = size.part(of: 10_000)
    smallCount = size.part(of: 10_000)
  }

  var rows: [Measurement] {
    [
      keystrokes("keystroke", texts[0], nil),
      keystrokes("keystroke-doubled", texts[1], .ratio(Self.steadiness, to: "keystroke")),
      puts("put", records, nil),
      puts("put-doubled", doubledRecords, .ratio(Self.steadiness, to: "put")),
      fork, past, smallDocuments,
    ]
  }

  private func keystrokes(
    _ name: String, _ text: EditedText, _ target: Measurement.Target?
  ) -> Measurement {
    Measurement(
      name, "\(editCount) keystrokes with patches in a text of \(text.length) letters",
      target: target
    ) { [editCount] in
      let (document, object) = try text.loaded()
      return try Self.edits(editCount, of: document) { edit in
        try document.spliceText(
          obj: object, start: UInt64(text.length / 2 + edit), delete: 0, value: "x")
      }
    }
  }

  private func puts(
    _ name: String, _ documents: RecordDocuments, _ target: Measurement.Target?
  ) -> Measurement {
    Measurement(
      name, "\(editCount) puts with patches in \(documents.count) records", target: target
    ) { [editCount] in
      let document = try Document(documents.saved())
      var random = SeededRandom(seed: 1)
      let places = try (0..<editCount).map { _ in
        try Self.record(random.pick(documents.records.all), of: document)
      }
      return try Self.edits(editCount, of: document) { edit in
        try document.put(obj: places[edit], key: "comment", value: .String("edit \(edit)"))
      }
    }
  }

  /// Returns the milliseconds that edits take, each with its commit and its patches.
  private static func edits(
    _ count: Int, of document: Document, _ perform: (Int) throws -> Void
  ) throws -> Double {
    var patchCount = 0
    var heads = document.heads()
    let time = try ProcessorTime.milliseconds {
      for edit in 0..<count {
        try perform(edit)
        document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
        patchCount += document.difference(since: heads).count
        heads = document.heads()
      }
    }
    guard patchCount == count else {
      throw MeasurementError.wrongResult("\(count) edits have \(patchCount) patches")
    }
    return time
  }

  private static func record(_ record: TimeRecord, of document: Document) throws -> ObjId {
    guard case .Object(let map, .Map) = try document.get(obj: .ROOT, key: record.id) else {
      throw MeasurementError.wrongResult("a record is missing")
    }
    return map
  }

  private var fork: Measurement {
    Measurement("fork", "1,000 forks of \(records.count) records, a put in each") { [records] in
      let document = try records.loaded()
      return try ProcessorTime.milliseconds {
        for edit in 0..<1_000 {
          try document.fork().put(obj: .ROOT, key: "edit", value: .Int(Int64(edit)))
        }
      }
    }
  }

  private var past: Measurement {
    Measurement("past", "\(editCount) values of \(records.count) records as they were") {
      [records, editCount] in
      let document = try Document(records.forks()[0])
      let heads = Set(document.getHistory().prefix(1))
      var random = SeededRandom(seed: 1)
      let places = try (0..<editCount).map { _ in
        try Self.record(random.pick(records.records.all), of: document)
      }
      var found = 0
      let time = try ProcessorTime.milliseconds {
        for place in places where try document.getAt(obj: place, key: "tagId", heads: heads) != nil
        {
          found += 1
        }
      }
      guard found == editCount else {
        throw MeasurementError.wrongResult("values of the past are missing")
      }
      return time
    }
  }

  private var smallDocuments: Measurement {
    Measurement("small-documents", "\(smallCount) documents of one record each loaded and kept") {
      [smallCount] in
      let bytes = try TimeRecords(count: 1).document().save()
      return try ProcessorTime.milliseconds {
        try (0..<smallCount).map { _ in try Document(bytes) }
      }
    }
  }
}

/// A text that is loaded anew for each round.
private final class EditedText {
  let length: Int
  private var saved: Data?

  init(length: Int) { self.length = length }

  func loaded() throws -> (Document, ObjId) {
    let document = try Document(file())
    guard case .Object(let text, .Text) = try document.get(obj: .ROOT, key: "text") else {
      throw MeasurementError.wrongResult("the text is missing")
    }
    document.actor = ActorId(bytes: .init(repeating: 1, count: 16))
    return (document, text)
  }

  private func file() throws -> Data {
    if let saved { return saved }
    let document = Document()
    document.actor = ActorId(bytes: .init(repeating: 0, count: 16))
    let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    var random = SeededRandom(seed: 1)
    let letters = Array("etaoin shrdlu cmfwyp".utf8)
    let written = String(
      decoding: (0..<length).map { _ in random.pick(letters) }, as: UTF8.self)
    try document.spliceText(obj: text, start: 0, delete: 0, value: written)
    document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
    let bytes = document.save()
    saved = bytes
    return bytes
  }
}
