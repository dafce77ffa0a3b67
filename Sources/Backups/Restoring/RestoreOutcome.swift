package import SafeFiles

/// What a finished restore leaves behind.
package struct RestoreOutcome: Hashable, Sendable {
  /// Where the old content of the folder is now, relative to the folder; nil if there was none.
  package let setAside: RelativePath?
}
