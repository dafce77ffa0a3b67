/// The system calls this module makes, one method each. Any of them may fail with EINTR.
///
/// A `Directory` carries one, tries its calls again after signals (`RetriedOperations`), and hands it
/// on to everything opened through it. Programs run on `SystemFileOperations`; tests put a
/// `FaultPlan` or an `OperationRecorder` before it.
package protocol FileOperations: Sendable {
  // MARK: Calls that change something

  /// Creates a file if it is missing and opens it, not through a link.
  func create(_ name: FileName, in directory: Int32, flags: Int32, mode: UInt16)
    throws(SystemCallError) -> Int32
  /// Creates a directory.
  func makeDirectory(_ name: FileName, in directory: Int32, mode: UInt16) throws(SystemCallError)
  /// Creates a symbolic link.
  func makeSymbolicLink(_ name: FileName, in directory: Int32, target: [UInt8])
    throws(SystemCallError)
  /// Writes what one call takes, at `offset` or at the end of what was written so far.
  func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64?)
    throws(SystemCallError) -> Int
  /// Makes the bytes of a file, or the names in a directory, last.
  func synchronize(_ descriptor: Int32) throws(SystemCallError)
  /// Makes everything on the file system of an open file last.
  func synchronizeFileSystem(_ descriptor: Int32) throws(SystemCallError)
  /// Renames; what had the new name is gone.
  func rename(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  /// Renames without ever replacing anything; not every file system can.
  func renameExclusively(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  /// Lets two entries change names in one step; not every file system can.
  func exchange(_ one: FileName, in directory: Int32, with other: FileName)
    throws(SystemCallError)
  /// Gives a file a second name, without ever replacing anything.
  func link(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  /// Removes a name of a file or, with `AT_REMOVEDIR`, an empty directory.
  func unlink(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError)
  /// Sets the permissions of an open file.
  func setMode(_ mode: UInt16, of descriptor: Int32) throws(SystemCallError)
  /// Sets the owner of an open file.
  func setOwner(_ owner: FileOwner, of descriptor: Int32) throws(SystemCallError)
  /// Sets the owner of an entry that may be a link.
  func setOwner(_ owner: FileOwner, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  /// Sets when an open file was last changed.
  func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemCallError)
  /// Sets when an entry that may be a link was last changed.
  func setModified(_ time: FileTime, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)

  // MARK: Calls that only look

  /// Opens an entry, not through a link.
  func open(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError) -> Int32
  /// Opens a path of the user's, following links.
  func openPath(_ path: [UInt8], flags: Int32) throws(SystemCallError) -> Int32
  /// Returns the state of an entry; a link's own, not its target's.
  func state(of name: FileName, in directory: Int32) throws(SystemCallError) -> FileState
  /// Returns the state of an open file.
  func state(of descriptor: Int32) throws(SystemCallError) -> FileState
  /// Reads what one call gives; no bytes mean the end of the file.
  func read(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32)
    throws(SystemCallError) -> Int
}
