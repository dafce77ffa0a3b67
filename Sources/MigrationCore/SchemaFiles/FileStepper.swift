import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// A file of an app with what a step makes of it.
struct SteppedFile: Sendable {
  let path: RelativePath
  /// What it was; nil for one that the step makes.
  let version: FileVersion?
  let before: [UInt8]?
  let after: [UInt8]
  /// Whether it is as after the step already, which only notes it.
  var isAsAfter = false
}

extension FileStepRecord {
  /// A run of a step.
  ///
  /// - Parameters:
  ///   - originals: the directory below which the files lie as they were.
  ///   - formerPaths: the paths under which files are noted that have others now.
  ///   - made: the entities that it has made, as they are told.
  ///   - late: likewise those for which alone it ran; empty if it ran for all.
  ///   - sources: likewise those that it has seen, where that is noted.
  init(
    of step: EntityStep, changing files: [SteppedFile], at originals: RelativePath,
    formerPaths: [RelativePath: RelativePath], making made: Set<String>, for late: Set<String>,
    seeing sources: Set<String> = []
  ) {
    self.init(
      id: step.id, checksum: step.checksum, originals: originals,
      entries: files.map { file in
        Entry(
          path: formerPaths[file.path] ?? file.path, isNew: file.before == nil,
          after: ContentHash(of: file.after), before: file.before.map { ContentHash(of: $0) })
      },
      made: made, late: late, sources: sources)
  }
}

/// Changes the entities in the JSON files of an app as a step says; whatever else is in a file stays, to
/// the byte. One worker has one.
struct FileStepper {
  /// What all workers share.
  struct Input: Sendable {
    let folder: Directory
    let inventory: FolderInventory
    let signs: StepSigns
    let seen: SeenEntities
    let step: RunningStep
    /// What steps before it make of files, in a dry run.
    let overlay: [Int: [UInt8]]
    let notesChanges: Bool
  }

  /// What became of a file.
  struct Outcome: Sendable {
    var file: SteppedFile?
    var changedCount = 0
    /// Those that it changed of entities that had come later than the step.
    var late: Set<String> = []
    var tally: StepStage.Tally?
    var findings: [Finding] = []
    var hasFailed = false
    var changes: [SchemaReport.Change] = []
  }

  private let input: Input
  private let kinds: EntityKinds
  private var stage: StepStage
  private var reader: FileEntities
  private var late: LateFileEntities
  private var outcome = Outcome()

  init(_ input: Input) {
    self.input = input
    kinds = input.inventory.kinds
    stage = input.step.stage
    reader = FileEntities(input.folder, input.inventory)
    late = LateFileEntities(input.seen, input.signs, in: input.folder, input.inventory)
  }

  /// Runs the step over a file.
  mutating func run(_ file: Int) throws(MigrationError) -> Outcome {
    outcome = Outcome()
    let path = input.inventory.path(of: file)
    let version = try reader.read(file, overlay: input.overlay[file])
    if input.step.reach == .all, try isAsAfter(path, version) { return outcome }
    let standing =
      input.step.reach == .all
      ? nil : input.seen.standing(of: path, as: reader.hash(version), to: stage.step.id)
    var edits: [(range: Range<Int>, json: [UInt8])] = []
    for entity in reader.batch.entities where stage.concerns(entity.kind) {
      var changing = reader.changing(entity)
      if let standing,
        try late.sight(of: changing, in: file, standing, to: input.step.place, stage) != .late
      {
        continue
      }
      do throws(StepDefect) {
        try stage.apply(to: &changing)
      } catch {
        fail(path, entity, "\(error.property): \(error.problem)")
        continue
      }
      do throws(ConversionDefect) {
        for promise in try stage.check(changing) {
          note(stage.step.promises[promise], path, entity)
        }
      } catch {
        fail(path, entity, error.description)
      }
      guard changing.fields.isChanged else { continue }
      let json = changing.json
      // A type that JSON does not show changes nothing here.
      guard json != reader.changing(entity).json else { continue }
      edits.append((reader.batch.tape.sourceRange(of: entity.node), json))
      outcome.changedCount += 1
      if standing != nil { outcome.late.insert(kinds.title(entity.kind, entity.identity)) }
      if input.notesChanges {
        outcome.changes.append(SchemaReport.Change(changing, fields: entity.node, of: kinds))
      }
    }
    outcome.tally = stage.takeTally()
    guard !edits.isEmpty, !outcome.hasFailed else { return outcome }
    let after = Self.spliced(reader.bytes, edits)
    if let problem = reader.defect(of: after, in: file) {
      outcome.hasFailed = true
      outcome.findings.append(
        Finding(
          .notConverted, .error, path: path.description,
          message: "\(stage.step.id): \(problem)",
          next: "mend the step; nothing of it is written"))
      return outcome
    }
    outcome.file = SteppedFile(path: path, version: version, before: reader.bytes, after: after)
    return outcome
  }

  /// Whether the file that was read last is as the step has left it before, which was undone since. It stays
  /// so, and is noted with the others.
  private mutating func isAsAfter(
    _ path: RelativePath, _ version: FileVersion
  ) throws(MigrationError) -> Bool {
    guard let (place, hash) = input.seen.undone(path, as: reader.hash(version), by: stage.step.id)
    else { return false }
    let original = try MigrationError.wrapping { () throws(FileError) in
      try input.folder.contentsIfPresent(of: place, limit: LegacyReader.largestFile)
    }
    for entity in reader.batch.entities where stage.concerns(entity.kind) {
      do throws(ConversionDefect) {
        for promise in try stage.check(reader.changing(entity)) {
          note(stage.step.promises[promise], path, entity)
        }
      } catch {
        fail(path, entity, error.description)
      }
    }
    outcome.tally = stage.takeTally()
    outcome.findings.append(
      Finding(
        .editedSince, .info, path: path.description,
        message: "\(stage.step.id): is as after the step already, and stays so"))
    guard let original, ContentHash(of: original) == hash else { return true }
    outcome.file = SteppedFile(
      path: path, version: version, before: original, after: reader.bytes, isAsAfter: true)
    return true
  }

  /// The bytes with other ones in the place of some; the places come ascending and apart.
  static func spliced(
    _ bytes: [UInt8], _ edits: [(range: Range<Int>, json: [UInt8])]
  ) -> [UInt8] {
    var result: [UInt8] = []
    var start = 0
    for (range, json) in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      result += bytes[start..<range.lowerBound] + json
      start = range.upperBound
    }
    return result + bytes[start...]
  }

  private mutating func fail(_ path: RelativePath, _ entity: LegacyEntity, _ problem: String) {
    outcome.hasFailed = true
    add(.error, path, entity, problem)
  }

  private mutating func note(
    _ promise: EntityStep.Promise, _ path: RelativePath, _ entity: LegacyEntity
  ) {
    if !promise.isWarning { outcome.hasFailed = true }
    add(promise.severity, path, entity, promise.problem)
  }

  private mutating func add(
    _ severity: Severity, _ path: RelativePath, _ entity: LegacyEntity, _ problem: String
  ) {
    outcome.findings.append(
      Finding(
        .notConverted, severity, path: path.description,
        message: "\(stage.step.id): \(kinds.title(entity.kind, entity.identity)): \(problem)"))
  }
}

/// Reads the entities of an app's JSON files as steps see them.
struct FileEntities {
  private let folder: Directory
  private let inventory: FolderInventory
  private(set) var batch: EntityBatch
  /// The bytes of the file that was read last.
  private(set) var bytes: [UInt8] = []
  /// Whether they are not those on disk.
  private var isOverlaid = false

  init(_ folder: Directory, _ inventory: FolderInventory) {
    (self.folder, self.inventory) = (folder, inventory)
    batch = EntityBatch(kinds: inventory.kinds)
  }

  /// Reads a file, or takes its bytes from elsewhere; returns what it was.
  mutating func read(
    _ file: Int, overlay: [UInt8]? = nil
  ) throws(MigrationError) -> FileVersion {
    let path = inventory.path(of: file)
    let version = try MigrationError.wrapping { () throws(FileError) in
      try folder.readVersion(of: path, into: &bytes, limit: LegacyReader.largestFile)
    }
    if let overlay { bytes = overlay }
    isOverlaid = overlay != nil
    load(bytes, of: file, into: &batch)
    return version
  }

  /// Reads the entities of some kinds in files, some of which are elsewhere.
  mutating func forEach(
    in files: [Int], overlay: [Int: [UInt8]], where isMeant: (EntityKind) -> Bool,
    _ body: (ChangingEntity, EntityKinds) -> Void
  ) throws(MigrationError) {
    for file in files where isMeant(inventory.kind(of: file)) {
      _ = try read(file, overlay: overlay[file])
      for entity in batch.entities where isMeant(entity.kind) {
        body(changing(entity), inventory.kinds)
      }
    }
  }

  /// Reads the entities of some kinds, each once: of one that lies in several places all that an import of them
  /// shows.
  ///
  /// - Parameter state: what `body` adds to. Where entities lie in several places it begins anew with what this
  ///   was.
  mutating func forEachOnce<State>(
    in files: [Int], overlay: [Int: [UInt8]], where isMeant: (EntityKind) -> Bool,
    into state: inout State, _ body: (inout State, ChangingEntity) -> Void
  ) throws(MigrationError) {
    let beginning = state
    var copies = EntityCopies(inventory.kinds)
    try forEach(in: files, overlay: overlay, where: isMeant) { entity, _ in
      copies.meet(entity)
      body(&state, entity)
    }
    if copies.isEmpty { return }
    state = beginning
    try forEach(in: files, overlay: overlay, where: isMeant) { entity, kinds in
      guard copies.contain(entity) else { return body(&state, entity) }
      // Who it is stands beside its fields where it is imported.
      var copy = entity
      if let property = kinds[copy.kind]?.identity.property {
        _ = copy.fields.remove(property.bytes, of: copy.tape)
      }
      copies.keep(copy)
    }
    for (kind, identity) in copies.all { body(&state, try copies.united(kind, identity)) }
  }

  /// The hash of the bytes of the file that was read last.
  func hash(_ version: FileVersion) -> ContentHash {
    isOverlaid ? ContentHash(of: bytes) : version.hash
  }

  private func load(_ bytes: [UInt8], of file: Int, into batch: inout EntityBatch) {
    let kinds = inventory.kinds
    let kind = inventory.kind(of: file)
    batch.load(
      bytes, as: kind, path: inventory.path(of: file),
      identifiedBy: kinds.isIdentifiedByPath(kind) ? inventory.identityPath(of: file) : .folder)
  }

  /// The identities of the entities that other bytes of a file hold.
  func identities(in bytes: [UInt8], of file: Int) -> Set<Identity> {
    var other = EntityBatch(kinds: inventory.kinds)
    load(bytes, of: file, into: &other)
    return Set(other.entities.map(\.identity))
  }

  /// An entity of the file that was read last.
  func changing(_ entity: LegacyEntity) -> ChangingEntity { batch.changing(entity) }

  /// What is wrong with bytes that are to replace those of the file that was read last; nil if they hold
  /// the same entities, and each is valid.
  func defect(of bytes: [UInt8], in file: Int) -> String? {
    var other = EntityBatch(kinds: inventory.kinds)
    load(bytes, of: file, into: &other)
    if let finding = other.findings.first(where: { $0.severity == .error }) {
      return finding.message
    }
    let isSame = other.entities.elementsEqual(batch.entities) {
      $0.kind == $1.kind && $0.identity == $1.identity
    }
    return isSame ? nil : "it would hold other entities"
  }
}

extension EntityBatch {
  /// An entity as steps see it.
  func changing(_ entity: LegacyEntity) -> ChangingEntity {
    var changing = ChangingEntity()
    (changing.kind, changing.identity) = (entity.kind, entity.identity)
    changing.tape = tape
    changing.fields.take(entity.node, of: tape)
    return changing
  }
}
