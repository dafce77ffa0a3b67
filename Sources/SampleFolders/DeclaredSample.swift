import Diagnostics
package import Folders
import SafeFiles

/// Makes up a data folder of any app that a profile describes.
///
/// Values of each declared type occur, optional ones that are absent or `null`, references to entities
/// that are there, members that the profile does not name, attached files, and what stays in a file.
/// Nothing in it is an error, so it migrates without findings of that severity. At most one file is in
/// memory.
package struct DeclaredSample: SampleFiles {
  private let plan: SamplePlan
  private let profile: Profile
  private var kinds: [SampleKind]

  /// The most entities.
  private static let largestCount = 100_000_000
  /// The bytes that lists and maps are kept below: readers refuse files of 16 MiB.
  private static let largestFile = 12 << 20

  /// Divides the entities of a plan among the kinds: a singleton gets one, what is in many files most.
  package init(_ plan: SamplePlan, of profile: Profile) throws(SampleProblem) {
    self.plan = plan
    self.profile = profile
    kinds = profile.kinds.indices.compactMap { index in
      SampleKind(profile.kinds[index], number: index, plan)
    }
    if let problem = plan.problem { throw SampleProblem(text: problem) }
    if !profile.describesFolder {
      throw SampleProblem(text: "the profile \(profile.name) does not say where entities lie")
    }
    if plan.recordCount > Self.largestCount {
      let most = Self.largestCount.counted("entity", "entities")
      throw SampleProblem(text: "at most \(most) are made")
    }
    for index in kinds.indices where kinds[index].isShared {
      kinds[index].largestFile = Self.largestFile / largestEntity(of: kinds[index])
    }
    let rest = divide(plan.recordCount)
    if rest > 0 {
      let room = (plan.recordCount - rest).counted("entity", "entities")
      throw SampleProblem(
        text: "there is room for \(room) where the profile says that they lie; ask for no more, "
          + "or for more months")
    }
  }

  /// Calls `body` with each file, kind by kind.
  package func forEachFile<Failure>(
    _ body: (SampleFile) throws(Failure) -> Void
  ) throws(Failure) {
    try body(
      SampleFile(
        path: ".DS_Store", bytes: SampleText.finderState,
        modified: SampleMonths(plan).start))
    for kind in kinds {
      for file in 0..<kind.fileCount {
        var writer = DeclaredSampleWriter(plan, profile, kinds)
        let entities = kind.entities(of: file)
        let modified = FileTime(milliseconds: kind.month(of: entities.lowerBound).start)
        try body(
          SampleFile(
            path: kind.path(of: file), bytes: writer.file(of: entities, kind), modified: modified))
        for (path, bytes) in writer.attached {
          try body(SampleFile(path: path, bytes: bytes, modified: modified))
        }
      }
    }
  }

  // MARK: How many

  /// Gives each kind its number of entities; returns how many found no room.
  private mutating func divide(_ total: Int) -> Int {
    var rest = total
    // Every kind has one before any has more, those with most of the entities first.
    for index in kinds.indices.sorted(by: { kinds[$0].weight > kinds[$1].weight }) where rest > 0 {
      kinds[index].count = 1
      rest -= 1
    }
    while rest > 0 {
      let open = kinds.indices.filter { kinds[$0].count < kinds[$0].capacity }
      let weights = open.reduce(0) { $0 + kinds[$1].weight }
      if open.isEmpty { break }
      let round = rest
      for index in open {
        let share = max(1, round * kinds[index].weight / weights)
        let given = min(share, rest, kinds[index].capacity - kinds[index].count)
        kinds[index].count += given
        rest -= given
      }
    }
    return rest
  }

  private func largestEntity(of kind: SampleKind) -> Int {
    var kinds = kinds
    let sampleCount = 64
    for index in kinds.indices { kinds[index].count = sampleCount }
    return (0..<sampleCount).reduce(1) { largest, entity in
      var writer = DeclaredSampleWriter(plan, profile, kinds)
      return max(largest, writer.file(of: entity..<entity + 1, kinds[kind.number]).count)
    }
  }
}

/// Why a sample folder of a profile cannot be made.
package struct SampleProblem: Error {
  /// The reason, for people.
  package let text: String
}

extension SampleMonths {
  init(_ plan: SamplePlan) {
    self.init(
      first: Month(year: plan.firstYear, month: 1) ?? Month(milliseconds: 0),
      count: plan.monthCount)
  }

  /// When the first month begins.
  var start: FileTime { FileTime(milliseconds: first.start) }
}

extension Month {
  /// When the month begins in UTC, in milliseconds since 1970.
  var start: Int64 { RFC3339("\(self)-01T00:00:00Z")?.milliseconds ?? 0 }
}

extension FileTime {
  init(milliseconds: Int64) { self.init(seconds: milliseconds / 1000) }
}
