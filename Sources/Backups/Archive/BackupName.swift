package import Folders
package import SafeFiles

/// The name of a backup: `FOLDER-20260106T120000Z-0001.tar`, or `.tar.zst`.
///
/// The counter grows by one with each backup of a folder in one place, so the order is right even
/// if the clock was moved, and two backups of one second have two names. ASCII only, no colon.
package struct BackupName: Comparable, Hashable, Sendable {
  /// The folder's name, reduced to what every file system takes.
  package let base: String
  /// When it was made, as in the name.
  package let time: String
  /// The number that orders the backups of a folder.
  package let counter: Int
  /// Whether it is compressed with zstd.
  package let isCompressed: Bool

  /// Creates the name of a backup.
  package init(base: String, time: FileTime, counter: Int, isCompressed: Bool) {
    self.base = base
    self.time = UTCText.compact(time)
    self.counter = counter
    self.isCompressed = isCompressed
  }

  /// The most digits a counter has: the numbers after the greatest of them still fit.
  private static let largestDigitCount = 18

  /// Takes a name apart, nil if it is not of this form.
  package init?(_ name: FileName) {
    var text = Substring(String(decoding: name.bytes, as: UTF8.self))
    guard let stem = Self.removing(".tar.zst", from: text) ?? Self.removing(".tar", from: text)
    else { return nil }
    isCompressed = text.hasSuffix(".zst")
    text = stem
    guard let dash = text.lastIndex(of: "-") else { return nil }
    let digits = text[text.index(after: dash)...]
    guard (4...Self.largestDigitCount).contains(digits.utf8.count),
      digits.utf8.allSatisfy(Self.isDigit), let counter = Int(digits)
    else { return nil }
    text = text[..<dash]
    guard let middle = text.lastIndex(of: "-") else { return nil }
    let time = text[text.index(after: middle)...]
    guard time.utf8.count == 16, time.hasSuffix("Z"),
      Array(time.utf8)[8] == UInt8(ascii: "T"),
      time.utf8.enumerated().allSatisfy({ $0 == 8 || $0 == 15 || Self.isDigit($1) })
    else { return nil }
    self.counter = counter
    self.time = String(time)
    base = String(text[..<middle])
  }

  /// When it was made by its name; nil if no calendar or clock has that time.
  package var moment: RFC3339? {
    let digits = Array(time)
    let date = [digits[0..<4], digits[4..<6], digits[6..<8]].map { String($0) }
    let clock = [digits[9..<11], digits[11..<13], digits[13..<15]].map { String($0) }
    return RFC3339("\(date.joined(separator: "-"))T\(clock.joined(separator: ":"))Z")
  }

  /// The name in a directory.
  package var fileName: FileName {
    let digits = String(counter)
    let padded = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    let text = "\(base)-\(time)-\(padded).tar" + (isCompressed ? ".zst" : "")
    return FileName(text) ?? "backup.tar"
  }

  /// Returns a folder's name with everything but ASCII letters, digits, `.`, `_` and `-` replaced.
  package static func base(forFolderNamed name: String) -> String {
    let kept = name.utf8.prefix(180).map { byte -> UInt8 in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        byte
      case _ where isDigit(byte): byte
      default: UInt8(ascii: "_")
      }
    }
    let visible = kept.drop { $0 == UInt8(ascii: ".") }
    return visible.isEmpty ? "folder" : String(decoding: visible, as: UTF8.self)
  }

  package static func < (left: BackupName, right: BackupName) -> Bool {
    (left.counter, left.time, left.base) < (right.counter, right.time, right.base)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func removing(_ suffix: String, from text: Substring) -> Substring? {
    text.hasSuffix(suffix) ? text.dropLast(suffix.count) : nil
  }
}

/// The file `BACKUP.keep` beside a backup that must stay: something was unlinked because the backup
/// holds it, and it may be the only place that does.
///
/// It lies with the backups, not in the folder, so that neither a restore nor a sync service can
/// part the two. Whoever removes it says that the backup may go.
package struct KeepMark: Sendable {
  private static let suffix: StaticString = ".keep"

  private let directory: Directory
  private let backup: FileName

  /// The mark of a backup, whether it is there or not.
  package init(of archive: BackupArchive) {
    directory = archive.directory
    backup = archive.name
  }

  /// Whether a name is that of a mark.
  static func isMark(_ name: FileName) -> Bool {
    guard name.hasSuffix(suffix),
      let backup = FileName(Array(name.bytes.dropLast(suffix.utf8CodeUnitCount)))
    else { return false }
    return BackupName(backup) != nil
  }

  /// Whether the backup must stay; anything of that name says so.
  package func isThere() throws(FileError) -> Bool {
    guard let name else { return false }
    return try directory.stateIfPresent(of: name) != nil
  }

  /// Sets the mark, durably.
  ///
  /// The caller holds the backup, so that nobody is about to drop it.
  package func set() throws(FileError) {
    guard let name else { throw .invalidPath(path: directory.path(of: backup)) }
    guard try !isThere() else { return }
    try directory.sweepTemporaries { $0 == name }
    let text = """
      Files were purged because \(backup) holds them. It may be the only place that does, so no \
      command drops it. Remove this file if it may go.

      """
    let privacy = Privacy(of: try directory.state(of: backup))
    try StagedFile.publish([directory.stage(Array(text.utf8), as: name, asPrivateAs: privacy)])
  }

  private var name: FileName? { FileName(backup.bytes + Array(Self.suffix.description.utf8)) }
}
