package import Diagnostics
package import Runs
import SafeFiles
import Synchronization

/// Moves files of a folder to quarantine and looks at each once it has moved; several threads do. A directory
/// moves as one only if all of its files that move are with one thread.
///
/// A mark beside the run tells that not all were looked at: of what a run leaves that dies meanwhile,
/// `Quarantine.sweep` lets go back what is not as its manifest says.
///
/// Of a lazy collection only the files of a few directories are in memory at once.
package struct Departure<Files: RandomAccessCollection<QuarantinedFile> & SendableMetatype> {
  /// The run that the files go to.
  package let run: Quarantine.Run

  private var mover: QuarantineMover
  private var rest: Files.SubSequence
  /// The last file that was taken.
  private var last: RelativePath?
  private let fileCount: Int
  private let context: RunContext

  /// How many files one thread takes at once, and how many move, unless they do as one, before they are
  /// looked at once more.
  private static var loadCount: Int { 256 }
  /// How many bytes one thread takes at least of what stays in places of files.
  private static var leftByteCount: Int { 1 << 20 }
  /// How many that have moved one thread looks at, if others have nothing else to do.
  private static var lookCount: Int { 1024 }

  /// What became of files that moved together.
  package struct Batch: Sendable {
    /// The files.
    package var files: [QuarantinedFile] = []
    /// What became of each.
    package var outcomes: [QuarantineMover.Outcome] = []
    /// What is told of things that came meanwhile.
    package var findings: [Finding] = []
  }

  /// Files that one thread moves.
  private struct Load: Sendable {
    var parts: [Part] = []
    /// How many threads look at them.
    var threads = 1
  }

  /// Files of one directory that leave it whole, or one that does not.
  private struct Part: Sendable {
    var files: [QuarantinedFile]
    /// Whether no others of the directory move, nor of those in it.
    var isAll: Bool
    /// What stays in the place of one that does not leave whole; nil where nobody can tell any more.
    var left: [UInt8]?
  }

  /// Prepares to move files; nothing has moved yet.
  ///
  /// - Parameter files: ascending by path; the mover has published their manifest.
  package init(_ files: Files, with mover: QuarantineMover, context: RunContext) {
    run = mover.run
    self.mover = mover
    rest = files[...]
    fileCount = files.count
    self.context = context
  }

  /// How many files were not asked to move.
  package var restCount: Int { rest.count }

  /// Moves the files until all have moved, somebody interrupts, or somebody has seen enough. Whatever has
  /// moved is looked at in any case.
  ///
  /// - Parameters:
  ///   - prepare: called before files move, which they do not if it throws.
  ///   - leftBy: returns what stays in the place of a file of which something stays; nil if nobody can
  ///     tell any more, and then it does not move. It is called by one thread at a time.
  ///   - note: is told what became of files, and returns whether to go on.
  package mutating func perform(
    preparing prepare: @escaping () throws(MigrationError) -> Void,
    leaving leftBy: @escaping (QuarantinedFile) -> [UInt8]?,
    _ note: (Batch) -> Bool
  ) throws(MigrationError) {
    try MigrationError.wrapping { () throws(FileError) in try self.mover.setMark() }
    var own = self
    let end = SharedFlag()
    let (context, mover, left) = (context, mover, LeftDirectories())
    let batches = PiecesAhead<Batch, MigrationError>(
      makers: context.workerCount,
      taking: { () throws(MigrationError) in
        guard own.restCount > 0, !end.isSet, !context.isInterrupted() else { return nil }
        try prepare()
        return own.takeLoad(leaving: leftBy)
      },
      { load throws(MigrationError) in
        try MigrationError.wrapping { () throws(FileError) in
          try Self.move(load, with: mover, leaving: left)
        }
      })
    defer { self = own }
    try batches.whileMaking(threads: context.workerCount) { () throws(MigrationError) in
      while let batch = try batches.next() {
        if !note(batch) { end.set() }
      }
    }
    try MigrationError.wrapping { () throws(FileError) in try left.synchronize(ifAtLeast: 1) }
    try own.mover.finish()
  }

  /// Takes the next files, as many as one thread moves.
  private mutating func takeLoad(leaving leftBy: (QuarantinedFile) -> [UInt8]?) -> Load {
    var load = Load()
    var (count, byteCount) = (0, 0)
    while count < Self.loadCount, byteCount < Self.leftByteCount, var part = takePart() {
      let first = part.files[0]
      if let rest = first.rest, let bytes = leftBy(first), ContentHash(of: bytes) == rest {
        part.left = bytes
        byteCount += bytes.count
      }
      count += part.files.count
      load.parts.append(part)
    }
    // Of a folder whose files are in one directory the others have nothing else to do.
    if count > fileCount / 2 { load.threads = context.workerCount }
    return load
  }

  /// Takes the next files that are in one directory and leave it whole, or one that does not.
  private mutating func takePart() -> Part? {
    guard let first = rest.first else { return nil }
    var files = [first]
    var next = rest.index(after: rest.startIndex)
    while first.rest == nil, next < rest.endIndex {
      let file = rest[next]
      guard file.rest == nil, file.path.isBeside(first.path) else { break }
      files.append(file)
      rest.formIndex(after: &next)
    }
    rest = rest[next...]
    // Files move in the order of their paths, so that those of a directory come one behind the other but
    // for what is in directories in it.
    let directory = first.path.parent ?? .folder
    let isAll = !([last, rest.first?.path].compactMap(\.self).contains(where: directory.contains))
    last = files.last?.path
    return Part(files: files, isAll: isAll)
  }

  /// Moves files, and looks at them.
  private static func move(
    _ load: Load, with mover: QuarantineMover, leaving left: LeftDirectories
  ) throws(FileError) -> Batch {
    // Its places are those of this thread.
    var mover = mover
    var batch = Batch()
    // Whether directories move as one is not asked again once one did not.
    var isTogether = true
    for part in load.parts {
      let files = part.files
      batch.files += files
      if files[0].rest != nil {
        let moved = try part.left.map { bytes throws(FileError) in
          try mover.begin(files[0], leaving: bytes)
        }
        batch.outcomes += try end([moved ?? nil], threads: 1)
        continue
      }
      if isTogether, part.isAll {
        if let together = try mover.beginTogether(files) {
          batch.findings += together.findings
          batch.outcomes += try end(together.moved, threads: load.threads)
          try left.add(mover.takeUnsynchronized())
          continue
        }
        isTogether = false
      }
      for start in stride(from: 0, to: files.count, by: loadCount) {
        let moved = try mover.begin(files[start..<min(start + loadCount, files.count)])
        batch.outcomes += try end(moved, threads: load.threads)
      }
    }
    try mover.leavePlace()
    try left.add(mover.takeUnsynchronized())
    return batch
  }

  /// Looks at files that have moved and lets those go back that are not what was read; at those of a large
  /// directory with several threads.
  private static func end(
    _ moved: [QuarantineMover.MovedFile?], threads: Int
  ) throws(FileError) -> [QuarantineMover.Outcome] {
    // One that has not moved stays.
    let outcomes = Mutex([QuarantineMover.Outcome](repeating: .stays, count: moved.count))
    let chunks = Array(stride(from: 0, to: moved.count, by: lookCount))
    try ParallelJobs.run(chunks.count, threads: threads, makeState: { ContentHasher() }) {
      (job, hasher) throws(FileError) in
      let chunk = chunks[job]..<min(chunks[job] + lookCount, moved.count)
      var found: [(Int, QuarantineMover.Outcome)] = []
      for index in chunk {
        guard let file = moved[index] else { continue }
        let isStill = try QuarantineMover.isStill(file, with: &hasher)
        found.append((index, try QuarantineMover.end(file, isStill: isStill)))
      }
      outcomes.withLock { outcomes in
        for (index, outcome) in found { outcomes[index] = outcome }
      }
    }
    return outcomes.withLock(\.self)
  }
}

/// Directories that several threads have left, and that are not synchronized since.
private final class LeftDirectories: Sendable {
  /// Most of what one costs is the commit of a journal, and that has all that is done until then.
  private static let most = 24

  private let directories = Mutex<[Directory]>([])

  /// Adds some, in the order in which they are to be made to last, and lets them last if there are many.
  func add(_ new: [Directory]) throws(FileError) {
    directories.withLock { $0 += new }
    try synchronize(ifAtLeast: Self.most)
  }

  func synchronize(ifAtLeast count: Int) throws(FileError) {
    let taken = directories.withLock { all -> [Directory] in
      guard all.count >= count else { return [] }
      defer { all = [] }
      return all
    }
    for directory in taken { try directory.synchronize() }
  }
}
