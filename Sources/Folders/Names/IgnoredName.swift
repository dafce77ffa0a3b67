/// Names of files that sync programs keep for themselves: never data, never a conflict copy.
enum IgnoredName {
  /// Returns whether a name is a temporary or an old version of a sync program.
  ///
  /// Those of Unison (`.unison.NAME.unison.tmp`), ownCloud (`.NAME.~1f2e3d4c`) and Syncthing's
  /// directories begin with a dot and are never looked at anyway.
  static func matches(_ name: Span<UInt8>) -> Bool {
    if name.count == 0 || name[0] == UInt8(ascii: ".") { return true }
    if name[0] == UInt8(ascii: "~"), NameText.hasSuffix(name, ignoringCaseOf: ".tmp") {
      return true
    }
    return isVersion(name)
  }

  /// `NAME~YYYYMMDD-HHMMSS.EXTENSION`, as Syncthing names old versions.
  private static func isVersion(_ name: Span<UInt8>) -> Bool {
    var tail = NameTail(NameTail(Array(name)).stem)
    return tail.takeDigits(6...6) && tail.take("-") && tail.takeDigits(8...8) && tail.take("~")
  }
}
