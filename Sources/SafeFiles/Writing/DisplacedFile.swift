/// What somebody wrote into the place of a file that was being replaced, and what nobody can put
/// back because another file has its place by now.
package struct DisplacedFile: Hashable, Sendable {
  /// The name it has in its directory.
  package let name: FileName
  /// The name it had.
  package let originalName: FileName
}
