import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Makes the entities that a step makes, in the JSON files of an app: in a file that holds those of their
/// kind, behind the last of them, or in a new one where each has its own.
struct FileCreator {
  /// The step, with what it promised of what it made.
  private(set) var stage: StepStage
  /// What becomes of files, those that the step has changed included.
  private(set) var files: [RelativePath: SteppedFile]
  /// The entities that it makes, as they are told.
  private(set) var made: Set<String> = []
  private(set) var changes: [SchemaReport.Change] = []
  private(set) var findings: [Finding] = []

  private let folder: Directory
  private let inventory: FolderInventory
  /// What steps before it make of files, in a dry run.
  private let overlay: [Int: [UInt8]]
  private var places: CreatedPlaces
  private var pieces: [RelativePath: Pieces] = [:]

  /// What a file gets.
  private struct Pieces {
    let kind: EntityKind
    var identities: [Identity] = []
    var entities: [DeclaredEntity] = []
  }
  private var kinds: EntityKinds { inventory.kinds }

  /// What the step makes for others.
  private struct Made {
    var created: [ChangingEntity] = []
    var failures: [(ChangingEntity, String)] = []
  }

  init(
    _ stage: StepStage, in folder: Directory, _ inventory: FolderInventory,
    files: [SteppedFile], overlay: [Int: [UInt8]]
  ) {
    (self.stage, self.folder, self.inventory, self.overlay) = (stage, folder, inventory, overlay)
    self.files = Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { first, _ in first })
    places = CreatedPlaces(
      inventory.kinds, besides: inventory.indices.lazy.map { inventory.path(of: $0) })
  }

  /// Makes the entities of those in files of the app, as these were before the step.
  mutating func run(over sources: [Int]) throws(MigrationError) {
    var made = Made()
    var reader = FileEntities(folder, inventory)
    try reader.forEachOnce(
      in: sources, overlay: overlay, where: { [stage] in stage.makesOthers(for: $0) }, into: &made
    ) { [stage] made, entity in
      do throws(StepDefect) {
        made.created += try stage.creations(for: entity)
      } catch {
        made.failures.append((entity, "\(error.property): \(error.problem)"))
      }
    }
    for (entity, problem) in made.failures { fail(entity.kind, entity.identity, problem) }
    var created = made.created
    do throws(StepDefect) {
      created += try stage.creations()
    } catch {
      findings.append(
        Finding(
          .notConverted, .error, message: "\(stage.step.id): \(error.property): \(error.problem)"))
    }
    try run(making: created)
  }

  /// Gives entities that the step makes their places.
  mutating func run(making created: [ChangingEntity]) throws(MigrationError) {
    for entity in created { make(entity) }
    for path in pieces.keys.sorted() {
      if let pieces = pieces[path] { try add(pieces, at: path) }
    }
  }

  /// Gives an entity its place; what is there gets it once all have theirs.
  private mutating func make(_ entity: ChangingEntity) {
    guard stage.claim(entity) else {
      return tell(.warning, entity.kind, entity.identity, "it is known already, and stays as it is")
    }
    guard let path = places.place(of: entity)?.legacyPath else {
      return fail(entity.kind, entity.identity, "the profile has no file for it")
    }
    pieces[path, default: Pieces(kind: entity.kind)].entities.append(
      DeclaredEntity(
        identity: kinds.bytes(of: entity.identity, entity.kind), json: json(of: entity)))
    pieces[path]?.identities.append(entity.identity)
    made.insert(kinds.title(entity.kind, entity.identity))
    if changes.count < SchemaReport.largestChangeCount {
      changes.append(SchemaReport.Change(entity, fields: nil, of: kinds))
    }
    do throws(ConversionDefect) {
      for number in try stage.check(entity) {
        let promise = stage.step.promises[number]
        tell(promise.severity, entity.kind, entity.identity, promise.problem)
      }
    } catch {
      fail(entity.kind, entity.identity, error.description)
    }
  }

  /// Adds the entities of a file to what it holds.
  private mutating func add(_ pieces: Pieces, at path: RelativePath) throws(MigrationError) {
    func fails(_ problem: String) {
      findings.append(
        Finding(
          .notConverted, .error, path: path.description, message: "\(stage.step.id): \(problem)"))
    }
    let former = if let file = files[path] { file } else { try former(at: path) }
    guard let after = former.map({ added(pieces, to: $0.after) }) ?? newFile(pieces) else {
      return fails(
        "has no place for what the step makes (\(kinds.title(pieces.kind, pieces.identities[0]))), "
          + "as the profile says of its kind")
    }
    if let problem = defect(of: after, besides: former?.after, pieces, at: path) {
      return fails(problem)
    }
    files[path] = SteppedFile(
      path: path, version: former?.version, before: former?.before, after: after)
  }

  // MARK: Places

  /// A file that is there and that the step has not changed so far; nil if there is none.
  private func former(at path: RelativePath) throws(MigrationError) -> SteppedFile? {
    guard let file = inventory.indices.first(where: { inventory.path(of: $0) == path }) else {
      return nil
    }
    var reader = FileEntities(folder, inventory)
    let version = try reader.read(file, overlay: overlay[file])
    return SteppedFile(path: path, version: version, before: reader.bytes, after: reader.bytes)
  }

  // MARK: Bytes

  /// The object of an entity, with its identity where the app has that in it.
  private func json(of entity: ChangingEntity) -> [UInt8] {
    var fields = JSONWriter()
    entity.fields.write(to: &fields, of: entity.tape)
    guard let property = kinds[entity.kind]?.identity.property else { return fields.bytes }
    var own = JSONWriter()
    own.beginObject()
    own.name(property.bytes.span)
    own.string(kinds.bytes(of: entity.identity, entity.kind).span)
    own.endObject()
    let isAlone = fields.bytes.count == 2
    return own.bytes.dropLast() + (isAlone ? [] : [UInt8(ascii: ",")]) + fields.bytes.dropFirst()
  }

  /// A new file with entities; nil if it can hold one alone, and there are more.
  private func newFile(_ pieces: Pieces) -> [UInt8]? {
    guard let home = kinds[pieces.kind]?.home else { return nil }
    switch home.content {
    case .entity, .value: if pieces.entities.count > 1 { return nil }
    case .elements, .members: break
    }
    var file = DeclaredFile(home)
    for entity in pieces.entities { file.add(entity) }
    return file.bytes(like: nil)
  }

  /// A file with entities behind the last one; nil if it has no place for any.
  private func added(_ pieces: Pieces, to bytes: [UInt8]) -> [UInt8]? {
    guard let home = kinds[pieces.kind]?.home else { return nil }
    let kind: JSONNode.Kind
    switch home.content {
    case .entity, .value: return nil
    case .elements: kind = .array
    case .members: kind = .object
    }
    var tape = JSONTape()
    // It was read before as a file of the app.
    guard (try? tape.parse(bytes)) != nil else { return nil }
    var node = 0
    for token in home.content.pointer?.tokens ?? [] {
      guard tape.kind(of: node) == .object, let next = tape.member(token, of: node) else {
        return nil
      }
      node = next
    }
    guard tape.kind(of: node) == kind else { return nil }
    // Without its brackets.
    var list = JSONWriter()
    if kind == .array { list.beginArray() } else { list.beginObject() }
    for entity in pieces.entities {
      if kind == .object { list.name(entity.identity.span) }
      list.value(written: entity.json.span)
    }
    if kind == .array { list.endArray() } else { list.endObject() }
    var piece = Array(list.bytes.dropFirst().dropLast())
    var end = tape.sourceRange(of: node).upperBound - 1
    if tape.childCount(of: node) > 0 {
      end = tape.sourceRange(of: tape.lastChild(of: node)).upperBound
      piece.insert(UInt8(ascii: ","), at: 0)
    }
    return FileStepper.spliced(bytes, [(end..<end, piece)])
  }

  /// What is wrong with a file that entities were added to; nil if it holds what it did, and these.
  private func defect(
    of after: [UInt8], besides before: [UInt8]?, _ pieces: Pieces, at path: RelativePath
  ) -> String? {
    func batch(_ bytes: [UInt8]) -> EntityBatch {
      var batch = EntityBatch(kinds: kinds)
      batch.load(
        bytes, as: pieces.kind, path: path,
        identifiedBy: kinds.isIdentifiedByPath(pieces.kind) ? path : .folder)
      return batch
    }
    let now = batch(after)
    if let finding = now.findings.first(where: { $0.severity == .error }) { return finding.message }
    let former = (before.map(batch)?.entities ?? []).map(\.identity)
    let identities = now.entities.map(\.identity)
    // A new file has them in an order of its own.
    let isWhole =
      identities.starts(with: former)
      && Set(identities[former.count...]) == Set(pieces.identities)
      && identities.count == former.count + pieces.identities.count
    return isWhole ? nil : "what the step makes would be read as something else"
  }

  // MARK: Telling

  private mutating func fail(_ kind: EntityKind, _ identity: Identity, _ problem: String) {
    tell(.error, kind, identity, problem)
  }

  private mutating func tell(
    _ severity: Severity, _ kind: EntityKind, _ identity: Identity, _ problem: String
  ) {
    findings.append(
      Finding(
        .notConverted, severity,
        message: "\(stage.step.id): \(kinds.title(kind, identity)): \(problem)"))
  }
}
