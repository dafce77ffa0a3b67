import CArchive
import Diagnostics
import SafeFiles

/// Compresses bytes with zstd, through libarchive, into a file that is being staged.
@safe final class CompressedWriter {
  /// The level zstd itself takes by default: fast, and close to the best for text.
  private static let level = "3"

  /// What the callback of libarchive needs.
  private final class Target {
    let file: FileWriter
    var failure: FileError?

    init(_ file: FileWriter) { self.file = file }
  }

  private let library: ArchiveFunctions
  private let archive: OpaquePointer
  private let entry: OpaquePointer
  private let target: Target

  init(_ file: FileWriter) throws(BackupError) {
    target = Target(file)
    let library = try ArchiveLibrary(for: file.path).functions
    self.library = library
    guard let archive = library.write_new(), let entry = library.entry_new() else {
      throw .unreadableArchive(path: file.path, problem: "out of memory")
    }
    // SAFETY: both objects were created here, checked, and are freed by deinit only.
    unsafe (self.archive, self.entry) = (archive, entry)
    // SAFETY: the target outlives the archive, which deinit frees first; the callback writes the
    // bytes it is lent before it returns.
    let status = unsafe [
      library.write_set_format_raw(archive),
      library.write_add_filter_zstd(archive),
      library.write_set_filter_option(archive, "zstd", "compression-level", Self.level),
      library.write_set_bytes_per_block(archive, 1 << 18),
      library.write_set_bytes_in_last_block(archive, 1),
      library.write_open(
        archive, Unmanaged.passUnretained(target).toOpaque(), nil,
        { _, target, bytes, count in
          guard let target = unsafe target else { return -1 }
          let receiver = unsafe Unmanaged<Target>.fromOpaque(target).takeUnretainedValue()
          do throws(FileError) {
            unsafe try receiver.file.write(UnsafeRawBufferPointer(start: bytes, count: count))
            return count
          } catch {
            receiver.failure = error
            return -1
          }
        }, nil),
    ]
    guard status.allSatisfy({ $0 == ARCHIVE_OK }) else { throw failure() }
    // SAFETY: the entry is alive; the raw format takes one entry that is a file.
    unsafe library.entry_set_filetype(entry, 0o100000)
    // SAFETY: as above.
    guard unsafe library.write_header(archive, entry) == ARCHIVE_OK else { throw failure() }
  }

  deinit {
    // SAFETY: nobody else has the objects.
    _ = unsafe library.write_free(archive)
    // SAFETY: as above.
    unsafe library.entry_free(entry)
  }

  /// Compresses the next bytes.
  func write(_ bytes: [UInt8], _ range: Range<Int>) throws(BackupError) {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count)
    guard !range.isEmpty else { return }
    // SAFETY: the range was checked; libarchive copies what it keeps.
    let written = unsafe bytes.withUnsafeBytes { bytes in
      unsafe library.write_data(
        archive, UnsafeRawBufferPointer(rebasing: bytes[range]).baseAddress, range.count)
    }
    guard written == range.count else { throw failure() }
  }

  /// Writes what is still held back; the file can be finished after that.
  func close() throws(BackupError) {
    // SAFETY: the archive is open.
    guard unsafe library.write_close(archive) == ARCHIVE_OK else { throw failure() }
  }

  private func failure() -> BackupError {
    if let failure = target.failure { return .file(failure) }
    // SAFETY: the text belongs to the archive and is copied at once.
    let text = unsafe library.error_string(archive).map { unsafe String(cString: $0) }
    return .unreadableArchive(path: target.file.path, problem: text ?? "cannot be compressed")
  }
}
