import Automerge
import FileFaults
import Foundation
import Testing

@testable import FolderDocuments
@testable import MigrationCore

/// Files whose content is whole and whose chunks begin with something else than they did.
@Suite struct DamagedFrameTests {
  private static let isSlow = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_SLOW"] != nil
  /// How many bytes are wiped; all that could be are tried in the slow suite.
  private static let lengths = isSlow ? Array(1...16) : [1, 2, 5, 9, 16]
  private static let labels = ImportLabel.allCases.map(\.text)
  private static let single = [SalvageCorpus.month, SalvageCorpus.longMonth] + apps
  private static let apps =
    SalvageCorpus.reference.filter { ["minuta-month", "scalars", "nested"].contains($0.name) }

  /// The values that readers see of what is left, proven ones and others.
  private func salvage(
    _ bytes: [UInt8], against oracle: SalvageOracle, _ comment: @autoclosure () -> String
  ) -> (verified: Int, readable: Int) {
    let salvage = SalvagedDocument(salvaging: bytes, labels: Self.labels)
    #expect(oracle.contradictions(in: salvage).isEmpty, "\(comment())")
    #expect(salvage.pieces.reduce(0) { $0 + $1.range.count } == bytes.count, "\(comment())")
    return SalvageOracle.counts(of: salvage)
  }

  private func valueCount(of original: SalvageCorpus.Case) -> Int {
    SalvageOracle.counts(of: SalvagedDocument(salvaging: original.bytes, labels: [])).verified
  }

  /// Where the body of the first chunk begins.
  private func bodyPlace(of bytes: [UInt8]) -> Int {
    var place = 9
    while bytes[place] & 0x80 != 0 { place += 1 }
    return place + 1
  }

  @Test(arguments: single)
  func `a type byte that is another costs nothing`(_ original: SalvageCorpus.Case) {
    let oracle = SalvageOracle(original.document)
    let count = valueCount(of: original)
    #expect(count > 3)
    for type in Self.isSlow ? Array(UInt8.min...UInt8.max) : [1, 2, 3, 4, 64, 128, 255] {
      var bytes = original.bytes
      bytes[8] = type
      let found = salvage(bytes, against: oracle, "type \(type)")
      #expect(found == (count, 0), "type \(type)")
    }
  }

  @Test(arguments: single)
  func `runs that are wiped at the beginning leave every value`(
    _ original: SalvageCorpus.Case
  ) {
    let oracle = SalvageOracle(original.document)
    let count = valueCount(of: original)
    let body = bodyPlace(of: original.bytes)
    for start in 0..<body {
      for length in Self.lengths {
        for filling: UInt8 in [0, 0xff] {
          var bytes = original.bytes
          for place in start..<start + length { bytes[place] = filling }
          let found = salvage(bytes, against: oracle, "\(filling) from \(start), \(length) bytes")
          #expect(
            found.verified + found.readable == count,
            "\(filling) from \(start), \(length) bytes")
          // Without the frame alone everything still proves itself.
          if start + length <= body {
            #expect(found.readable == 0, "\(filling) from \(start), \(length) bytes")
          }
        }
      }
    }
  }

  @Test(arguments: single)
  func `a beginning of zeros of up to 64 bytes leaves every value`(
    _ original: SalvageCorpus.Case
  ) {
    let oracle = SalvageOracle(original.document)
    let count = valueCount(of: original)
    for length in 1...64 where Self.isSlow || length < 20 || length.isMultiple(of: 4) {
      var bytes = original.bytes
      for place in 0..<length { bytes[place] = 0 }
      let found = salvage(bytes, against: oracle, "\(length) zeros")
      #expect(found.verified + found.readable == count, "\(length) zeros")
    }
  }

  /// A document and behind it an edit in each of three changes.
  private func edited() throws -> (bytes: [UInt8], frames: [Range<Int>], document: DocumentState) {
    var document = SalvageCorpus.month.document
    var bytes = SalvageCorpus.month.bytes
    var frames: [Range<Int>] = []
    for number in 0..<3 {
      let identity = try #require(DocumentRoot(document).entities.first).identity
      var editor = DocumentEditor(document, actor: UInt8(number + 1))
      try editor.set("comment", of: identity, to: "comment number \(number)")
      document = try editor.finish()
      let chunk = document.chunk(ofChange: document.changeCount - 1)
      frames.append(bytes.count..<bytes.count + bodyPlace(of: chunk))
      bytes += chunk
    }
    return (bytes, frames, document)
  }

  @Test func `frames that are wiped of changes behind a document leave every value`() throws {
    let (original, frames, document) = try edited()
    let oracle = SalvageOracle(document)
    let count = SalvageOracle.counts(of: SalvagedDocument(salvaging: original, labels: [])).verified
    for (index, frame) in frames.enumerated() {
      for start in frame {
        for length in Self.lengths where start + length <= frame.upperBound {
          for filling: UInt8 in [0, 0xff] {
            var bytes = original
            for place in start..<start + length { bytes[place] = filling }
            let comment = "change \(index), \(filling) from \(start), \(length) bytes"
            let found = salvage(bytes, against: oracle, comment)
            // The others build on it, and so say its hash; nobody says that of the last, unless its
            // checksum does, and the value it replaces stays beside its own.
            #expect(
              found == (count, 0) || index == 2 && found == (count, 1), "\(comment)")
          }
        }
      }
    }
  }

  @Test func `dependencies that are wiped with the frame leave the values of a change`() throws {
    let (original, frames, document) = try edited()
    let oracle = SalvageOracle(document)
    for length in 1...20 {
      var bytes = original
      for place in frames[2].lowerBound..<frames[2].upperBound + length { bytes[place] = 0 }
      let salvaged = SalvagedDocument(salvaging: bytes, labels: Self.labels)
      #expect(oracle.contradictions(in: salvaged).isEmpty)
      let identity = try #require(DocumentRoot(salvaged.state).entities.first).identity
      #expect(salvaged.state.text("comment", of: identity) == "comment number 2", "\(length) bytes")
    }
  }

  @Test func `noise has no values, whatever stands in front of it`() {
    var random = TestRandom(seed: 86_400)
    for run in 0..<(Self.isSlow ? 1_000 : 60) {
      var bytes = run.isMultiple(of: 2) ? SalvageCorpus.month.bytes : []
      let count = bytes.count
      if run.isMultiple(of: 3) { bytes += [0x85, 0x6f, 0x4a, 0x83] }
      for _ in 0..<2_000 { bytes.append(UInt8(random.number(below: 256))) }
      let salvaged = SalvagedDocument(salvaging: bytes, labels: Self.labels)
      #expect(salvaged.readableCount == 0, "run \(run)")
      #expect(salvaged.pieces.last?.range.upperBound == bytes.count)
      #expect(count == 0 || salvaged.pieces.first?.outcome == .verified)
    }
  }
}
