import Automerge
import FileFaults
import Folders
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore
@testable import Runs

/// What is left of a document when its content is replaced.
@Suite struct AnonymizeTests {
  private static let secret = Array("the same in every run".utf8)

  private func anonymous(_ bytes: [UInt8]) -> AnonymousFile {
    AnonymousFile(of: bytes, AnonymousContent(secret: Self.secret))
  }

  private static let cases =
    SalvageCorpus.reference + [SalvageCorpus.appMonth].compactMap { $0 }
    + [SalvageCorpus.month, SalvageCorpus.longMonth]

  @Test(arguments: cases)
  func `a file that loads keeps its structure`(_ original: SalvageCorpus.Case) throws {
    let file = anonymous(original.bytes)
    #expect(file.leftOut.isEmpty)
    let document = try DocumentState(loading: file.bytes)
    let before = Structure(original.document)
    let after = Structure(document)
    #expect(after.changes == before.changes)
    #expect(after.values == before.values)
    #expect(document.operationCount == original.document.operationCount)
    #expect(document.queuedCount == original.document.queuedCount)
  }

  @Test(arguments: cases)
  func `no string and no bytes of the original are in it`(_ original: SalvageCorpus.Case) throws {
    let file = anonymous(original.bytes)
    let document = try DocumentState(loading: file.bytes)
    let output = file.bytes + document.encoded(compressionLevel: nil)
    for content in Structure(original.document).contents where content.count >= 4 {
      #expect(
        output.firstRange(of: content) == nil,
        "\(String(decoding: content, as: UTF8.self))")
    }
  }

  @Test func `references between entities still hold`() throws {
    let folder = try TestFolder()
    try folder.write(Legacy.tags(Legacy.tag(7)), to: "tags.json")
    try folder.write(
      Legacy.record(
        1, "\"tagId\":\"\(Legacy.id(7).lowercased())\",\"images\":[\"\(Legacy.id(1))_0.jpg\"]"),
      to: "records/2024/01/a.json")
    try folder.importing()
    let tags = try DocumentState(
      loading: anonymous(folder.bytes("tags.automerge")).bytes)
    let month = try DocumentState(
      loading: anonymous(folder.bytes("records/2024/01.automerge")).bytes)
    let tag = try #require(DocumentRoot(tags).entities.first).identity
    let record = try #require(DocumentRoot(month).entities.first).identity
    #expect(tag.description != Legacy.id(7))
    #expect(try Identity(#require(month.text("tagId", of: record))) == tag)
    let strings = Structure(month).contents.map { String(decoding: $0, as: UTF8.self) }
    #expect(strings.contains { $0.hasPrefix("\(record)_") && $0.count == 36 + 6 })
  }

  @Test func `text looks like what it stands in for`() throws {
    func text(_ original: String) -> String {
      var writer = AnonymousText(secret: Self.secret, salt: 0)
      return String(decoding: writer.text(like: Array(original.utf8)), as: UTF8.self)
    }
    #expect(try /[A-Z][a-z]{2}, [0-9]{2}!/.wholeMatch(in: text("Abc, 42!")) != nil)
    #expect(try /#[0-9A-F]{6}/.wholeMatch(in: text("#FF8800")) != nil)
    let upper = text("0B1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A01")
    #expect(text("0b1f1c4e-6e0b-4c0c-9e43-0d8d1c5b7a01") == upper.lowercased())
    #expect(Identity(upper) != nil)
    for original in ["", "é", "日本語", "👩‍👩‍👧‍👦", "----", "naïve 東京 🙂"] {
      let other = text(original)
      #expect(other.utf8.count == original.utf8.count)
      #expect(other.unicodeScalars.count == original.unicodeScalars.count)
      #expect(other != original || original.isEmpty)
    }
  }

  @Test func `numbers stay as long and keep their sign`() {
    var numbers = DerivedNumbers(secret: Self.secret, "test", [])
    for value in [0, 1, -1, 63, 64, -64, -65, 1 << 40, -(1 << 40), .max, .min] as [Int64] {
      let bytes = NumberBytes.signed(value)
      #expect(NumberBytes.signed(bytes) == value)
      let other = NumberBytes.signedNumber(like: bytes, from: &numbers)
      #expect(other.count == bytes.count)
      #expect((NumberBytes.signed(other) < 0) == (value < 0))
    }
    for value in [1.5, 2, -0.1, 1e300, .infinity, 0, -0.0] {
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt64(8 * $0)) }
      let other = NumberBytes.double(like: bytes, from: &numbers)
      let pattern = other.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      #expect(Double(bitPattern: pattern).exponent == value.exponent)
      #expect(Double(bitPattern: pattern).sign == value.sign)
    }
  }

  @Test func `another secret gives other content`() throws {
    let bytes = SalvageCorpus.month.bytes
    let other = AnonymousFile(of: bytes, AnonymousContent(secret: [1]))
    #expect(other.bytes != anonymous(bytes).bytes)
    #expect(anonymous(bytes).bytes == anonymous(bytes).bytes)
  }

  // MARK: Damage

  @Test func `a wrong checksum stays wrong`() throws {
    var bytes = SalvageCorpus.month.bytes
    bytes[5] ^= 1
    let file = anonymous(bytes)
    #expect(file.leftOut.isEmpty)
    #expect {
      try DocumentState(loading: file.bytes)
    } throws: { error in
      if case .checksumMismatch? = (error as? FormatError)?.fact { true } else { false }
    }
  }

  @Test func `what cannot be decoded is as many zeros behind its frame`() throws {
    let original = SalvageCorpus.longMonth.bytes
    for count in [20, 100, original.count - 1] {
      let file = anonymous(Array(original[..<count]))
      #expect(file.bytes.count == count)
      #expect(file.leftOut.count == 1)
      #expect(file.bytes.prefix(4) == original.prefix(4))
      #expect(file.bytes[4..<8].allSatisfy { $0 == 0 })
      #expect(file.bytes[8] == original[8])
      #expect(file.bytes.dropFirst(11).allSatisfy { $0 == 0 })
    }
  }

  @Test func `garbage behind a document is as many zeros`() throws {
    let garbage = Array("the diary of somebody".utf8)
    let whole = anonymous(SalvageCorpus.month.bytes)
    let file = anonymous(SalvageCorpus.month.bytes + garbage)
    #expect(file.bytes == whole.bytes + [UInt8](repeating: 0, count: garbage.count))
    #expect(file.leftOut.map(\.range.count) == [garbage.count])
  }

  @Test func `whatever is damaged, nothing of the content is left`() throws {
    var random = TestRandom(seed: 99)
    let contents = Structure(SalvageCorpus.month.document).contents.filter { $0.count >= 8 }
    #expect(contents.count > 8)
    let plain = SalvageCorpus.month.document.encoded(compressionLevel: nil)
    for run in 0..<150 {
      var bytes = plain
      for _ in 0...random.number(below: 3) {
        let place = random.number(below: bytes.count)
        if random.number(below: 4) == 0 {
          bytes.removeSubrange(place..<min(bytes.count, place + 5))
        } else {
          bytes[place] ^= 1 << UInt8(random.number(below: 8))
        }
      }
      let file = anonymous(bytes)
      for content in contents {
        #expect(file.bytes.firstRange(of: content) == nil, "run \(run)")
      }
    }
  }

  @Test func `a workflow writes it and says what it left out`() throws {
    let folder = try TestFolder()
    let original = SalvageCorpus.month.bytes
    try folder.write(original + [1, 2, 3], to: "a.automerge")
    let options = RepairOptions(
      file: folder.path + "/a.automerge", output: folder.path + "/b.automerge")
    let workflow = AnonymizeWorkflow(options, context: TestFolder.context())
    #expect(try workflow.plan().isDryRun)
    #expect(!folder.exists("b.automerge"))
    let report = try workflow.perform()
    #expect(report.endsWithDifferences)
    #expect(report.leftOut.map(\.byteCount) == [3])
    #expect(report.changeCount == SalvageCorpus.month.document.changeCount)
    #expect(try folder.bytes("b.automerge").count == report.byteCount)
    #expect(try folder.bytes("a.automerge") == original + [1, 2, 3])
  }
}

/// What stays of a document, and what must not.
private struct Structure {
  /// For each change its figures.
  private(set) var changes: [[Int]] = []
  /// For each visible value, by counter and rank of its author, what it is and how long.
  private(set) var values: [String: String] = [:]
  /// Keys, strings and bytes; texts as a whole.
  private(set) var contents: [[UInt8]] = []

  init(_ document: DocumentState) {
    for row in 0..<document.changeCount {
      let change = document.change(at: row)
      changes.append([
        Int(change.sequence), Int(change.startCounter), change.operationCount,
        change.message.count, change.dependencies.count, change.time == 0 ? 0 : 1,
        document.actorIDs.firstIndex(of: change.actor) ?? -1,
      ])
    }
    let known = Set(
      KnownField.allCases.map { Array($0.memberName.description.utf8) }
        + [Array("id".utf8), Array("images".utf8)])
    var pending: [(OpID, ObjectKind)] = [(.root, .map)]
    while let (object, kind) = pending.popLast() {
      if kind == .text { contents.append(document.textBytes(of: object)) }
      func add(_ group: ValueGroup) {
        for value in document.values(in: group) {
          let rank = document.actorIDs.firstIndex(of: document.author(of: value.id)) ?? -1
          let name = "\(value.id.counter)@\(rank)"
          switch value.content {
          case .object(let kind):
            values[name] = "\(kind)"
            pending.append((value.id, kind))
          case .scalar(let place):
            values[name] = "\(place.type.code) \(place.range.count)"
            if kind != .text, place.type == .string || place.type == .bytes {
              contents.append(document.bytes(place))
            }
          }
        }
      }
      if kind == .map {
        document.forEachKey(of: object) { name, group in
          let key = Array(document.pool[name])
          if !known.contains(key) { contents.append(key) }
          add(group)
        }
      } else {
        document.forEachElement(of: object) { _, group in add(group) }
      }
    }
  }
}
