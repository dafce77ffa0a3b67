import Backups
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
struct DeclaredFileWriter: DeclaredWriter {
  private var destination: LegacyDestination
  private var findings: [Finding] = []
  private let kinds: EntityKinds
  private var places: DerivedPaths
  /// Whole files that are ready.
  private var ready: [(path: RelativePath, bytes: [UInt8])] = []
  /// Files that are being filled, which hold more than one entity.
  private var shared: [EntityGroup: [RelativePath: DeclaredFile]] = [:]
  /// Paths that patterns name without a wildcard, and that an entity has.
  private var fixedPaths: Set<RelativePath> = []

  init(_ destination: LegacyDestination, _ kinds: EntityKinds) {
    self.destination = destination
    self.kinds = kinds
    places = DerivedPaths(kinds)
  }

  let form = DeclaredForm.file
  var isAnotherFolder: Bool { destination.isAnotherFolder }

  mutating func add(
    _ entity: DeclaredEntity, of group: EntityGroup, month: Month?, _ known: KnownFiles
  ) throws(PlaceDefect) -> RelativePath? {
    if kinds[group.kind]?.home?.rows != nil { throw .noPath }
    let place = try places.place(of: entity, in: group, month: month, known)
    try add(entity, of: group, at: place.path)
    guard place.isMadeUp else { return nil }
    places.claim(place.path)
    return place.path
  }

  private mutating func add(
    _ entity: DeclaredEntity, of group: EntityGroup, at path: RelativePath
  ) throws(PlaceDefect) {
    guard let home = kinds[group.kind]?.home else { throw .noPath }
    guard home.content == .entity else {
      var file = shared[group]?[path] ?? DeclaredFile(home)
      if home.staysInMap(entity.identity) { throw .stays(path) }
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
  private mutating func model(
    among files: [KnownFiles.File], of known: KnownFiles
  ) -> (file: KnownFiles.File, tape: JSONTape)? {
    for file in files {
      let source = known.sources[file.source]
      var reader = LegacyReader(source.directory, source.inventory)
      reader.read(file.number)
      if let failure = reader.failure(in: source) { findings.append(failure) }
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
  mutating func stage(_ entry: BackupEntry) throws(MigrationError) -> FileWriter? {
    try destination.stage(entry)
  }

  func end() {}

  func complete(_ report: inout ExportReport) {
    report.filesCreated = destination.filesCreated
    report.filesUnchanged = destination.filesUnchanged
    report.findings += findings
  }
}
