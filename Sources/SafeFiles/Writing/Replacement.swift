/// What may be at the place where a file is published.
package enum Replacement: Hashable, Sendable {
  /// Another file, which is replaced, or nothing.
  case anything
  /// Nothing: an existing file is never replaced.
  case nothing
  /// The file that was read before, unchanged; anything else is left alone.
  case unchanged(FileVersion)
}
