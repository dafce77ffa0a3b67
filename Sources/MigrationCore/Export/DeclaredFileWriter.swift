import Diagnostics
import Folders
import Runs
import SafeFiles

/// Why an entity has no place among an app's files.
enum PlaceDefect: Error {
  /// No path would be read as that of this entity.
  case noPath
  /// Another entity has the only path.
  case taken(RelativePath)
  /// The file has something else under that name.
  case stays(RelativePath)

  /// What is wrong, for a message.
  var problem: String {
    switch self {
    case .noPath: "the profile has no file for it"
    case .taken(let path): "another entity has its file \(path)"
    case .stays(let path): "\(path) keeps something else under that name"
    }
  }
}

/// Gives entities of declared kinds their files, and writes these.
struct DeclaredFileWriter {
  private(set) var destination: LegacyDestination
  private(set) var findings: [Finding] = []
  private let kinds: EntityKinds
  private var derived: [EntityKind: DerivedPlaces] = [:]
  /// Whole files that are ready.
  private var ready: [(path: RelativePath, bytes: [UInt8])] = []
  /// Files that are being filled, which hold more than one entity.
  private var shared: [EntityGroup: [RelativePath: DeclaredFile]] = [:]
  /// Paths that patterns name without a wildcard, and that an entity has.
  private var fixedPaths: Set<RelativePath> = []
  /// Paths that entities have, as file systems that ignore case compare them; made when the first name
  /// is made up.
  private var names: Set<String>?

  init(_ destination: LegacyDestination, _ kinds: EntityKinds) {
    self.destination = destination
    self.kinds = kinds
  }

  // MARK: Entities

  /// Adds an entity to the file that it was in, or to one of its own if it was in none.
  ///
  /// - Returns: the path, if its name was made up.
  mutating func add(
    _ entity: DeclaredFile.Entity, of group: EntityGroup, month: Month?, _ known: KnownFiles
  ) throws(PlaceDefect) -> RelativePath? {
    if let place = entity.place {
      try add(entity, of: group, at: known.path(of: place.file))
      return nil
    }
    guard let places = derived[group.kind] ?? DerivedPlaces(group.kind, of: kinds) else {
      throw .noPath
    }
    derived[group.kind] = places
    var names = names
    self.names = nil
    defer { self.names = names }
    let place = places.place(of: entity.identity, month: month) { path in
      if names == nil { names = Set(known.claimed.map(Self.folded)) }
      return names?.contains(Self.folded(path)) ?? false
    }
    guard let place else { throw .noPath }
    try add(entity, of: group, at: place.path)
    guard place.isMadeUp else { return nil }
    names?.insert(Self.folded(place.path))
    return place.path
  }

  private static func folded(_ path: RelativePath) -> String {
    String(decoding: path.bytes, as: UTF8.self).lowercased()
  }

  /// Adds an entity that is in a legacy file of the folder.
  mutating func add(_ entity: DeclaredFile.Entity, of group: EntityGroup, to path: RelativePath) {
    // The file is read, so nothing else can stand in its place.
    try? add(entity, of: group, at: path)
  }

  private mutating func add(
    _ entity: DeclaredFile.Entity, of group: EntityGroup, at path: RelativePath
  ) throws(PlaceDefect) {
    guard let home = kinds[group.kind]?.home else { throw .noPath }
    guard home.content == .entity else {
      var file = shared[group]?[path] ?? DeclaredFile(home)
      if file.staysInMap(entity.identity) { throw .stays(path) }
      if case .value = home.content, !file.entities.isEmpty { throw .taken(path) }
      shared[group]?[path] = nil
      file.add(entity)
      shared[group, default: [:]][path] = file
      return
    }
    if home.paths.contains(where: { $0.isOnePath && $0.text == path.bytes }),
      !fixedPaths.insert(path).inserted
    {
      throw .taken(path)
    }
    ready.append((path, entity.json + [UInt8(ascii: "\n")]))
  }

  // MARK: Files

  /// Makes the files of a group that hold more than one entity, and those that hold none any more but
  /// something else.
  mutating func finish(
    _ group: EntityGroup, _ files: [KnownFiles.File], of known: KnownFiles
  ) throws(MigrationError) {
    guard let home = kinds[group.kind]?.home, home.content != .entity else { return }
    var models: [RelativePath: [KnownFiles.File]] = [:]
    for file in files { models[known.path(of: file), default: []].append(file) }
    var shared = shared.removeValue(forKey: group) ?? [:]
    for path in Set(shared.keys).union(models.keys).sorted() {
      var file = shared.removeValue(forKey: path) ?? DeclaredFile(home)
      let model = model(among: models[path] ?? [], of: known)
      let bytes = file.bytes(like: model)
      if file.isEmpty, model?.file.isOfFolder != true { continue }
      if model == nil, !home.stays.isEmpty { noteMissing(home.stays, at: path) }
      ready.append((path, bytes))
    }
  }

  /// Returns the first of some files that can be read.
  private func model(
    among files: [KnownFiles.File], of known: KnownFiles
  ) -> (file: KnownFiles.File, tape: JSONTape)? {
    for file in files {
      let source = known.sources[file.source]
      var reader = LegacyReader(source.directory, source.inventory)
      reader.read(file.number)
      if reader.state != nil, !reader.batch.findings.contains(where: { $0.code == .damaged }) {
        return (file, reader.batch.tape)
      }
    }
    return nil
  }

  private mutating func noteMissing(_ pointers: [JSONPointer], at path: RelativePath) {
    let names = pointers.map { DisplayText.escaping($0.text) }.joined(separator: ", ")
    findings.append(
      Finding(
        .notExported, .warning, path: path.description,
        message: "is written without what stays in it (\(names)): neither the folder nor its "
          + "quarantine has the file",
        next: "add it to the file, or let the app do it"))
  }

  /// Publishes what is ready.
  mutating func flush() throws(MigrationError) {
    var files: [RelativePath: [(path: RelativePath, bytes: [UInt8])]] = [:]
    for file in ready {
      if file.bytes.count > LegacyReader.largestFile {
        findings.append(
          Finding(
            .notExported, .warning, path: file.path.description,
            message: "is longer than what an import reads"))
      }
      files[file.path.parent ?? .folder, default: []].append(file)
    }
    ready.removeAll()
    for (_, files) in files.sorted(by: { $0.key < $1.key }) { try destination.write(files) }
  }
}
