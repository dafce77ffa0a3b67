import CArchive
import Crypto
import Diagnostics
import SafeFiles

/// Reads a tar archive, compressed with zstd or not, entry by entry, through libarchive.
///
/// Other formats, filters and the many things libarchive can do are not switched on. Nothing is
/// ever extracted by it: it hands over names as bytes and blocks of content.
@safe final class ArchiveReader {
  /// What the archive says about one entry.
  struct Header {
    var name: [UInt8]
    var kind: Kind
    var size: Int64
    var target: [UInt8]
  }

  /// The kinds an archive may hold; a hard link is named before its file type is looked at.
  enum Kind { case file, directory, link, hardLink, other }

  private static let blockSize = 1 << 18

  private let library: ArchiveFunctions
  private let archive: OpaquePointer
  private let path: String
  /// Keeps the descriptor open as long as the archive is read.
  private let file: FileReader

  /// Begins to read at the file's current position.
  init(_ file: FileReader) throws(BackupError) {
    self.file = file
    path = file.path
    let library = try ArchiveLibrary(for: path).functions
    self.library = library
    guard let archive = library.read_new() else {
      throw .unreadableArchive(path: path, problem: "out of memory")
    }
    // SAFETY: the archive object was created here, checked, and is freed by deinit only.
    unsafe self.archive = archive
    // SAFETY: as above.
    guard unsafe library.read_support_format_tar(archive) == ARCHIVE_OK,
      unsafe library.read_support_filter_zstd(archive) == ARCHIVE_OK,
      unsafe library.read_open_fd(archive, file.descriptor, Self.blockSize) == ARCHIVE_OK
    else { throw failure() }
  }

  deinit {
    // SAFETY: nobody else has the object.
    _ = unsafe library.read_free(archive)
  }

  /// Returns the next entry, nil at the end.
  func next() throws(BackupError) -> Header? {
    var entry: OpaquePointer?
    // SAFETY: libarchive owns the entry, which stays valid until the next call on this archive.
    let status = unsafe library.read_next_header(archive, &entry)
    if status == ARCHIVE_EOF { return nil }
    // A warning means that something of the entry could not be understood.
    guard status == ARCHIVE_OK, let entry = unsafe entry else { throw failure() }
    // SAFETY: as above; strings are copied at once.
    let name = unsafe Self.bytes(library.entry_pathname(entry))
    // SAFETY: as above.
    let target = unsafe Self.bytes(library.entry_symlink(entry))
    // SAFETY: as above.
    let isHardLink = unsafe library.entry_hardlink(entry) != nil
    // SAFETY: as above.
    let (type, size) = unsafe (library.entry_filetype(entry), library.entry_size(entry))
    let kind: Kind =
      switch UInt32(type) {
      case _ where isHardLink: .hardLink
      case 0o100000: .file
      case 0o040000: .directory
      case 0o120000: .link
      default: .other
      }
    return Header(name: name, kind: kind, size: kind == .file ? Int64(size) : 0, target: target)
  }

  /// Hands over the content of the current entry block by block and returns its length.
  ///
  /// Stops with an error as soon as there is more than `limit`; throws the caller's kind of error,
  /// into which `wrap` turns what goes wrong here.
  @safe func readContent<Failure: Error>(
    limit: Int64, wrapping wrap: (BackupError) -> Failure,
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) -> Int64 {
    var length: Int64 = 0
    while true {
      var block: UnsafeRawPointer?
      var (count, offset) = (0, la_int64_t(0))
      // SAFETY: libarchive lends the block until the next call; it is used before that only.
      let status = unsafe library.read_data_block(archive, &block, &count, &offset)
      if status == ARCHIVE_EOF { return length }
      guard status == ARCHIVE_OK else { throw wrap(failure()) }
      // Sparse entries skip what is empty; ours are never sparse.
      guard Int64(offset) == length else {
        throw wrap(.unreadableArchive(path: path, problem: "an entry has holes"))
      }
      length += Int64(count)
      guard length <= limit else {
        throw wrap(.unreadableArchive(path: path, problem: "an entry is longer than it says"))
      }
      // SAFETY: as above; libarchive vouches for `count` bytes.
      try unsafe body(UnsafeRawBufferPointer(start: block, count: count))
    }
  }

  /// The error libarchive reports, and the file's own error if reading it failed.
  private func failure() -> BackupError {
    // SAFETY: the text belongs to the archive and is copied at once.
    let text = unsafe Self.bytes(library.error_string(archive))
    return .unreadableArchive(
      path: path,
      problem: text.isEmpty ? "it is no tar archive" : DisplayText.escaping(text))
  }

  private static func bytes(_ string: UnsafePointer<CChar>?) -> [UInt8] {
    // SAFETY: the caller vouches for a zero-terminated string that is alive.
    guard let string = unsafe string else { return [] }
    var bytes: [UInt8] = []
    var position = 0
    // SAFETY: as above; nothing behind the zero is read.
    while unsafe string[position] != 0 {
      // SAFETY: as above.
      unsafe bytes.append(UInt8(bitPattern: string[position]))
      position += 1
    }
    return bytes
  }
}
