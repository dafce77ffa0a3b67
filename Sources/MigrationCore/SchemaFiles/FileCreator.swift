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
  private var kinds: EntityKinds { inventory.kinds }

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
    var created: [ChangingEntity] = []
    var reader = FileEntities(folder, inventory)
    for file in sources where stage.takesIn(inventory.kind(of: file)) {
      _ = try reader.read(file, overlay: overlay[file])
      for entity in reader.batch.entities {
        do throws(StepDefect) {
          created += try stage.creations(for: reader.changing(entity))
        } catch {
          fail(entity.kind, entity.identity, "\(error.property): \(error.problem)")
        }
      }
    }
    do throws(StepDefect) {
      created += try stage.creations()
    } catch {
      findings.append(
        Finding(
          .notConverted, .error, message: "\(stage.step.id): \(error.property): \(error.problem)"))
    }
    for entity in created { try make(entity) }
  }

  private mutating func make(_ entity: ChangingEntity) throws(MigrationError) {
    guard stage.claim(entity) else {
      return tell(.warning, entity.kind, entity.identity, "it is known already, and stays as it is")
    }
    guard let path = places.place(of: entity)?.legacyPath else {
      return fail(entity.kind, entity.identity, "the profile has no file for it")
    }
    let former = if let file = files[path] { file } else { try former(at: path) }
    let (before, bytes) = (former?.before, former?.after)
    guard let after = bytes.map({ added(entity, to: $0) }) ?? file(of: entity) else {
      return fail(
        entity.kind, entity.identity, "\(path) has no place for it, as the profile says of its kind"
      )
    }
    if let problem = defect(of: after, besides: bytes, entity, at: path) {
      return fail(entity.kind, entity.identity, problem)
    }
    files[path] = SteppedFile(path: path, version: former?.version, before: before, after: after)
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

  /// A new file with an entity.
  private func file(of entity: ChangingEntity) -> [UInt8]? {
    guard let home = kinds[entity.kind]?.home else { return nil }
    var file = DeclaredFile(home)
    file.add(
      DeclaredEntity(
        identity: kinds.bytes(of: entity.identity, entity.kind), json: json(of: entity)))
    return file.bytes(like: nil)
  }

  /// A file with an entity behind the last one; nil if it has no place for any.
  private func added(_ entity: ChangingEntity, to bytes: [UInt8]) -> [UInt8]? {
    guard let home = kinds[entity.kind]?.home else { return nil }
    var piece = json(of: entity)
    let kind: JSONNode.Kind
    switch home.content {
    case .entity, .value: return nil
    case .elements: kind = .array
    case .members:
      kind = .object
      var member = JSONWriter()
      member.beginObject()
      member.name(kinds.bytes(of: entity.identity, entity.kind).span)
      member.value(written: piece.span)
      member.endObject()
      piece = Array(member.bytes.dropFirst().dropLast())
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
    guard tape.childCount(of: node) > 0 else {
      let end = tape.sourceRange(of: node).upperBound - 1
      return bytes[..<end] + piece + bytes[end...]
    }
    let end = tape.sourceRange(of: tape.lastChild(of: node)).upperBound
    return bytes[..<end] + [UInt8(ascii: ",")] + piece + bytes[end...]
  }

  /// What is wrong with a file that an entity was added to; nil if it holds what it did, and that one.
  private func defect(
    of after: [UInt8], besides before: [UInt8]?, _ entity: ChangingEntity, at path: RelativePath
  ) -> String? {
    func batch(_ bytes: [UInt8]) -> EntityBatch {
      var batch = EntityBatch(kinds: kinds)
      batch.load(
        bytes, as: entity.kind, path: path,
        identifiedBy: kinds.isIdentifiedByPath(entity.kind) ? path : .folder)
      return batch
    }
    let now = batch(after)
    if let finding = now.findings.first(where: { $0.severity == .error }) { return finding.message }
    let identities = (before.map(batch)?.entities ?? []).map(\.identity) + [entity.identity]
    return now.entities.map(\.identity) == identities ? nil : "it would be read as something else"
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
