import Synchronization

/// Files that were read whole and are read once more soon: what was in them, and their states then.
///
/// They are in a spool, so a second reading costs one call of the system and not five. Whatever keeps a
/// file from being kept only makes somebody read it from its directory again.
package final class KeptFiles: Sendable {
  private let spool: ByteSpool
  /// Where each file is in the spool, by its number; nothing of those that are not kept.
  private let places: [Place]

  fileprivate struct Place {
    var start: UInt64 = 0
    var byteCount: UInt32 = 0
  }

  fileprivate init(_ spool: ByteSpool, _ places: [Place]) {
    self.spool = spool
    self.places = places
  }

  /// Puts the content of a file into a buffer, in the place of what is there, and returns its state;
  /// nil if it is not kept or cannot be read again.
  package func read(_ file: Int, into buffer: inout [UInt8]) -> FileState? {
    guard file < places.count, places[file].byteCount > 0 else { return nil }
    let (start, count) = (Int(places[file].start), Int(places[file].byteCount))
    guard
      // It is read from where it was, then.
      (try? spool.read(start..<start + count, into: &buffer)) != nil,
      let state = FileState(takenFrom: &buffer)
    else { return nil }
    return state
  }
}

extension KeptFiles {
  /// Takes files from any number of threads.
  package final class Collector: Sendable {
    /// So much is kept at most; what is read then is read twice.
    private static let largestByteCount = 1 << 30
    /// So much of it is in memory.
    private static let heldByteCount = 1 << 18

    private let state: Mutex<(spool: ByteSpool, byteCount: Int, isFull: Bool)>

    /// Creates a collector of nothing.
    ///
    /// - Parameter directory: where the spool's file is made if there are many bytes.
    package init(in directory: String, operations: any FileOperations) {
      let spool = ByteSpool(in: directory, operations: operations, holding: Self.heldByteCount)
      state = Mutex((spool, 0, false))
    }

    /// Keeps files, one behind the other; nil if nothing more is kept.
    fileprivate func append(_ bytes: [UInt8]) -> Int? {
      state.withLock { state in
        state.byteCount += bytes.count
        guard !state.isFull, state.byteCount <= Self.largestByteCount else { return nil }
        do throws(FileError) {
          return try state.spool.append(bytes[...]).lowerBound
        } catch {
          // A full disk, for one; what was appended before is there.
          state.isFull = true
          return nil
        }
      }
    }

    /// Returns what was kept, by the parts that were handed over.
    package func files(_ parts: some Sequence<Part>) -> KeptFiles {
      var places: [Place] = []
      for part in parts {
        guard let start = part.start else { continue }
        for piece in part.pieces {
          if piece.file >= places.count {
            places += repeatElement(Place(), count: Int(piece.file) + 1 - places.count)
          }
          places[Int(piece.file)] = Place(
            start: UInt64(start + Int(piece.start)), byteCount: piece.byteCount)
        }
      }
      return KeptFiles(state.withLock { $0.spool }, places)
    }
  }

  /// Some files, on their way into the spool.
  package struct Part: Sendable {
    fileprivate struct Piece: Sendable {
      var file: UInt32
      var start: UInt32
      var byteCount: UInt32
    }

    private static let largestFile = 1 << 20
    private static let largestByteCount = 64 << 20

    private var bytes: [UInt8] = []
    fileprivate var pieces: [Piece] = []
    fileprivate var start: Int?

    /// Creates an empty part.
    package init() {}

    /// Adds a file, unless it is large.
    package mutating func add(_ file: Int, _ content: some Collection<UInt8>, _ state: FileState) {
      guard content.count <= Self.largestFile, bytes.count <= Self.largestByteCount else { return }
      let start = bytes.count
      bytes.append(contentsOf: content)
      state.append(to: &bytes)
      pieces.append(
        Piece(
          file: UInt32(truncatingIfNeeded: file), start: UInt32(truncatingIfNeeded: start),
          byteCount: UInt32(truncatingIfNeeded: bytes.count - start)))
    }

    /// Hands all of them over; what they were is in the spool then, or nowhere.
    package mutating func handOver(to collector: Collector) {
      start = collector.append(bytes)
      bytes = []
    }
  }
}

extension FileState {
  private static let byteCount = MemoryLayout<FileState>.size

  /// Appends the state as it is in memory, for this process.
  fileprivate func append(to bytes: inout [UInt8]) {
    // SAFETY: a state is numbers only, and nothing reads its padding as something else.
    unsafe withUnsafeBytes(of: self) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Takes a state that was appended off the end of some bytes; nil if there are too few.
  fileprivate init?(takenFrom bytes: inout [UInt8]) {
    guard bytes.count >= Self.byteCount else { return nil }
    // SAFETY: the bytes were appended by the method above, in this process, and the load needs no
    // alignment.
    self = unsafe bytes.withUnsafeBytes { buffer in
      unsafe buffer.loadUnaligned(
        fromByteOffset: buffer.count - Self.byteCount, as: FileState.self)
    }
    bytes.removeLast(Self.byteCount)
  }
}
