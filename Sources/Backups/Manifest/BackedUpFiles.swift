package import SafeFiles

/// The files of a backup by their paths, for who asks of many whether the backup holds them: 48 bytes each.
///
/// A path is a number that only this process knows how to make. Where two of a backup had the same, one in
/// some billions, the bytes of one could be taken for those of the other; they are in the backup even so.
package struct BackedUpFiles: Sendable {
  private struct File {
    var key: UInt64
    var size: Int64
    var hash: ContentHash
  }

  /// Ascending by their keys.
  private var files: [File] = []

  /// Takes the files of a manifest, which gives up what is not needed any more step by step: both at
  /// once would be more than anything else that a clean-up needs.
  package init(_ manifest: consuming BackupManifest) {
    var keys: [UInt64] = []
    keys.reserveCapacity(manifest.summary.fileCount)
    for record in manifest.records where record.kind == .file {
      keys.append(Self.key(of: manifest.pool[record.path]))
    }
    manifest.pool = []
    files.reserveCapacity(keys.count)
    for record in manifest.records where record.kind == .file {
      files.append(File(key: keys[files.count], size: record.size, hash: record.hash))
    }
    (keys, manifest.records) = ([], [])
    files.sort { $0.key < $1.key }
  }

  /// Returns the size and the hash of the file at a path; nil if there is none.
  package subscript(path: RelativePath) -> (size: Int64, hash: ContentHash)? {
    let key = Self.key(of: path.bytes[...])
    var (low, high) = (0, files.count)
    while low < high {
      let middle = (low + high) / 2
      if files[middle].key < key { low = middle + 1 } else { high = middle }
    }
    guard low < files.count, files[low].key == key else { return nil }
    return (files[low].size, files[low].hash)
  }

  private static func key(of path: ArraySlice<UInt8>) -> UInt64 {
    var hasher = Hasher()
    // SAFETY: the hasher has read the bytes when this returns.
    unsafe path.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
