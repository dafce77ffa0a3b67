import Crypto

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Directory {
  /// Reads the whole file `name` into `buffer`, replacing what it held, and returns its state.
  ///
  /// The buffer's storage is reused, so a loop over many files allocates only while files grow.
  /// Throws `tooLarge` above `limit`, and `changedWhileRead` if anything was done to the file before the
  /// last byte was read.
  @discardableResult
  package func read(_ name: FileName, into buffer: inout [UInt8], limit: Int = .max)
    throws(FileError) -> FileState
  {
    let file = try openFile(name)
    defer { close(file) }
    let before = try state(ofOpen: file, name)
    guard before.kind == .regular else {
      throw .wrongKind(path: path(of: name), expected: .regular, found: before.kind)
    }
    guard before.size <= limit else {
      throw .tooLarge(path: path(of: name), size: before.size, limit: Int64(limit))
    }
    // One byte more than expected, which proves the end.
    let size = Int(before.size)
    buffer.resize(to: size + 1)
    let count: Int
    do {
      count = try operations.readToEnd(into: &buffer, at: 0, expecting: size, from: file)
    } catch {
      throw FileError(error, .read, path(of: name))
    }
    guard count == size, try state(ofOpen: file, name).isUntouched(since: before) else {
      throw .changedWhileRead(path: path(of: name))
    }
    buffer.removeLast()
    return before
  }

  /// Reads a whole file as `read(_:into:limit:)` does, with a call less if it is small and at rest. For
  /// names of which a listing says that they are regular files: of a pipe the bytes would be gone.
  ///
  /// A read that ends short of its buffer has met the end. A state behind it that says that length, of a
  /// file whose times lie well before the first such read of the process, is that of the bytes: what had
  /// changed them in between would have left a later time. Only a clock that is set back, or that of a
  /// server far behind, can hide that, so who moves a file away looks at its bytes once more.
  ///
  /// - Parameters:
  ///   - files: what the files before were like; takes in what this one is.
  ///   - restTime: files without a later time are at rest.
  package func readListed(
    _ name: FileName, into buffer: inout [UInt8], limit: Int, like files: inout FilesAtRest,
    before restTime: Int64 = Directory.restTime
  ) throws(FileError) -> FileState {
    if files.areExpected {
      files.areExpected = false
      let size = files.size
      if let state = try readAtRest(name, into: &buffer, size: size, limit: limit, before: restTime)
      {
        files.areExpected = true
        return state
      }
    }
    let state = try read(name, into: &buffer, limit: limit)
    if state.lastTime < restTime { files.takeIn(state.size) }
    return state
  }

  /// In seconds since 1970, some before the first file was read: volumes count in up to two.
  package static let restTime = WallClock.now().seconds - 3

  /// Reads a file with one state behind its last byte; nil if that proves nothing.
  private func readAtRest(
    _ name: FileName, into buffer: inout [UInt8], size: Int, limit: Int, before restTime: Int64
  ) throws(FileError) -> FileState? {
    let file = try openFile(name)
    defer { close(file) }
    buffer.resize(to: size)
    let count: Int
    do {
      count = try operations.readSome(into: &buffer, at: 0..<size, from: file)
    } catch {
      // What is no regular file any more.
      if [EISDIR, EAGAIN, ENXIO].contains(error.number) { return nil }
      throw FileError(error, .read, path(of: name))
    }
    guard count < size, count <= limit else { return nil }
    let state = try state(ofOpen: file, name)
    guard state.kind == .regular, state.size == count, state.lastTime < restTime else { return nil }
    buffer.resize(to: count)
    return state
  }

  /// Returns the bytes of the file `name`; see `read(_:into:limit:)`.
  package func contents(of name: FileName, limit: Int = .max) throws(FileError) -> [UInt8] {
    var bytes: [UInt8] = []
    try read(name, into: &bytes, limit: limit)
    return bytes
  }

  /// Returns the bytes of the file at `path`, and its state; see `read(_:into:limit:)`.
  package func contents(of path: RelativePath, limit: Int = .max) throws(FileError) -> [UInt8] {
    guard let (parent, name) = try openParent(of: path) else {
      throw .wrongKind(path: self.path, expected: .regular, found: .directory)
    }
    return try parent.contents(of: name, limit: limit)
  }

  /// Returns the bytes of the file at `path`, nil if there is none; see `read(_:into:limit:)`.
  package func contentsIfPresent(
    of path: RelativePath, limit: Int = .max
  ) throws(FileError) -> [UInt8]? {
    do throws(FileError) {
      return try contents(of: path, limit: limit)
    } catch {
      guard case .missing = error else { throw error }
      return nil
    }
  }

  /// Returns what the file at `path` is, nil if there is none; its bytes are never in memory as a whole.
  package func versionIfPresent(of path: RelativePath) throws(FileError) -> FileVersion? {
    guard try stateIfPresent(of: path) != nil, let (parent, name) = try openParent(of: path) else {
      return nil
    }
    return try parent.version(of: name)
  }

  /// Reads the file at `path` into `buffer`, again while it changes; returns what it is.
  package func readVersion(
    of path: RelativePath, into buffer: inout [UInt8], limit: Int
  ) throws(FileError) -> FileVersion {
    guard let (parent, name) = try openParent(of: path) else {
      throw .wrongKind(path: self.path, expected: .regular, found: .directory)
    }
    let state = try SteadyRead.perform { () throws(FileError) in
      try parent.read(name, into: &buffer, limit: limit)
    }
    return FileVersion(state: state, hash: ContentHash(of: buffer))
  }

  /// Reads up to `count` bytes of the file `name` into `buffer` from `position` on, and returns how
  /// many there were: fewer mean the end of the file.
  ///
  /// The cheapest read there is: open, read, close. The caller knows the size and checks afterwards
  /// that nothing changed. The buffer must reach to `position + count`.
  package func read(
    _ name: FileName, into buffer: inout [UInt8], at position: Int, count: Int
  ) throws(FileError) -> Int {
    let file = try openFile(name)
    defer { close(file) }
    do {
      return try operations.read(into: &buffer, at: position, count: count, from: file)
    } catch {
      throw FileError(error, .read, path(of: name))
    }
  }

  /// Returns the hash of the file `name`, which is read a piece at a time.
  package func hash(of name: FileName) throws(FileError) -> ContentHash {
    try version(of: name).hash
  }

  /// Returns the file `name` as it is now; throws `changedWhileRead` as `read(_:into:limit:)` does.
  package func version(of name: FileName) throws(FileError) -> FileVersion {
    var hasher = ContentHasher()
    let (hash, state) = try hasher.hash(name, in: self)
    return FileVersion(state: state, hash: hash)
  }

  /// Opens the file `name` for reading in pieces.
  package func openForReading(_ name: FileName) throws(FileError) -> FileReader {
    try openRegular(name).file
  }

  /// Opens the file `name` for reading in pieces, and returns what it was when it was opened.
  func openRegular(_ name: FileName) throws(FileError) -> (file: FileReader, state: FileState) {
    let file = FileReader(
      descriptor: try openFile(name), path: path(of: name), operations: operations)
    let state = try file.state()
    guard state.kind == .regular else {
      throw .wrongKind(path: path(of: name), expected: .regular, found: state.kind)
    }
    return (file, state)
  }

  fileprivate func state(ofOpen file: Int32, _ name: FileName) throws(FileError) -> FileState {
    do { return try operations.state(of: file) } catch {
      throw FileError(error, .inspect, path(of: name))
    }
  }

  /// Opens a file without waiting for the other end of a named pipe.
  fileprivate func openFile(_ name: FileName) throws(FileError) -> Int32 {
    do {
      return try operations.open(name, in: descriptor, flags: O_RDONLY | O_NONBLOCK | O_NOCTTY)
    } catch {
      throw FileError(error, .open, path(of: name))
    }
  }
}

/// What is known of files that are read one after the other: whether the next one may be small and at rest.
package struct FilesAtRest: Sendable {
  /// Of a longer buffer too much would be cleared for nothing.
  private static let largestSize = 1 << 14

  fileprivate(set) var areExpected = true
  /// What a buffer holds that has room for all that were small.
  fileprivate private(set) var size = 4_096

  /// Expects that they are.
  package init() {}

  /// Takes in how long a file is that is at rest.
  fileprivate mutating func takeIn(_ length: Int64) {
    guard length < Self.largestSize else { return }
    areExpected = true
    while size <= length { size *= 2 }
  }
}

extension [UInt8] {
  /// Makes the array exactly `count` long without giving up its storage.
  mutating func resize(to count: Int) {
    if count < self.count {
      removeLast(self.count - count)
    } else {
      append(contentsOf: repeatElement(0, count: count - self.count))
    }
  }
}

/// Hashes one file after the other, with the memory of one buffer however large they are.
package struct ContentHasher {
  private static let largestBuffer = 1 << 20

  private var buffer: [UInt8] = []

  package init() {}

  /// Returns the hash of a regular file's bytes and its state; throws `changedWhileRead` if that was
  /// another one when the last byte had been read.
  package mutating func hash(
    _ name: FileName, in directory: Directory
  ) throws(FileError) -> (hash: ContentHash, state: FileState) {
    let (file, state) = try directory.openRegular(name)
    let hash = try read(state.size) { buffer, wanted throws(FileError) in
      try file.readSome(into: &buffer, at: 0..<wanted)
    }
    guard let hash, try file.state().isUntouched(since: state) else {
      throw .changedWhileRead(path: file.path)
    }
    return (hash, state)
  }

  /// Returns whether a file still is what was read of it: the same file, with the same bytes.
  ///
  /// Its state is asked for once, behind its last byte, if nothing was done to it since. Throws
  /// `changedWhileRead` if something is done to it meanwhile.
  package mutating func isStill(
    _ version: FileVersion, _ name: FileName, in directory: Directory
  ) throws(FileError) -> Bool {
    let file = try directory.openFile(name)
    defer { close(file) }
    let hash: ContentHash?
    do throws(SystemCallError) {
      hash = try read(version.state.size) { buffer, wanted throws(SystemCallError) in
        try directory.operations.readSome(into: &buffer, at: 0..<wanted, from: file)
      }
    } catch {
      if error.number == EISDIR { return false }
      throw FileError(error, .read, directory.path(of: name))
    }
    guard hash == version.hash else { return false }
    let state = try directory.state(ofOpen: file, name)
    if state.isUntouched(since: version.state) { return true }
    guard state.isUnchanged(since: version.state) else { return false }
    // It moved since, or something else was done to it: what that was only a state on either side shows.
    let again = try self.hash(name, in: directory)
    return again.hash == version.hash && again.state.isUnchanged(since: version.state)
  }

  /// Reads a file that is to have so many bytes; nil if it ends before, or goes on behind them. What is
  /// appended meanwhile is not waited for.
  private mutating func read<Failure: Error>(
    _ size: Int64, _ readSome: (inout [UInt8], _ wanted: Int) throws(Failure) -> Int
  ) throws(Failure) -> ContentHash? {
    var hash = SHA256()
    var position: Int64 = 0
    while position <= size {
      // One byte more than expected: a read that leaves it unfilled has met the end.
      let wanted = Int(min(size - position, Int64(Self.largestBuffer) - 1)) + 1
      if buffer.count < wanted { buffer.resize(to: wanted) }
      let count = try readSome(&buffer, wanted)
      hash.update(buffer, 0..<count)
      position += Int64(count)
      if count == 0 || (count < wanted && position == size) { break }
    }
    return position == size ? ContentHash(hash.finalize()) : nil
  }
}
