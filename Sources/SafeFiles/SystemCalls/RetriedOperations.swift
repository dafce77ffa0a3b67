#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes each call until no signal interrupts it.
struct RetriedOperations: FileOperations {
  private let operations: any FileOperations

  init(_ operations: any FileOperations) { self.operations = operations }

  private func retry<Result>(
    _ call: () throws(SystemCallError) -> Result
  ) throws(SystemCallError) -> Result {
    while true {
      do throws(SystemCallError) {
        return try call()
      } catch {
        if error.number != EINTR { throw error }
      }
    }
  }

  // MARK: Calls that change something

  package func create(_ name: FileName, in directory: Int32, flags: Int32, mode: UInt16)
    throws(SystemCallError) -> Int32
  {
    try retry { () throws(SystemCallError) in
      try operations.create(name, in: directory, flags: flags, mode: mode)
    }
  }

  package func makeDirectory(_ name: FileName, in directory: Int32, mode: UInt16)
    throws(SystemCallError)
  {
    try retry { () throws(SystemCallError) in
      try operations.makeDirectory(name, in: directory, mode: mode)
    }
  }

  package func makeSymbolicLink(_ name: FileName, in directory: Int32, target: [UInt8])
    throws(SystemCallError)
  {
    try retry { () throws(SystemCallError) in
      try operations.makeSymbolicLink(name, in: directory, target: target)
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64?)
    throws(SystemCallError) -> Int
  {
    try retry { () throws(SystemCallError) in
      // SAFETY: the caller's buffer is handed on for the length of the call.
      unsafe try operations.write(bytes, to: descriptor, at: offset)
    }
  }

  package func synchronize(_ descriptor: Int32) throws(SystemCallError) {
    try retry { () throws(SystemCallError) in
      try operations.synchronize(descriptor)
    }
  }

  package func synchronizeFileSystem(_ descriptor: Int32) throws(SystemCallError) {
    try retry { () throws(SystemCallError) in
      try operations.synchronizeFileSystem(descriptor)
    }
  }

  package func rename(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    try retry { () throws(SystemCallError) in
      try operations.rename(from, in: source, to: name, in: target)
    }
  }

  package func renameExclusively(
    _ from: FileName, in source: Int32, to name: FileName, in target: Int32
  ) throws(SystemCallError) {
    try retry { () throws(SystemCallError) in
      try operations.renameExclusively(from, in: source, to: name, in: target)
    }
  }

  package func exchange(
    _ one: FileName, in directory: Int32, with other: FileName, in otherDirectory: Int32
  ) throws(SystemCallError) {
    try retry { () throws(SystemCallError) in
      try operations.exchange(one, in: directory, with: other, in: otherDirectory)
    }
  }

  package func link(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    try retry { () throws(SystemCallError) in
      try operations.link(from, in: source, to: name, in: target)
    }
  }

  package func unlink(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError) {
    try retry { () throws(SystemCallError) in
      try operations.unlink(name, in: directory, flags: flags)
    }
  }

  package func setMode(_ mode: UInt16, of descriptor: Int32) throws(SystemCallError) {
    try retry { () throws(SystemCallError) in
      try operations.setMode(mode, of: descriptor)
    }
  }

  package func setOwner(_ owner: FileOwner, of descriptor: Int32) throws(SystemCallError) {
    try retry { () throws(SystemCallError) in
      try operations.setOwner(owner, of: descriptor)
    }
  }

  package func setOwner(_ owner: FileOwner, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    try retry { () throws(SystemCallError) in
      try operations.setOwner(owner, ofLink: name, in: directory)
    }
  }

  package func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemCallError) {
    try retry { () throws(SystemCallError) in
      try operations.setModified(time, of: descriptor)
    }
  }

  package func setModified(_ time: FileTime, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    try retry { () throws(SystemCallError) in
      try operations.setModified(time, ofLink: name, in: directory)
    }
  }

  // MARK: Calls that only look

  package func open(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError)
    -> Int32
  {
    try retry { () throws(SystemCallError) in
      try operations.open(name, in: directory, flags: flags)
    }
  }

  package func openPath(_ path: [UInt8], flags: Int32) throws(SystemCallError) -> Int32 {
    try retry { () throws(SystemCallError) in
      try operations.openPath(path, flags: flags)
    }
  }

  package func state(of name: FileName, in directory: Int32) throws(SystemCallError) -> FileState {
    try retry { () throws(SystemCallError) in
      try operations.state(of: name, in: directory)
    }
  }

  package func state(of descriptor: Int32) throws(SystemCallError) -> FileState {
    try retry { () throws(SystemCallError) in
      try operations.state(of: descriptor)
    }
  }

  package func read(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32)
    throws(SystemCallError) -> Int
  {
    try retry { () throws(SystemCallError) in
      // SAFETY: the caller's buffer is handed on for the length of the call.
      unsafe try operations.read(buffer, from: descriptor)
    }
  }
}
