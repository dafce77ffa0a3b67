import Diagnostics
import SafeFiles

/// The JSON files of a folder about which nothing is known yet, and what else lies there.
///
/// Names that begin with a dot, links, and conflict copies beside what they are copies of are no data.
struct UnknownFolder {
  /// The most files that are looked at.
  static let largestFileCount = 200_000
  /// The most findings about single files; how many more there are is told in one.
  static let largestFindingCount = 1000

  /// The JSON files, ascending.
  private(set) var files: [RelativePath] = []
  /// The directories in which files of other names lie, by the names' hashes.
  private(set) var others: [UInt64: Set<RelativePath>] = [:]
  /// The empty files at the top that are called a lock, ascending.
  private(set) var locks: [FileName] = []
  /// What was not looked at.
  private(set) var findings: [Finding] = []
  private var omittedCount = 0
  private var otherCount = 0

  /// Lists a folder; only what keeps it from being listed at all throws.
  init(_ folder: Directory) throws(FileError) {
    list(try folder.entries(), of: folder, at: .folder, level: 1)
    files.sort()
    if files.count > Self.largestFileCount {
      note(
        .notLookedAt,
        "there are more than \(Self.largestFileCount.counted("JSON file")); the others, by their "
          + "paths, were not looked at", at: .folder)
      files.removeLast(files.count - Self.largestFileCount)
    }
  }

  /// All findings, with the number of those that were too many.
  var allFindings: [Finding] {
    guard omittedCount > 0 else { return findings }
    return findings + [
      Finding(
        .notLookedAt, .warning, path: "",
        message: "\(omittedCount.counted("more file was", "more files were")) not looked at")
    ]
  }

  /// Takes note of something that was not looked at.
  mutating func note(_ code: Finding.Code, _ message: String, at path: RelativePath) {
    guard findings.count < Self.largestFindingCount else { return omittedCount += 1 }
    findings.append(Finding(code, .warning, path: path.description, message: message))
  }

  private mutating func list(
    _ entries: [DirectoryEntry], of directory: Directory, at path: RelativePath, level: Int
  ) {
    let names = Set(entries.map(\.name))
    for entry in entries.sorted(by: { $0.name < $1.name }) {
      // The one behind the limit shows that there are more.
      if files.count > Self.largestFileCount { return }
      if level == 1, entry.kind == .regular, Self.isLock(entry.name, in: directory) {
        locks.append(entry.name)
        continue
      }
      if entry.name.bytes.first == UInt8(ascii: ".") { continue }
      let place = path.appending(entry.name)
      switch entry.kind {
      case .directory: enter(entry.name, in: directory, at: place, level: level)
      case .regular:
        if let base = Self.base(of: entry.name, among: names) {
          note(.conflictCopy, "looks like a copy of \(base): it was not looked at", at: place)
        } else {
          add(entry.name, at: place)
        }
      default: note(.notLookedAt, "is no file and no directory: it was not looked at", at: place)
      }
    }
  }

  /// Whether a file is called a lock, such as `.notes.lock` or `.app.writelock.nosync`, and is empty.
  private static func isLock(_ name: FileName, in directory: Directory) -> Bool {
    let dot = UInt8(ascii: ".")
    let isJSON = NameText.hasSuffix(name.bytes.span, ignoringCaseOf: FolderNames.legacyExtension)
    let isCalledSo = name.bytes.split(separator: dot).contains { word in
      let word = String(decoding: word, as: UTF8.self).lowercased()
      return word == "lock" || word == "lockfile" || word.hasSuffix("writelock")
        || word.hasSuffix("-lock") || word.hasSuffix("_lock")
    }
    // What went since the directory was listed is none.
    return isCalledSo && !isJSON && (try? directory.state(of: name).size) == 0
  }

  private mutating func enter(
    _ name: FileName, in parent: Directory, at path: RelativePath, level: Int
  ) {
    guard level < FolderInventory.deepestLevel else {
      return note(.notLookedAt, "lies too deep: it was not looked at", at: path)
    }
    do throws(FileError) {
      let directory = try parent.openDirectory(name)
      list(try directory.entries(), of: directory, at: path, level: level + 1)
    } catch {
      note(.unreadable, "\(error.diagnostic.problem): it was not looked at", at: path)
    }
  }

  private mutating func add(_ name: FileName, at path: RelativePath) {
    if NameText.hasSuffix(name.bytes.span, ignoringCaseOf: FolderNames.legacyExtension) {
      return files.append(path)
    }
    guard otherCount < Self.largestFileCount, let directory = path.parent else { return }
    otherCount += 1
    others[ValueHash.of(name.bytes.span), default: []].insert(directory)
  }

  private static func base(of name: FileName, among names: Set<FileName>) -> FileName? {
    for reading in ConflictCopyName.readings(of: name.bytes.span) {
      if let base = FileName(reading.base), names.contains(base) { return base }
    }
    return nil
  }
}

/// Reads such files one after the other.
struct UnknownFileReader {
  private let folder: Directory
  private var current: (path: RelativePath, directory: Directory)?
  /// The file that was read last.
  private(set) var tape = JSONTape()

  init(_ folder: Directory) { self.folder = folder }

  /// Reads a file; returns why it was not looked at, if it was not.
  mutating func read(_ path: RelativePath) -> String? {
    guard let parent = path.parent, let name = path.lastComponent else { return "no file" }
    do throws(FileError) {
      if current?.path != parent {
        current = (parent, parent.isFolder ? folder : try folder.openDirectory(parent))
      }
      _ = try current?.directory.read(name, into: &tape.text, limit: LegacyReader.largestFile)
    } catch {
      return error.diagnostic.problem
    }
    do throws(JSONDefect) {
      try tape.parse()
      return nil
    } catch {
      return "\(error.problem) (offset \(error.offset))"
    }
  }
}

/// What values are told apart by: 64 bits of them, so that memory is bounded.
enum ValueHash {
  /// FNV-1a of a text; all forms of a UUID have one.
  static func of(_ text: Span<UInt8>) -> UInt64 {
    if text.count >= 32, let identity = Identity(text) {
      return of(identity.canonicalBytes)
    }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for index in text.indices { hash = (hash ^ UInt64(text[index])) &* 0x100_0000_01b3 }
    return hash
  }

  private static func of(_ bytes: [UInt8]) -> UInt64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return hash
  }
}
