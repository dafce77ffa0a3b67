import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// Bytes of a row that are too many for a document, and where they are in the store.
struct StoreBlob: Sendable {
  /// Where they are.
  enum Place: Sendable {
    case file(ExternalData)
    /// At the end of a cell.
    case cell(EntityLayout, column: String, row: Int64)
  }

  /// What stands for them in a document.
  let reference: BlobReference
  let place: Place
  /// The store, by its position.
  let store: Int
}

extension StoreSource {
  /// Calls its argument with the bytes of a value, piece by piece; not at all if its file is not there.
  func forEachPiece(
    of blob: StoreBlob, _ body: ([UInt8], Range<Int>) throws(MigrationError) -> Void
  ) throws(MigrationError) {
    let store = stores[blob.store].store
    switch blob.place {
    case .cell(let entity, let column, let row):
      let cell: StoreCell?
      do throws(StoreError) {
        cell = try store.lookup(in: entity, column: column).row(row)?.cell
      } catch {
        throw MigrationError(error)
      }
      var bytes: [UInt8] = []
      if case .blob(let content)? = cell { bytes = content }
      if case .text(let content)? = cell { bytes = content }
      // The store's own mark comes first.
      let start = max(0, bytes.count - Int(clamping: blob.reference.byteCount))
      try body(bytes, start..<bytes.count)
    case .file(let data):
      let file: FileReader?
      do throws(StoreError) { file = try store.open(data) } catch { throw MigrationError(error) }
      guard let file else { return }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count: Int
        do throws(FileError) {
          count = try file.readSome(into: &buffer, at: 0..<buffer.count)
        } catch {
          throw MigrationError(error)
        }
        if count == 0 { return }
        try body(buffer, 0..<count)
      }
    }
  }

  /// The bytes of a value; nil if they cannot be read, or are too many for memory.
  func bytes(of blob: StoreBlob) -> [UInt8]? {
    guard blob.reference.byteCount <= Int64(PropertyList.maximumByteCount) else { return nil }
    var bytes: [UInt8] = []
    do throws(MigrationError) {
      try forEachPiece(of: blob) { piece, range in bytes += piece[range] }
    } catch {
      // Whoever asks tells that they are missing.
      return nil
    }
    return ContentHash(of: bytes) == blob.reference.hash ? bytes : nil
  }
}
