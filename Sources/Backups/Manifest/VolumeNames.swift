import SafeFiles

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
