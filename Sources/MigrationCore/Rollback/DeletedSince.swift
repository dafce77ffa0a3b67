import Diagnostics
import Folders
import Runs
import SafeFiles

/// What a backup held and an export of the documents does not: what was deleted since, of kinds that a
/// profile declares.
///
/// Both sides are the app's own files: those that the export wrote, and those that an export of the
/// restored backup wrote.
struct DeletedSince {
  /// An entity that was deleted.
  struct Entity {
    /// The path of the file of the backup that has it.
    var path: RelativePath
    /// What the entity is called in messages.
    var title: String
    /// Why it cannot come back; nil if it is back, or nobody wants it.
    var problem: String?
  }

  /// A place of an entity whose file has others, too.
  private struct Shared: Hashable {
    var kind: EntityKind
    var path: RelativePath
  }

  private(set) var entities: [Entity] = []

  private let was: Directory
  private let json: Directory
  private let kinds: EntityKinds
  /// What the export shows.
  private var shown: [EntityKind: Set<Identity>] = [:]
  /// What comes back to files that hold several entities.
  private var returning: [Shared: [(identity: [UInt8], json: [UInt8])]] = [:]
  /// The files that entities which come back name, relative to the folder.
  private(set) var attachments: Set<RelativePath> = []

  /// Compares what a backup held with what is there, and brings it back if that is asked for.
  ///
  /// - Parameters:
  ///   - was: the app's files as the backup says they were.
  ///   - json: the app's files as the documents say they are; gets what comes back.
  ///   - content: what else the backup held, such as files that entities name.
  init(
    from was: Directory, in json: Directory, kinds: EntityKinds, rules: EntityRules,
    bringingBackWith content: FolderInventory?
  ) throws(MigrationError) {
    self.was = was
    self.json = json
    self.kinds = kinds
    try Self.forEachFile(of: json, kinds, rules) { file, batch, inventory in
      for entity in batch.entities { shown[entity.kind, default: []].insert(entity.identity) }
    }
    let others = try FolderAccess.wholeInventory(of: was, as: kinds)
    var reader = LegacyReader(was, others, rules: rules)
    for group in others.legacyGroups {
      for file in others.legacyFiles(of: group) {
        reader.read(file)
        let batch = reader.batch
        for entity in batch.entities
        where shown[entity.kind, default: []].insert(entity.identity).inserted {
          let path = others.path(of: file)
          var deleted = Entity(path: path, title: batch.title(of: entity))
          if let content {
            deleted.problem = try bringBack(entity, of: batch, at: path)
            noteAttachments(of: entity, in: batch, others.month(of: file), content)
          }
          entities.append(deleted)
        }
      }
    }
    for (place, entities) in returning.sorted(by: { $0.key.path < $1.key.path }) {
      try write(entities, to: place, rules)
    }
  }

  private static func forEachFile(
    of folder: Directory, _ kinds: EntityKinds, _ rules: EntityRules,
    _ body: (Int, EntityBatch, FolderInventory) -> Void
  ) throws(MigrationError) {
    let inventory = try FolderAccess.wholeInventory(of: folder, as: kinds)
    var reader = LegacyReader(folder, inventory, rules: rules)
    for group in inventory.legacyGroups {
      for file in inventory.legacyFiles(of: group) {
        reader.read(file)
        body(file, reader.batch, inventory)
      }
    }
  }

  // MARK: Coming back

  /// Gives an entity its place among the app's files; returns why it cannot have one.
  private mutating func bringBack(
    _ entity: LegacyEntity, of batch: EntityBatch, at path: RelativePath
  ) throws(MigrationError) -> String? {
    var object = JSONWriter()
    object.value(entity.node, of: batch.tape)
    guard kinds.isFileEach(entity.kind) else {
      let place = Shared(kind: entity.kind, path: path)
      returning[place, default: []].append((kinds.bytes(of: entity.identity), object.bytes))
      return nil
    }
    for place in [path, path.beside(entity.identity)] {
      guard kinds.isLegacyFile(place, of: entity.kind),
        place == path || kinds[entity.kind]?.identity.property != nil,
        try MigrationError.wrapping({ () throws(FileError) in
          try json.stateIfPresent(of: place) == nil
        })
      else { continue }
      try publish(object.bytes + [UInt8(ascii: "\n")], at: place)
      return nil
    }
    return "another entity has its file"
  }

  private func publish(_ bytes: [UInt8], at path: RelativePath) throws(MigrationError) {
    guard let parent = path.parent, let name = path.lastComponent else { return }
    try MigrationError.wrapping { () throws(FileError) in
      try json.createDirectory(parent).publish(bytes, as: name)
    }
  }

  /// Writes a file that holds several entities again, with those that come back.
  private mutating func write(
    _ returning: [(identity: [UInt8], json: [UInt8])], to place: Shared, _ rules: EntityRules
  ) throws(MigrationError) {
    guard let home = kinds[place.kind]?.home else { return }
    var file = DeclaredFile(home)
    var model: (file: KnownFiles.File, tape: JSONTape)?
    for (source, folder) in [json, was].enumerated() where model == nil {
      let inventory = try FolderAccess.wholeInventory(of: folder, as: kinds)
      guard let number = inventory.indices.first(where: { inventory.path(of: $0) == place.path })
      else { continue }
      var reader = LegacyReader(folder, inventory, rules: rules)
      reader.read(number)
      let own = KnownFiles.File(source: source, number: number)
      let batch = reader.batch
      model = (own, batch.tape)
      // What is beside the entities is of the backup where there is no such file any more.
      for entity in batch.entities where source == 0 {
        var object = JSONWriter()
        object.value(entity.node, of: batch.tape)
        file.add(
          .init(
            identity: kinds.bytes(of: entity.identity),
            place: KnownFiles.Place(file: own, position: entity.position), json: object.bytes))
      }
    }
    if case .value = home.content, !file.entities.isEmpty { return }
    for (identity, json) in returning {
      file.add(.init(identity: identity, place: nil, json: json))
    }
    try publish(file.bytes(like: model), at: place.path)
  }

  /// Notes the files that an entity names.
  private mutating func noteAttachments(
    of entity: LegacyEntity, in batch: EntityBatch, _ month: Month?, _ content: FolderInventory
  ) {
    for attachment in kinds[entity.kind]?.attachments ?? [] {
      for name in batch.tape.texts(of: attachment.property.bytes, in: entity.node) {
        let file = content.attachment(named: name, in: attachment.directories, month: month)
        if let file { attachments.insert(content.path(of: file)) }
      }
    }
  }
}

extension JSONTape {
  /// Returns the strings that a member of an object is: one, or those of a list.
  fileprivate func texts(of name: [UInt8], in object: Int) -> [[UInt8]] {
    var texts: [[UInt8]] = []
    var member = object + 1
    while member < node(after: object) {
      if isEqual(member, to: name) {
        let value = member + 1
        if kind(of: value) == .string { texts.append(bytes(of: value)) }
        var element = value + 1
        while kind(of: value) == .array, element < node(after: value) {
          if kind(of: element) == .string { texts.append(bytes(of: element)) }
          element = node(after: element)
        }
      }
      member = node(after: member + 1)
    }
    return texts
  }
}

extension RelativePath {
  /// The same path with the first eight characters of an identity behind the name.
  fileprivate func beside(_ identity: Identity) -> RelativePath {
    let start = (bytes.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
    let end = bytes[start...].lastIndex(of: UInt8(ascii: ".")) ?? bytes.count
    let mark = [UInt8(ascii: "_")] + identity.canonicalBytes.prefix(8)
    return RelativePath(Array(bytes[..<end]) + mark + Array(bytes[end...])) ?? self
  }
}
