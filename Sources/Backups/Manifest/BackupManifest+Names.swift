package import SafeFiles

extension BackupManifest {
  /// Returns the number of the entry a user names: by its bytes, or as messages and lists show it.
  func position(named text: String) -> Int? {
    var bytes = Array(text.utf8)
    if bytes.starts(with: "./".utf8) { bytes.removeFirst(2) }
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    if let path = RelativePath(bytes), let position = position(of: path) { return position }
    // A name with bytes that are no text is listed escaped, and can be given no other way.
    guard bytes.contains(UInt8(ascii: "\\")) else { return nil }
    let shown = String(decoding: bytes, as: UTF8.self)
    return records.indices.first { pathText($0) == shown }
  }

  /// Returns up to three paths that start and end like one that is not there, the most alike first.
  func pathsLike(_ text: String) -> [String] {
    let wanted = Self.folded(Array(text.utf8)[...])
    guard !wanted.isEmpty else { return [] }
    var best: [(score: Int, position: Int)] = []
    for position in records.indices {
      let path = Self.folded(pool[records[position].path])
      let longest = max(path.count, wanted.count)
      let start = zip(path, wanted).prefix { $0 == $1 }.count
      let rest = min(path.count, wanted.count) - start
      let end = zip(path.reversed(), wanted.reversed()).prefix(rest).prefix { $0 == $1 }.count
      // In thousandths of the longer one, so that a short path inside a long one is not like it.
      let score = (start + end) * 1_000 / longest
      guard score >= 333, best.count < 3 || score > best[best.count - 1].score else { continue }
      let place = best.firstIndex { $0.score < score } ?? best.count
      best.insert((score, position), at: place)
      if best.count > 3 { best.removeLast() }
    }
    return best.map { pathText($0.position) }
  }

  private static func folded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    bytes.map { $0 &- UInt8(ascii: "A") < 26 ? $0 | 0x20 : $0 }
  }

  /// Returns the entries, each with an earlier one, whose paths are one path to a volume that
  /// ignores the case or the Unicode form of names.
  func collisions(on volume: VolumeNames) -> [(path: RelativePath, earlier: RelativePath)] {
    guard volume.ignoresCase || volume.ignoresForm else { return [] }
    var seen: [Int: Int] = [:]
    var found: [(path: RelativePath, earlier: RelativePath)] = []
    for position in records.indices where records[position].kind != .special {
      let name = volume.folding(pool[records[position].path])
      // Only the hash of a name is kept, so that a million of them take little.
      let hash = name.hashValue
      guard let earlier = seen[hash] else {
        seen[hash] = position
        continue
      }
      if volume.folding(pool[records[earlier].path]) == name {
        found.append((path(position), path(earlier)))
      }
    }
    return found
  }

  /// Returns the entries, each with an earlier one, that not every volume tells apart.
  package func collisions() -> [(path: RelativePath, earlier: RelativePath)] {
    collisions(on: .least)
  }

  /// Returns a manifest of only these entries; the caller includes the directories they are in.
  func keeping(_ isKept: [Bool]) -> BackupManifest {
    var kept = BackupManifest(summary.withoutCounts)
    for position in records.indices where isKept[position] {
      let record = records[position]
      kept.append(
        path: Array(pool[record.path]), target: pool[record.target], kind: record.kind,
        mode: record.mode, owner: record.owner, size: record.size, modified: record.modified,
        hash: record.hash)
    }
    return kept
  }
}

/// How a volume compares names, found out by giving some, never by the operating system's name.
struct VolumeNames {
  /// Whether `a` and `A` are one name.
  var ignoresCase: Bool
  /// Whether a letter with an accent and the same letter followed by the accent are one name.
  var ignoresForm: Bool

  /// The volume that can hold the least.
  static let least = VolumeNames(ignoresCase: true, ignoresForm: true)

  private static let probe: FileName = "probe"
  private static let composed: FileName = "caf\u{e9}"
  private static let decomposed: FileName = "cafe\u{301}"
  private static let upperCase: FileName = "CAF\u{c9}"

  init(ignoresCase: Bool, ignoresForm: Bool) {
    self.ignoresCase = ignoresCase
    self.ignoresForm = ignoresForm
  }

  /// Tries it in a directory of our own.
  init(probing directory: Directory) throws(FileError) {
    let probe = try directory.createDirectory(Self.probe, mode: 0o700)
    try probe.makeDirectory(Self.composed)
    ignoresCase = try probe.stateIfPresent(of: Self.upperCase) != nil
    ignoresForm = try probe.stateIfPresent(of: Self.decomposed) != nil
    try directory.removeOwnTree(Self.probe)
  }

  /// Returns a text that is equal for all paths that are one to the volume.
  func folding(_ path: ArraySlice<UInt8>) -> FoldedPath {
    if ignoresForm {
      let text = String(decoding: path, as: UTF8.self)
      return FoldedPath(text: ignoresCase ? text.lowercased() : text, bytes: [])
    }
    let bytes = ignoresCase ? Array(String(decoding: path, as: UTF8.self).lowercased().utf8) : []
    return FoldedPath(text: "", bytes: ignoresCase ? bytes : Array(path))
  }
}

/// A path as a volume compares it: strings are equal in any Unicode form, bytes are not.
struct FoldedPath: Hashable {
  var text: String
  var bytes: [UInt8]
}
