package import Diagnostics
package import Runs
import SafeFiles

/// Moves files of a folder to quarantine, some after others, and looks at those that have moved while the
/// next ones move.
///
/// A mark beside the run tells that not all were looked at: of what a run leaves that dies meanwhile,
/// `Quarantine.sweep` lets go back what is not as its manifest says.
package struct Departure {
  /// The run that the files go to.
  package let run: Quarantine.Run

  private var mover: QuarantineMover
  private var rest: ArraySlice<QuarantinedFile>
  /// The end of the last directory that was asked to move as one.
  private var asked = 0
  private let context: RunContext

  /// How many files move before they are looked at once more, unless they move as one.
  private static let batchCount = 256

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
  }

  /// Prepares to move files; nothing has moved yet.
  ///
  /// - Parameter files: ascending by path; the mover has published their manifest.
  package init(_ files: [QuarantinedFile], with mover: QuarantineMover, context: RunContext) {
    run = mover.run
    self.mover = mover
    rest = files[...]
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
    var own = self
    let end = SharedFlag()
    let context = context
    let begun = PiecesAhead<Begun, MigrationError> { () throws(MigrationError) in
      guard !own.rest.isEmpty, !end.isSet, !context.isInterrupted() else { return nil }
      try prepare()
      return try own.beginNext(leaving: leftBy)
    }
    defer { self = own }
    try MigrationError.wrapping { () throws(FileError) in try own.mover.setMark() }
    try begun.whileMaking(threads: context.workerCount) { () throws(MigrationError) in
      while let next = try begun.next() {
        let outcomes = try Self.end(next.moved)
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
    if rest.startIndex >= asked {
      let directory = nextDirectory
      asked = directory.endIndex
      let together = try MigrationError.wrapping { () throws(FileError) in
        try mover.beginTogether(directory)
      }
      if let together {
        rest = rest[directory.endIndex...]
        return Begun(files: directory, moved: together.moved, findings: together.findings)
      }
    }
    let batch = rest.prefix(Self.batchCount)
    rest = rest[batch.endIndex...]
    return Begun(files: batch, moved: try mover.begin(batch, leaving: leftBy))
  }

  /// The next files that are in one directory and leave it whole.
  private var nextDirectory: ArraySlice<QuarantinedFile> {
    guard let first = rest.first else { return rest }
    return rest.prefix { $0.rest == nil && $0.path.isBeside(first.path) }
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
