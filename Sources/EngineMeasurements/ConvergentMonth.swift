import Automerge

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Documents as an import makes them: for each record two changes by two actors of their own
/// (convergent-import.md), and one change that ties all of them together.
enum ConvergentMonth {
  private static let map = ChangeDraft.LocalID(counter: 1, actor: 1)

  /// Returns a document of records as a file.
  static func document(of records: some Sequence<TimeRecord>) throws -> Data {
    var batch = ChangeBatch()
    var skeleton = ChangeDraft()
    var content = ChangeDraft()
    for record in records {
      build(&skeleton, of: record)
      batch.append(skeleton)
      build(&content, of: record, onto: skeleton)
      batch.append(content)
    }
    var document = DocumentState()
    try document.apply(batch)

    content.begin(
      sequence: 1, startCounter: document.maxCounter + 1, dependencies: document.heads)
    content.finish(deriving: "automerge-migrate/1/join")
    var join = ChangeBatch()
    join.append(content)
    try document.apply(join)
    return Data(document.encoded())
  }

  private static func build(_ skeleton: inout ChangeDraft, of record: TimeRecord) {
    let key = Array(record.id.utf8)
    let images = Array("images".utf8)
    skeleton.begin(sequence: 1, startCounter: 1, dependencies: [])
    let map = skeleton.makeObject(.map, in: .root, key: key.span)
    skeleton.makeObject(.list, in: map, key: images.span)
    skeleton.finish(deriving: "automerge-migrate/1/skeleton")
  }

  private static func build(
    _ content: inout ChangeDraft, of record: TimeRecord, onto skeleton: ChangeDraft
  ) {
    content.begin(
      sequence: 1, startCounter: 1021, dependencies: [skeleton.hash],
      otherActors: [skeleton.author])
    set(.timestamp(milliseconds(record.start)), "startTime", &content)
    set(.timestamp(milliseconds(record.end)), "endTime", &content)
    set(record.tag, "tagId", &content)
    if let comment = record.comment {
      set(comment, "comment", &content)
    } else {
      set(.null, "comment", &content)
    }
    content.finish(deriving: "automerge-migrate/1/content")
  }

  private static func set(_ value: DraftValue, _ name: String, _ content: inout ChangeDraft) {
    let key = Array(name.utf8)
    content.set(value, in: map, key: key.span)
  }

  private static func set(_ text: String, _ name: String, _ content: inout ChangeDraft) {
    let key = Array(name.utf8)
    let bytes = Array(text.utf8)
    content.set(.string, bytes.span, in: map, key: key.span)
  }

  private static func milliseconds(_ date: Date) -> Int64 {
    Int64(date.timeIntervalSince1970 * 1000)
  }
}
