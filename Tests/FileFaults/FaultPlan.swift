package import SafeFiles
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes one system call fail, so that tests can stop a program at every point it can die at.
///
/// It stands before other operations and counts: the calls that change the file system (create,
/// write, synchronize, rename, link, remove, set attributes), or those that only look.
package final class FaultPlan: FileOperations {
  /// What happens at the chosen call.
  package enum Fault: Hashable, Sendable {
    /// The call fails with this error number, later ones work.
    case failure(Int32)
    /// The program dies here: a write is torn in the middle, and no later call does anything.
    case stop
    /// The call is interrupted by a signal once and must be tried again.
    case interruption
    /// A write takes one byte only; other calls work.
    case shortWrite
    /// Somebody else does something right before the call, which then works.
    case meddling
  }

  /// Which calls are counted.
  package enum Calls: Hashable, Sendable {
    /// Those that change something.
    case changing
    /// Those that open, inspect and read.
    case looking
    /// Those that open a directory, be it to list it or to reach what is in it.
    case openingDirectories
  }

  private struct State {
    var callCount = 0
    var hasFired = false
    var opened = ""
  }

  private let call: Int
  private let fault: Fault
  private let calls: Calls
  private let operations: any FileOperations
  private let meddle: (@Sendable () -> Void)?
  private let state = Mutex(State())

  /// Creates a plan whose fault comes at the given call, counted from 1.
  package init(
    atCall call: Int, _ fault: Fault, calls: Calls = .changing,
    on operations: any FileOperations = SystemFileOperations()
  ) {
    self.call = call
    self.fault = fault
    self.calls = calls
    self.operations = operations
    meddle = nil
  }

  /// Creates a plan by which somebody else does something right before the given call.
  package init(
    beforeCall call: Int, calls: Calls = .changing,
    on operations: any FileOperations = SystemFileOperations(),
    _ meddle: @escaping @Sendable () -> Void
  ) {
    self.call = call
    fault = .meddling
    self.calls = calls
    self.operations = operations
    self.meddle = meddle
  }

  /// How many calls were counted.
  package var callCount: Int { state.withLock { $0.callCount } }

  /// Whether the chosen call was reached.
  package var hasFired: Bool { state.withLock { $0.hasFired } }

  /// The name of what the last opening call that was counted was to open.
  package var opened: String { state.withLock { $0.opened } }

  /// What calls after a simulated death report; nothing else reports it.
  package static let deadNumber: Int32 = 9999

  /// Counts a call of a kind and returns what shall happen to it, nil for nothing special.
  private func fault(at kind: Calls) -> Fault? {
    state.withLock { state in
      if state.hasFired, fault == .stop { return .failure(Self.deadNumber) }
      guard kind == calls else { return nil }
      state.callCount += 1
      guard state.callCount == call else { return nil }
      state.hasFired = true
      return fault
    }
  }

  private func pass(_ kind: Calls) throws(SystemCallError) {
    switch fault(at: kind) {
    case .failure(let number): throw SystemCallError(number: number)
    case .stop: throw SystemCallError(number: Self.deadNumber)
    case .interruption: throw SystemCallError(number: EINTR)
    case .meddling: meddle?()
    case .shortWrite, nil: break
    }
  }

  /// Counts a call that opens something.
  private func passOpening(_ name: some CustomStringConvertible, _ flags: Int32)
    throws(SystemCallError)
  {
    let isCounted = calls == .openingDirectories && flags & O_DIRECTORY != 0
    if isCounted {
      state.withLock { if !$0.hasFired { $0.opened = name.description } }
    }
    try pass(isCounted ? .openingDirectories : .looking)
  }

  // MARK: Calls that change something

  package func create(_ name: FileName, in directory: Int32, flags: Int32, mode: UInt16)
    throws(SystemCallError) -> Int32
  {
    try pass(.changing)
    return try operations.create(name, in: directory, flags: flags, mode: mode)
  }

  package func makeDirectory(_ name: FileName, in directory: Int32, mode: UInt16)
    throws(SystemCallError)
  {
    try pass(.changing)
    try operations.makeDirectory(name, in: directory, mode: mode)
  }

  package func makeSymbolicLink(_ name: FileName, in directory: Int32, target: [UInt8])
    throws(SystemCallError)
  {
    try pass(.changing)
    try operations.makeSymbolicLink(name, in: directory, target: target)
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64?
  ) throws(SystemCallError) -> Int {
    // SAFETY: the parts keep within the caller's buffer and are used before the call returns.
    func writeFirst(_ count: Int) throws(SystemCallError) -> Int {
      unsafe try operations.write(
        UnsafeRawBufferPointer(rebasing: bytes[..<count]), to: descriptor, at: offset)
    }
    switch fault(at: .changing) {
    case .failure(let number): throw SystemCallError(number: number)
    case .stop:
      _ = try writeFirst(bytes.count / 2)
      throw SystemCallError(number: Self.deadNumber)
    case .shortWrite: return try writeFirst(min(1, bytes.count))
    case .meddling:
      meddle?()
      return try writeFirst(bytes.count)
    case .interruption: throw SystemCallError(number: EINTR)
    case nil: return try writeFirst(bytes.count)
    }
  }

  package func synchronize(_ descriptor: Int32) throws(SystemCallError) {
    try pass(.changing)
    try operations.synchronize(descriptor)
  }

  package func synchronizeFileSystem(_ descriptor: Int32) throws(SystemCallError) {
    try pass(.changing)
    try operations.synchronizeFileSystem(descriptor)
  }

  package func rename(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    try pass(.changing)
    try operations.rename(from, in: source, to: name, in: target)
  }

  package func renameExclusively(
    _ from: FileName, in source: Int32, to name: FileName, in target: Int32
  ) throws(SystemCallError) {
    try pass(.changing)
    try operations.renameExclusively(from, in: source, to: name, in: target)
  }

  package func exchange(
    _ one: FileName, in directory: Int32, with other: FileName, in otherDirectory: Int32
  ) throws(SystemCallError) {
    try pass(.changing)
    try operations.exchange(one, in: directory, with: other, in: otherDirectory)
  }

  package func link(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    try pass(.changing)
    try operations.link(from, in: source, to: name, in: target)
  }

  package func unlink(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError) {
    try pass(.changing)
    try operations.unlink(name, in: directory, flags: flags)
  }

  package func setMode(_ mode: UInt16, of descriptor: Int32) throws(SystemCallError) {
    try pass(.changing)
    try operations.setMode(mode, of: descriptor)
  }

  package func setOwner(_ owner: FileOwner, of descriptor: Int32) throws(SystemCallError) {
    try pass(.changing)
    try operations.setOwner(owner, of: descriptor)
  }

  package func setOwner(_ owner: FileOwner, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    try pass(.changing)
    try operations.setOwner(owner, ofLink: name, in: directory)
  }

  package func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemCallError) {
    try pass(.changing)
    try operations.setModified(time, of: descriptor)
  }

  package func setModified(_ time: FileTime, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    try pass(.changing)
    try operations.setModified(time, ofLink: name, in: directory)
  }

  // MARK: Calls that only look

  package func open(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError)
    -> Int32
  {
    try passOpening(name, flags)
    return try operations.open(name, in: directory, flags: flags)
  }

  package func openPath(_ path: [UInt8], flags: Int32) throws(SystemCallError) -> Int32 {
    try passOpening(String(decoding: path, as: UTF8.self), flags)
    return try operations.openPath(path, flags: flags)
  }

  package func state(of name: FileName, in directory: Int32) throws(SystemCallError) -> FileState {
    try pass(.looking)
    return try operations.state(of: name, in: directory)
  }

  package func state(of descriptor: Int32) throws(SystemCallError) -> FileState {
    try pass(.looking)
    return try operations.state(of: descriptor)
  }

  package func read(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32)
    throws(SystemCallError) -> Int
  {
    try pass(.looking)
    // SAFETY: the caller's buffer is handed on for the length of this call.
    return unsafe try operations.read(buffer, from: descriptor)
  }
}
