package import SafeFiles

/// One entry of a backup, as its manifest describes it.
package struct BackupEntry: Hashable, Sendable {
  /// What an entry is.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// A regular file; its bytes are in the archive. Each name of a hard-linked file is one of its own.
    case file
    /// A directory.
    case directory
    /// A symbolic link; where it points is kept as it is, and never followed.
    case link
    /// A named pipe, socket or device: listed here, not archived, not restored.
    case special
  }

  /// The place relative to the folder.
  package var path: RelativePath
  /// What it is.
  package var kind: Kind
  /// The number of bytes of a file, else 0.
  package var size: Int64
  /// The permission bits.
  package var mode: UInt16
  /// The numeric user and group.
  package var owner: FileOwner
  /// The modification time.
  package var modified: FileTime
  /// The SHA-256 of a file's bytes.
  package var hash: ContentHash?
  /// Where a link points, as bytes.
  package var target: [UInt8]?
}
