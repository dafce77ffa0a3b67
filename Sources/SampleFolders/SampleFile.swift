package import SafeFiles

/// One file of a sample folder.
package struct SampleFile: Sendable {
  /// Its path, relative to the folder.
  package var path: RelativePath
  /// Its bytes.
  package var bytes: [UInt8]
  /// When it says it was written.
  package var modified: FileTime
}
