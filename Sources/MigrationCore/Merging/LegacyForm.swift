import Diagnostics
import FolderDocuments
import Folders
import SafeFiles

/// What the legacy files of one kind look like: where their entities are, and what is around these.
struct LegacyForm: Sendable {
  let kind: EntityKind
  let kinds: EntityKinds
  /// The path that is the identity, where a path is one: copies hold the entity of their base.
  let identityPath: RelativePath

  private let home: EntityHome?

  init(_ kind: EntityKind, of kinds: EntityKinds, identifiedBy path: RelativePath) {
    self.kind = kind
    self.kinds = kinds
    identityPath = path
    home = kinds[kind]?.home
  }

  /// Whether a file is one entity, and one of another identity no copy of it.
  var holdsOneEntity: Bool { kinds.isOneEntity(fileOf: kind) }

  /// Reads a file; throws what is unusual in it.
  func batch(
    _ bytes: [UInt8], path: RelativePath
  ) throws(LegacyMerge.RefusedFile) -> EntityBatch {
    var batch = EntityBatch(kinds: kinds)
    batch.load(bytes, as: kind, path: path, identifiedBy: identityPath)
    guard batch.isComplete else {
      let errors = batch.findings.filter { $0.severity == .error }
      throw LegacyMerge.RefusedFile(findings: errors.isEmpty ? batch.findings : errors)
    }
    let identities = batch.entities.map(\.identity)
    if let repeated = Array(identities.repeated()).min() {
      let finding = Finding(
        .duplicateID, .error, path: path.description,
        message: "holds \(kinds.text(of: repeated)) more than once",
        next: "decide which is right; until then the file takes no part in a merge")
      throw LegacyMerge.RefusedFile(findings: [finding])
    }
    return batch
  }

  /// Returns the bytes of an entity as the list or the map of another file takes it.
  func source(of entity: LegacyEntity, in batch: EntityBatch) -> ArraySlice<UInt8> {
    let range = batch.tape.sourceRange(of: entity.node)
    guard case .members? = home?.content else { return batch.tape.text[range] }
    return batch.tape.text[batch.tape.offset(of: entity.node - 1)..<range.upperBound]
  }

  /// Returns the node of the list or the map that holds the entities.
  func content(of batch: EntityBatch) -> Int { node(at: tokens[...], of: batch) }

  /// Returns the null that stands for the one entity of a file; nil if there is none.
  func emptyPlace(in batch: EntityBatch) -> Int? {
    guard case .value? = home?.content else { return nil }
    let node = content(of: batch)
    return batch.tape.kind(of: node) == .null ? node : nil
  }

  /// Returns the node that names lead to. What was a bare list in old files is one all the way.
  func node(at tokens: ArraySlice<[UInt8]>, of batch: EntityBatch) -> Int {
    var node = 0
    for token in tokens {
      guard batch.tape.kind(of: node) == .object, let value = batch.tape.member(token, of: node)
      else {
        return node
      }
      node = value
    }
    return node
  }

  private var tokens: [[UInt8]] { home?.content.pointer?.tokens ?? [] }

  /// Returns what is in a file besides its entities: the other members of every object on the way to
  /// them, and those of the map of entities that stay in it.
  func surroundings(of batch: EntityBatch) -> LegacySurroundings {
    var surroundings = LegacySurroundings()
    guard let home, home.content.pointer != nil else { return surroundings }
    for depth in tokens.indices {
      let object = node(at: tokens[..<depth], of: batch)
      guard batch.tape.kind(of: object) == .object else { return surroundings }
      for member in LegacyMember.members(of: object, in: batch) where member.name != tokens[depth] {
        surroundings.add(member, in: tokens[..<depth])
      }
    }
    guard case .members = home.content else { return surroundings }
    for member in LegacyMember.members(of: content(of: batch), in: batch)
    where home.stays.contains(JSONPointer(tokens: tokens + [member.name])) {
      surroundings.add(member, in: tokens[...])
    }
    return surroundings
  }
}

/// What a legacy file holds besides its entities, in the order of the file.
struct LegacySurroundings: Sequence {
  private var members: [(place: JSONPointer, member: LegacyMember)] = []
  private var positions: [JSONPointer: Int] = [:]

  fileprivate mutating func add(_ member: LegacyMember, in object: ArraySlice<[UInt8]>) {
    let place = JSONPointer(tokens: Array(object) + [member.name])
    positions[place] = members.count
    members.append((place, member))
  }

  /// Returns the member at a place.
  subscript(place: JSONPointer) -> LegacyMember? { positions[place].map { members[$0].member } }

  func makeIterator() -> IndexingIterator<[(place: JSONPointer, member: LegacyMember)]> {
    members.makeIterator()
  }
}

extension JSONPointer {
  /// The pointer for a message.
  var displayText: String { DisplayText.escaping(text) }
}
