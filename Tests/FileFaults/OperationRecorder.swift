package import SafeFiles
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Records what a run does to a tree, so that a `PowerCut` can be made after each step of it.
///
/// It stands before the real operations, which it carries out one at a time.
package final class OperationRecorder: FileOperations {
  fileprivate struct Identity: Hashable {
    var device: UInt64
    var inode: UInt64

    init(_ state: FileState) { (device, inode) = (state.device, state.inode) }
  }

  fileprivate struct OpenFile {
    var node: Int
    var offset: Int
    var appends: Bool
  }

  fileprivate struct State {
    var recording = Recording()
    /// The tree as the running program sees it.
    var entries: [Int: [FileName: Int]] = [:]
    var sizes: [Int: Int] = [:]
    var nodeCount = 0
    var known: [Identity: Int] = [:]
    var open: [Int32: OpenFile] = [:]
  }

  private let system = SystemFileOperations()
  private let state = Mutex(State())

  /// Takes the tree below `root` as what there is, and as durable.
  package init(root: Directory) throws(FileError) {
    var state = State()
    _ = try Self.take(root, into: &state)
    state.nodeCount = state.recording.nodes.count
    self.state.withLock { $0 = state }
  }

  /// What was done so far.
  package var recording: Recording { state.withLock { $0.recording } }

  private static func take(_ directory: Directory, into state: inout State) throws(FileError) -> Int
  {
    let node = add(try directory.state(), content: [], to: &state)
    for entry in try directory.entries() {
      let child: Int
      switch entry.kind {
      case .directory:
        child = try take(directory.openDirectory(entry.name), into: &state)
      case .symbolicLink:
        child = add(
          try directory.state(of: entry.name), content: try directory.target(ofLink: entry.name),
          to: &state)
      default:
        child = add(
          try directory.state(of: entry.name), content: try directory.contents(of: entry.name),
          to: &state)
      }
      state.recording.nodes[node].entries[entry.name] = child
    }
    state.entries[node] = state.recording.nodes[node].entries
    return node
  }

  private static func add(_ found: FileState, content: [UInt8], to state: inout State) -> Int {
    if let known = state.known[Identity(found)] { return known }
    let node = state.recording.nodes.count
    state.recording.nodes.append(
      Recording.Node(
        kind: found.kind, content: content, mode: found.mode, modified: found.modified))
    state.known[Identity(found)] = node
    state.sizes[node] = content.count
    return node
  }

  /// Carries out a call and notes what it did, both before another thread may do anything.
  private func record<Result>(
    _ call: () throws(SystemCallError) -> Result, _ note: (inout State, Result) -> Void
  ) throws(SystemCallError) -> Result {
    var failure: SystemCallError?
    let result = state.withLock { state -> Result? in
      do throws(SystemCallError) {
        let result = try call()
        note(&state, result)
        return result
      } catch {
        failure = error
        return nil
      }
    }
    guard let result else { throw failure ?? SystemCallError(number: 0) }
    return result
  }

  // MARK: Calls that change something

  package func create(_ name: FileName, in directory: Int32, flags: Int32, mode: UInt16)
    throws(SystemCallError) -> Int32
  {
    try record { () throws(SystemCallError) in
      let file = try system.create(name, in: directory, flags: flags, mode: mode)
      return (file, try system.state(of: file))
    } _: { state, result in
      state.open[result.0] = nil
      guard let place = state.place(name, in: directory) else { return }
      let node: Int
      if let known = state.entries[place.directory]?[name] {
        node = known
      } else {
        node = state.make(place, result.1, content: [])
      }
      state.open[result.0] = OpenFile(node: node, offset: 0, appends: flags.appends)
    }.0
  }

  package func makeDirectory(_ name: FileName, in directory: Int32, mode: UInt16)
    throws(SystemCallError)
  {
    _ = try record { () throws(SystemCallError) in
      try system.makeDirectory(name, in: directory, mode: mode)
      return try system.state(of: name, in: directory)
    } _: { state, made in
      guard let place = state.place(name, in: directory) else { return }
      state.entries[state.make(place, made, content: [])] = [:]
    }
  }

  package func makeSymbolicLink(_ name: FileName, in directory: Int32, target: [UInt8])
    throws(SystemCallError)
  {
    _ = try record { () throws(SystemCallError) in
      try system.makeSymbolicLink(name, in: directory, target: target)
      return try system.state(of: name, in: directory)
    } _: { state, made in
      guard let place = state.place(name, in: directory) else { return }
      _ = state.make(place, made, content: target)
    }
  }

  package func write(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int64?
  ) throws(SystemCallError) -> Int {
    try record { () throws(SystemCallError) in
      // SAFETY: the caller's buffer is handed on for the length of this call.
      unsafe try system.write(bytes, to: descriptor, at: offset)
    } _: { state, count in
      guard let file = state.open[descriptor] else { return }
      let size = state.sizes[file.node] ?? 0
      let start = offset.map { Int($0) } ?? (file.appends ? size : file.offset)
      // SAFETY: the call wrote `count` bytes of the buffer, so it has them; they are copied.
      let written = unsafe Array(bytes.prefix(count))
      state.recording.steps.append(.write(file.node, written, offset: start))
      state.sizes[file.node] = max(size, start + count)
      if offset == nil { state.open[descriptor]?.offset = start + count }
    }
  }

  package func synchronize(_ descriptor: Int32) throws(SystemCallError) {
    try record { () throws(SystemCallError) in
      try system.synchronize(descriptor)
    } _: { state, _ in
      if let file = state.open[descriptor] {
        state.recording.steps.append(.synchronize(file.node))
      }
    }
  }

  package func synchronizeFileSystem(_ descriptor: Int32) throws(SystemCallError) {
    // Nothing has to last really, and the machine may have much else to write.
    try record { () throws(SystemCallError) in
    } _: { state, _ in
      state.recording.steps.append(.synchronizeAll)
    }
  }

  package func rename(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    try record { () throws(SystemCallError) in
      try system.rename(from, in: source, to: name, in: target)
    } _: { state, _ in
      state.rename(from, in: source, to: name, in: target)
    }
  }

  package func renameExclusively(
    _ from: FileName, in source: Int32, to name: FileName, in target: Int32
  ) throws(SystemCallError) {
    try record { () throws(SystemCallError) in
      try system.renameExclusively(from, in: source, to: name, in: target)
    } _: { state, _ in
      state.rename(from, in: source, to: name, in: target)
    }
  }

  package func exchange(
    _ name: FileName, in directory: Int32, with other: FileName, in otherDirectory: Int32
  ) throws(SystemCallError) {
    try record { () throws(SystemCallError) in
      try system.exchange(name, in: directory, with: other, in: otherDirectory)
    } _: { state, _ in
      guard let place = state.place(name, in: directory),
        let otherPlace = state.place(other, in: otherDirectory),
        let node = state.entries[place.directory]?[name],
        let otherNode = state.entries[otherPlace.directory]?[other]
      else { return }
      state.entries[place.directory]?[name] = otherNode
      state.entries[otherPlace.directory]?[other] = node
      state.recording.steps.append(.exchange(node, place, with: otherNode, otherPlace))
    }
  }

  package func link(_ from: FileName, in source: Int32, to name: FileName, in target: Int32)
    throws(SystemCallError)
  {
    try record { () throws(SystemCallError) in
      try system.link(from, in: source, to: name, in: target)
    } _: { state, _ in
      guard let old = state.place(from, in: source), let new = state.place(name, in: target),
        let node = state.entries[old.directory]?[from]
      else { return }
      state.entries[new.directory]?[name] = node
      state.recording.steps.append(.link(node, new))
    }
  }

  package func unlink(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError) {
    try record { () throws(SystemCallError) in
      try system.unlink(name, in: directory, flags: flags)
    } _: { state, _ in
      guard let place = state.place(name, in: directory),
        let node = state.entries[place.directory]?.removeValue(forKey: name)
      else { return }
      state.recording.steps.append(.unlink(node, place))
    }
  }

  package func setMode(_ mode: UInt16, of descriptor: Int32) throws(SystemCallError) {
    try record { () throws(SystemCallError) in
      try system.setMode(mode, of: descriptor)
    } _: { state, _ in
      if let file = state.open[descriptor] {
        state.recording.steps.append(.setMode(file.node, mode))
      }
    }
  }

  package func setOwner(_ owner: FileOwner, of descriptor: Int32) throws(SystemCallError) {
    try system.setOwner(owner, of: descriptor)
  }

  package func setOwner(_ owner: FileOwner, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    try system.setOwner(owner, ofLink: name, in: directory)
  }

  package func setModified(_ time: FileTime, of descriptor: Int32) throws(SystemCallError) {
    try record { () throws(SystemCallError) in
      try system.setModified(time, of: descriptor)
    } _: { state, _ in
      if let file = state.open[descriptor] {
        state.recording.steps.append(.setModified(file.node, time))
      }
    }
  }

  package func setModified(_ time: FileTime, ofLink name: FileName, in directory: Int32)
    throws(SystemCallError)
  {
    try record { () throws(SystemCallError) in
      try system.setModified(time, ofLink: name, in: directory)
    } _: { state, _ in
      guard let place = state.place(name, in: directory),
        let node = state.entries[place.directory]?[name]
      else { return }
      state.recording.steps.append(.setModified(node, time))
    }
  }

  // MARK: Calls that only look

  package func open(_ name: FileName, in directory: Int32, flags: Int32) throws(SystemCallError)
    -> Int32
  {
    try opening(flags) { () throws(SystemCallError) in
      try system.open(name, in: directory, flags: flags)
    }
  }

  package func openPath(_ path: [UInt8], flags: Int32) throws(SystemCallError) -> Int32 {
    try opening(flags) { () throws(SystemCallError) in
      try system.openPath(path, flags: flags)
    }
  }

  /// Opens something and notes which node it is; a descriptor outside of the tree is forgotten.
  private func opening(_ flags: Int32, _ call: () throws(SystemCallError) -> Int32)
    throws(SystemCallError) -> Int32
  {
    try record { () throws(SystemCallError) in
      let file = try call()
      return (file, try system.state(of: file))
    } _: { state, result in
      state.open[result.0] = state.known[Identity(result.1)].map {
        OpenFile(node: $0, offset: 0, appends: flags.appends)
      }
    }.0
  }

  package func state(of name: FileName, in directory: Int32) throws(SystemCallError) -> FileState {
    try system.state(of: name, in: directory)
  }

  package func state(of descriptor: Int32) throws(SystemCallError) -> FileState {
    try system.state(of: descriptor)
  }

  package func read(_ buffer: UnsafeMutableRawBufferPointer, from descriptor: Int32)
    throws(SystemCallError) -> Int
  {
    // SAFETY: the caller's buffer is handed on for the length of this call.
    unsafe try system.read(buffer, from: descriptor)
  }
}

extension OperationRecorder.State {
  /// Returns the place a name has in an open directory, nil if that is outside of the tree.
  fileprivate func place(_ name: FileName, in directory: Int32) -> Recording.Place? {
    open[directory].map { Recording.Place(directory: $0.node, name: name) }
  }

  fileprivate mutating func make(
    _ place: Recording.Place, _ found: FileState, content: [UInt8]
  ) -> Int {
    let node = nodeCount
    nodeCount += 1
    // A number that a removed file had may be used again.
    known[OperationRecorder.Identity(found)] = node
    sizes[node] = content.count
    entries[place.directory]?[place.name] = node
    recording.steps.append(
      .make(node, place, found.kind, content: content, mode: found.mode))
    return node
  }

  fileprivate mutating func rename(
    _ from: FileName, in source: Int32, to name: FileName, in target: Int32
  ) {
    guard let old = place(from, in: source), let new = place(name, in: target),
      let node = entries[old.directory]?.removeValue(forKey: from)
    else { return }
    entries[new.directory]?[name] = node
    recording.steps.append(.rename(node, from: old, to: new))
  }
}

extension Int32 {
  /// Whether flags of `open` say that every write goes to the end.
  fileprivate var appends: Bool { self & O_APPEND != 0 }
}
