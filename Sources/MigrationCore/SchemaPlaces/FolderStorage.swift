import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations
import SwiftDataStores

/// The files and preferences of a folder, as the steps of a plan see them.
///
/// A file of JSON is written whole or not at all, under a temporary name first, and never in the place of
/// another one. What is set aside moves below our state directory, under its own path. What was done is
/// noted in `schema.jsonl` there, line by line, the file whole each time.
struct FolderStorage: MigrationStorage {
  let folder: Directory
  let places: [StorageKey: Place]
  /// What the value of each destination is made of.
  private let sources: [StorageKey: [Place]]
  /// The checksums of the steps, which are noted with what they did.
  private let checksums: [MigrationID: ContentHash]
  /// What sync services have put beside files, as it was when the run first looked there.
  private let copies = ListedCopies()

  /// The largest file of JSON.
  private static let largestFile = JSONTape.largestSource

  init(_ folder: Directory, of steps: [PlaceStep]) {
    self.folder = folder
    sources = Dictionary(
      steps.map { ($0.migration.destination, Array($0.places.dropLast())) }
    ) { first, _ in first }
    places = Dictionary(steps.flatMap(\.places).map { ($0.key, $0) }) { first, _ in first }
    checksums = Dictionary(steps.map { ($0.id, $0.checksum) }) { first, _ in first }
  }

  // MARK: Reading

  func presence(at key: StorageKey) throws(StorageFailure) -> MigrationInput.Presence {
    // A step that was edited may have used what it does not name any more.
    guard let place = places[key] else { return .unreachable(because: "no step here has it") }
    switch place {
    case .keychain:
      return .unreachable(because: "it is in a keychain, which only its app can read")
    case .encrypted(let path):
      guard try state(of: path) != nil else { return .absent }
      return .unreachable(because: "it is encrypted, and only its app can read it")
    case .file, .preference:
      // A value that does not load is one, and its step waits until somebody has seen to it.
      do throws(Unread) {
        return try content(of: key) == nil ? .absent : .present
      } catch {
        guard case .damaged(let failure) = error else { throw error.failure }
        return .unreachable(because: "\(failure.reason); \(failure.remedy)")
      }
    }
  }

  /// Why there is no value.
  private enum Unread: Error {
    /// Nobody could look.
    case failed(StorageFailure)
    /// What is there is nothing that loads.
    case damaged(StorageFailure)

    var failure: StorageFailure {
      switch self {
      case .failed(let failure), .damaged(let failure): failure
      }
    }
  }

  func value(at key: StorageKey) throws(StorageFailure) -> MigrationValue? {
    try loading { () throws(Unread) in try content(of: key) }
  }

  private func content(of key: StorageKey) throws(Unread) -> MigrationValue? {
    switch try looking({ () throws(StorageFailure) in try place(key) }) {
    case .keychain, .encrypted:
      throw .failed(
        StorageFailure("\(key) cannot be read here", remedy: "let its app read it"))
    case .file(let path, let pointer): return try content(of: path).flatMap(pointer.value)
    case .preference(let path, let name): return try preference(name, in: path)
    }
  }

  private func loading<Answer>(
    _ question: () throws(Unread) -> Answer
  ) throws(StorageFailure) -> Answer {
    do throws(Unread) {
      return try question()
    } catch {
      throw error.failure
    }
  }

  private func looking<Answer>(
    _ question: () throws(StorageFailure) -> Answer
  ) throws(Unread) -> Answer {
    do throws(StorageFailure) {
      return try question()
    } catch {
      throw .failed(error)
    }
  }

  func place(_ key: StorageKey) throws(StorageFailure) -> Place {
    guard let place = places[key] else {
      throw StorageFailure("no step has a place \(key)", remedy: "report this")
    }
    return place
  }

  func state(of path: RelativePath) throws(StorageFailure) -> FileState? {
    try asking { () throws(FileError) in try folder.stateIfPresent(of: path) }
  }

  private func bytes(of path: RelativePath, limit: Int) throws(Unread) -> [UInt8]? {
    guard let state = try reachableState(of: path) else {
      guard try hasPlaceholder(path) else { return nil }
      throw .damaged(
        StorageFailure("\(path) is not downloaded", remedy: "let the sync service fetch it"))
    }
    guard state.kind == .regular else {
      throw .damaged(StorageFailure("\(path) is no regular file", remedy: "move it away"))
    }
    if let copy = try conflictCopy(of: path) {
      throw .damaged(
        StorageFailure(
          "\(path) has the conflict copy \(copy)",
          remedy: "keep of the two what is right under the first name, and move the copy away"))
    }
    guard state.size <= limit else {
      throw .damaged(
        StorageFailure(
          "\(path) is larger than \(limit.byteCountText)", remedy: "mend it, or move it away"))
    }
    return try looking { () throws(StorageFailure) in
      try asking { () throws(FileError) in
        try SteadyRead.perform { () throws(FileError) in
          try folder.contents(of: path, limit: limit)
        }
      }
    }
  }

  /// The state of what is at a path; a link on the way to it is nothing that is followed.
  private func reachableState(of path: RelativePath) throws(Unread) -> FileState? {
    do throws(FileError) {
      return try folder.stateIfPresent(of: path)
    } catch {
      let failure = failure(error)
      guard case .wrongKind(let place, _, let found) = error else { throw .failed(failure) }
      let what = found == .symbolicLink ? "is a symbolic link" : "is no directory"
      throw .damaged(
        StorageFailure("\(place) \(what)", remedy: "put the directory itself there"))
    }
  }

  /// The name of a copy that a sync service has put beside a file of the app, because two devices wrote it.
  private func conflictCopy(of path: RelativePath) throws(Unread) -> String? {
    guard path.components.first?.bytes != FolderNames.state.bytes else { return nil }
    return try looking { () throws(StorageFailure) in
      try asking { () throws(FileError) in try copies.copy(of: path, in: folder) }
    }
  }

  /// Whether a sync service has what is at a path, and this device has not.
  private func hasPlaceholder(_ path: RelativePath) throws(Unread) -> Bool {
    guard let name = path.lastComponent, let parent = path.parent,
      let placeholder = FileName(FolderNames.placeholder(for: name.bytes.span))
    else { return false }
    return try looking { () throws(StorageFailure) in
      try state(of: parent.appending(placeholder)) != nil
    }
  }

  func json(at path: RelativePath) throws(StorageFailure) -> MigrationValue? {
    try loading { () throws(Unread) in try content(of: path) }
  }

  private func content(of path: RelativePath) throws(Unread) -> MigrationValue? {
    guard let bytes = try bytes(of: path, limit: Self.largestFile) else { return nil }
    do throws(JSONFailure) {
      return try MigrationValue(json: bytes)
    } catch {
      throw .damaged(
        StorageFailure("\(path) is no JSON: \(error)", remedy: "mend it, or move it away"))
    }
  }

  private func preference(_ name: String, in path: RelativePath) throws(Unread) -> MigrationValue? {
    guard let bytes = try bytes(of: path, limit: PropertyList.maximumByteCount) else { return nil }
    let root: PropertyListValue
    do throws(PropertyListError) {
      root = try PropertyList(bytes).root
    } catch {
      throw .damaged(
        StorageFailure(
          "\(path) cannot be read as preferences: \(error.text)",
          remedy: "give the property list that the app keeps its preferences in"))
    }
    guard let (keys, values) = root.members else {
      throw .damaged(
        StorageFailure("\(path) is no dictionary", remedy: "give the preferences of an app"))
    }
    let found = keys.indices.filter {
      keys[$0].text.map { $0.utf8.elementsEqual(name.utf8) } ?? false
    }
    guard let index = found.first else { return nil }
    guard found.count == 1 else {
      throw .damaged(
        StorageFailure(
          "\(path) has the key \(name) \(found.count.counted("time")), and nothing tells which the app sees",
          remedy: "let its app migrate it"))
    }
    guard let value = MigrationValue(values[index]) else {
      throw .damaged(
        StorageFailure(
          "\(name) in \(path) holds what JSON cannot say, or more than a step takes",
          remedy: "let its app migrate it"))
    }
    return value
  }

  func reasonToStay(_ key: StorageKey) -> String? {
    switch places[key] {
    case .preference(let path, let name):
      "is only read, as all preferences are: clear the key \(name) of \(path) in the app"
    case .file(let path, let pointer) where pointer.first != nil:
      "is a part of \(path), which holds more"
    default: nil
    }
  }

  // MARK: Writing

  mutating func write(_ value: MigrationValue, at key: StorageKey) throws(StorageFailure) {
    guard case .file(let path, _) = try place(key) else {
      throw StorageFailure("\(key) is only read", remedy: "let the step write a file")
    }
    let bytes = JSONIndentation.lines(of: value.json)
    guard bytes.count <= Self.largestFile else {
      throw StorageFailure(
        "\(path) would be larger than \(Self.largestFile.byteCountText), which is more than anybody reads",
        remedy: "let the step take less into it")
    }
    try asking { () throws(FileError) in
      guard let name = path.lastComponent, let parent = path.parent else {
        throw .invalidPath(path: path.description)
      }
      let directory = try folder.createDirectory(parent)
      try directory.stage(
        bytes, as: name, replacing: .nothing,
        asPrivateAs: privacy(of: key)
      ).publish()
      try directory.synchronize()
    }
  }

  /// Who may read all that the value of a destination is made of; nil if that is in no file here.
  private func privacy(of destination: StorageKey) throws(FileError) -> Privacy? {
    var privacy: Privacy?
    for source in sources[destination] ?? [] {
      let path: RelativePath
      switch source {
      case .file(let file, _), .preference(let file, _), .encrypted(let file): path = file
      case .keychain: continue
      }
      guard let state = try folder.stateIfPresent(of: path) else { continue }
      let own = Privacy(of: state)
      privacy = privacy?.narrowed(by: own) ?? own
    }
    return privacy
  }

  // MARK: Records

  func records() throws(StorageFailure) -> [StepRecord] {
    var last: [MigrationID: StepRecord] = [:]
    for line in try lines() { last[line.record.id] = line.record }
    return last.values.sorted { $0.id.rawValue < $1.id.rawValue }
  }

  /// Every line that was noted.
  func lines() throws(StorageFailure) -> [SchemaLine] {
    try log().lines
  }

  private func log() throws(StorageFailure) -> SchemaLog {
    let text = try loading { () throws(Unread) -> [UInt8]? in
      try bytes(of: SchemaLog.path, limit: Self.largestFile)
    }
    do throws(SchemaLog.Defect) {
      return try SchemaLog(text ?? [])
    } catch {
      throw StorageFailure(error.problem, remedy: error.remedy)
    }
  }

  mutating func keep(_ record: StepRecord) throws(StorageFailure) {
    guard let checksum = checksums[record.id] else {
      throw StorageFailure("no step is called \(record.id)", remedy: "report this")
    }
    let text = try log().bytes(adding: SchemaLine(record: record, checksum: checksum))
    try asking { () throws(FileError) in
      try folder.createDirectory(FolderNames.state).publish(text, as: FolderNames.schemaLog)
    }
  }

  func asking<Answer>(
    _ question: () throws(FileError) -> Answer
  ) throws(StorageFailure) -> Answer {
    do throws(FileError) {
      return try question()
    } catch {
      throw failure(error)
    }
  }

  private func failure(_ error: FileError) -> StorageFailure {
    let diagnostic = error.diagnostic
    return StorageFailure(
      "\(diagnostic.subject): \(diagnostic.problem)",
      remedy: diagnostic.remedy ?? "run the command again")
  }
}
