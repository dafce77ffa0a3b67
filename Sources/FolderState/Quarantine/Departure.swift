package import Diagnostics
package import Runs
import SafeFiles

/// Moves files of a folder to quarantine, some after others, and looks at those that have moved while the
/// next ones move.
///
/// A mark beside the run tells that not all were looked at: of what a run leaves that dies meanwhile,
/// `Quarantine.sweep` lets go back what is not as its manifest says.
///
/// Of a lazy collection only the files of one directory are in memory at once.
package struct Departure<Files: RandomAccessCollection<QuarantinedFile>> {
  /// The run that the files go to.
  package let run: Quarantine.Run

  private var mover: QuarantineMover
  private var rest: Files.SubSequence
  /// What is left of files of one directory that do not move as one.
  private var directory: ArraySlice<QuarantinedFile> = []
  private let context: RunContext

  /// How many files move before they are looked at once more, unless they move as one.
  private static var batchCount: Int { 256 }

  /// What became of files that moved together.
  package struct Batch {
    /// The files.
    package var files: ArraySlice<QuarantinedFile>
    /// What became of each.
    package var outcomes: [QuarantineMover.Outcome]
    /// What is told of things that came meanwhile.
    package var findings: [Finding]
  }

  /// Files that have moved, and were not looked at since.
  private struct Begun: Sendable {
    var files: ArraySlice<QuarantinedFile>
    var moved: [QuarantineMover.MovedFile?]
    var findings: [Finding] = []
    /// The directories that were left on the way, which are to be synchronized.
    var directories: [Directory] = []
  }

  /// Prepares to move files; nothing has moved yet.
  ///
  /// - Parameter files: ascending by path; the mover has published their manifest.
  package init(_ files: Files, with mover: QuarantineMover, context: RunContext) {
    run = mover.run
    self.mover = mover
    rest = files[...]
    self.context = context
  }

  /// How many files were not asked to move.
  package var restCount: Int { directory.count + rest.count }

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
    var own = self
    let end = SharedFlag()
    let context = context
    let begun = PiecesAhead<Begun, MigrationError> { () throws(MigrationError) in
      guard own.restCount > 0, !end.isSet, !context.isInterrupted() else { return nil }
      try prepare()
      var next = try own.beginNext(leaving: leftBy)
      next.directories = own.mover.takeUnsynchronized()
      return next
    }
    defer { self = own }
    try MigrationError.wrapping { () throws(FileError) in try own.mover.setMark() }
    try begun.whileMaking(threads: context.workerCount) { () throws(MigrationError) in
      while let next = try begun.next() {
        let outcomes = try Self.end(next.moved)
        try MigrationError.wrapping { () throws(FileError) in
          for directory in next.directories { try directory.synchronize() }
        }
        let batch = Batch(files: next.files, outcomes: outcomes, findings: next.findings)
        if !note(batch) { end.set() }
      }
    }
    try own.mover.finish()
  }

  /// Moves the next files.
  private mutating func beginNext(
    leaving leftBy: (QuarantinedFile) -> [UInt8]?
  ) throws(MigrationError) -> Begun {
    if directory.isEmpty {
      directory = takeDirectory()[...]
      let files = directory
      let together = try MigrationError.wrapping { () throws(FileError) in
        files.first?.rest == nil ? try mover.beginTogether(files) : nil
      }
      if let together {
        directory = []
        return Begun(files: files, moved: together.moved, findings: together.findings)
      }
    }
    // Whether a directory moves as one is not asked more often than this.
    var batch = Array(directory.prefix(Self.batchCount))
    directory = directory.dropFirst(batch.count)
    while batch.count < Self.batchCount, let file = rest.popFirst() { batch.append(file) }
    return Begun(files: batch[...], moved: try mover.begin(batch[...], leaving: leftBy))
  }

  /// Takes the next files that are in one directory and leave it whole, or one that does not.
  private mutating func takeDirectory() -> [QuarantinedFile] {
    guard let first = rest.popFirst() else { return [] }
    var files = [first]
    while first.rest == nil, let file = rest.first, file.rest == nil, file.path.isBeside(first.path)
    {
      files.append(file)
      rest = rest.dropFirst()
    }
    return files
  }

  /// Looks at files that have moved and lets those go back that are not what was read; nil stands for one
  /// that has not moved.
  private static func end(
    _ moved: [QuarantineMover.MovedFile?]
  ) throws(MigrationError) -> [QuarantineMover.Outcome] {
    var hasher = ContentHasher()
    return try MigrationError.wrapping { () throws(FileError) in
      var outcomes: [QuarantineMover.Outcome] = []
      outcomes.reserveCapacity(moved.count)
      for file in moved {
        guard let file else {
          outcomes.append(.stays)
          continue
        }
        outcomes.append(
          try QuarantineMover.end(file, isStill: QuarantineMover.isStill(file, with: &hasher)))
      }
      return outcomes
    }
  }
}
