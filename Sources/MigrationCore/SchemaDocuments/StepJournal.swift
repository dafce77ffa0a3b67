import Automerge
import Diagnostics
import FolderDocuments
import FolderState
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What a run of steps is about to add to the documents of a folder, and which of these then leave.
///
/// It is on disk before the first document changes, and goes after the last one has. So a run that is
/// stopped in between is finished by the next: each document gets the changes that it lacks.
struct StepJournal {
  /// What a document gets.
  struct Entry: Sendable {
    let path: RelativePath
    /// Changes, as chunks one behind the other.
    let chunks: [UInt8]
  }

  /// A document that is not needed any more once the others have what they get.
  struct Leaving: Sendable {
    let path: RelativePath
    /// What it holds; it stays if it is something else by then.
    let hash: ContentHash
  }

  /// The names of the steps.
  let steps: [String]
  /// Whether they are undone.
  let isUndoing: Bool
  private(set) var entries: [Entry] = []
  private(set) var leaving: [Leaving] = []

  /// The largest that is read.
  private static let largestFile = 1 << 30
  private static let schema = "automerge-migrate/step-journal"

  /// Notes what patches add.
  init(
    _ patches: some Sequence<DocumentPatch>, of steps: [MigrationID], isUndoing: Bool = false
  ) {
    self.steps = steps.map(\.rawValue)
    self.isUndoing = isUndoing
    entries = patches.filter { !$0.isEmpty }.map { Entry(path: $0.path, chunks: $0.chunks) }
      .sorted { $0.path < $1.path }
  }

  /// Notes what documents get, and which leave.
  init(_ entries: [Entry], leaving: [Leaving], of step: MigrationID, isUndoing: Bool) {
    steps = [step.rawValue]
    self.isUndoing = isUndoing
    self.entries = entries
    self.leaving = leaving
  }

  /// Reads the journal of a run that was stopped; nil if there is none.
  init?(in folder: Directory) throws(MigrationError) {
    guard let bytes = try Self.bytes(in: folder) else { return nil }
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    guard let first = lines.first, let last = lines.last, let begun = Self.begun(first),
      let count = Self.count(last), count == lines.count - 2
    else { throw Self.damaged(folder) }
    (steps, isUndoing) = begun
    for line in lines.dropFirst().dropLast() {
      guard let tape = Self.object(line) else { throw Self.damaged(folder) }
      if let file = Self.leaving(tape) {
        leaving.append(file)
      } else if let entry = Self.entry(tape) {
        entries.append(entry)
      } else {
        throw Self.damaged(folder)
      }
    }
  }

  private static func bytes(in folder: Directory) throws(MigrationError) -> [UInt8]? {
    try MigrationError.wrapping { () throws(FileError) in
      try folder.contentsIfPresent(of: FolderNames.stepJournalPath, limit: largestFile)
    }
  }

  private static func object(_ line: ArraySlice<UInt8>) -> JSONTape? {
    var tape = JSONTape()
    // What is no JSON is no line, whatever is wrong with it.
    guard (try? tape.parse(Array(line))) != nil, tape.kind(of: 0) == .object else { return nil }
    return tape
  }

  /// The steps of a first line, and whether they are undone; nil if it is none.
  private static func begun(_ line: ArraySlice<UInt8>) -> (steps: [String], isUndoing: Bool)? {
    guard let tape = object(line),
      tape.string("schema").map({ $0.elementsEqual(schema.utf8) }) ?? false,
      let version = tape.member("version", of: 0), tape.isEqual(version, to: "1".utf8),
      let list = tape.member("steps", of: 0), tape.kind(of: list) == .array
    else { return nil }
    let steps = (list + 1..<tape.node(after: list)).map {
      String(decoding: tape.bytes(of: $0), as: UTF8.self)
    }
    return (steps, tape.member("undoing", of: 0).map { tape.kind(of: $0) == .true } ?? false)
  }

  private static func count(_ line: ArraySlice<UInt8>) -> Int? {
    guard let tape = object(line), let node = tape.member("end", of: 0),
      tape.kind(of: node) == .number,
      case .int(let count) = tape.number(at: node)
    else { return nil }
    return Int(exactly: count)
  }

  private static func leaving(_ tape: JSONTape) -> Leaving? {
    guard let path = tape.anyBytes("leaves").flatMap({ RelativePath($0) }),
      let hash = tape.string("sha256").flatMap({ ContentHash(hexDigits: $0) })
    else { return nil }
    return Leaving(path: path, hash: hash)
  }

  private static func entry(_ tape: JSONTape) -> Entry? {
    guard let path = tape.anyBytes("document").flatMap({ RelativePath($0) }),
      let node = tape.member("changes", of: 0), tape.kind(of: node) == .string,
      let chunks = Base64.decode(tape.text.span.extracting(tape.range(of: node)))
    else { return nil }
    return Entry(path: path, chunks: chunks)
  }

  private static func damaged(_ folder: Directory) -> MigrationError {
    let path = "\(folder.path)/\(FolderNames.stepJournalPath)"
    return .underlying(
      Diagnostic(
        .damagedInput, subject: path, problem: "is no journal of a run of steps",
        remedy: "move it away; what was done is noted in the documents, and what was not runs anew")
    )
  }

  /// The journal as lines of JSON.
  private var bytes: [UInt8] {
    var writer = JSONWriter()
    func end() {
      writer.bytes.append(UInt8(ascii: "\n"))
      writer.restart()
    }
    writer.beginObject()
    writer.name("schema")
    writer.string(Self.schema)
    writer.name("version")
    writer.number(1)
    writer.name("steps")
    writer.beginArray()
    for step in steps { writer.string(step) }
    writer.endArray()
    if isUndoing {
      writer.name("undoing")
      writer.bool(true)
    }
    writer.endObject()
    end()
    for entry in entries {
      writer.beginObject()
      writer.member("document", anyBytes: entry.path.bytes[...])
      writer.name("changes")
      writer.string(Base64.encode(entry.chunks.span).span)
      writer.endObject()
      end()
    }
    for file in leaving {
      writer.beginObject()
      writer.member("leaves", anyBytes: file.path.bytes[...])
      writer.name("sha256")
      writer.string(file.hash.description)
      writer.endObject()
      end()
    }
    writer.beginObject()
    writer.name("end")
    writer.number(entries.count + leaving.count)
    writer.endObject()
    end()
    return writer.bytes
  }

  // MARK: Writing

  /// Notes what the run is about to do, for good.
  func write(in folder: Directory) throws(MigrationError) {
    let bytes = bytes
    try MigrationError.wrapping { () throws(FileError) in
      try folder.createDirectory(FolderNames.state).publish(
        bytes, as: FolderNames.stepJournal, replacing: .nothing)
    }
  }

  // MARK: Finishing

  /// Adds to each document what it lacks, then lets those leave that are not needed any more, and forgets
  /// the journal.
  ///
  /// A document that somebody replaced meanwhile by one that the changes do not fit stays as it is: the
  /// steps are not done in it, and run on it anew. Nothing leaves then.
  ///
  /// - Parameter begun: when the run has begun, which names what is in quarantine.
  /// - Returns: what is told about such documents, and how many got what they lacked, or left.
  func finish(
    in folder: Directory, begun: FileTime, context: RunContext
  ) throws(MigrationError) -> (findings: [Finding], documentCount: Int) {
    let publisher = DocumentPublisher(folder)
    defer { publisher.discard() }
    let entries = entries
    let results = try Workers.map(
      entries.count, phase: .converting, context: context, makeState: {}
    ) { item, _ throws(MigrationError) in
      try Self.build(entries[item], in: folder, with: publisher)
    }
    let built = results.compactMap(\.built)
    try publisher.publish(built, context: context)
    var findings = results.compactMap(\.finding)
    var leftCount = 0
    if findings.isEmpty {
      (findings, leftCount) = try quarantine(in: folder, begun: begun, context: context)
    }
    try folder.removeStepJournal()
    return (findings, built.count + leftCount)
  }

  /// Returns what `finish` would say of documents; nothing is written.
  func lacking(
    in folder: Directory, context: RunContext
  ) throws(MigrationError) -> (findings: [Finding], documentCount: Int) {
    let entries = entries
    let results = try Workers.map(
      entries.count, phase: .converting, context: context, makeState: {}
    ) { item, _ throws(MigrationError) in
      var result = try Self.build(entries[item], in: folder, with: nil)
      _ = result.built?.takeBytes()
      return result
    }
    var leftCount = 0
    for file in leaving where results.allSatisfy({ $0.finding == nil }) {
      let hash = try MigrationError.wrapping { () throws(FileError) in
        try folder.versionIfPresent(of: file.path)?.hash
      }
      if hash == file.hash { leftCount += 1 }
    }
    return (results.compactMap(\.finding), results.count { $0.built != nil } + leftCount)
  }

  /// Moves away what is not needed any more; returns how many left, beside what is told.
  private func quarantine(
    in folder: Directory, begun: FileTime, context: RunContext
  ) throws(MigrationError) -> (findings: [Finding], count: Int) {
    var files: [QuarantinedFile] = []
    var findings: [Finding] = []
    func stays(_ path: RelativePath) {
      findings.append(
        Finding(
          .changedWhileRead, .warning, path: path.description,
          message: "was written while this command ran, and stays",
          next: "run the same command again"))
    }
    // One directory after the other: files come in the order of their paths.
    var place: (path: RelativePath, directory: Directory?)?
    for file in leaving {
      guard let parent = file.path.parent, let name = file.path.lastComponent else { continue }
      let version = try MigrationError.wrapping { () throws(FileError) -> FileVersion? in
        if place?.path != parent { place = (parent, try folder.openDirectoryIfPresent(parent)) }
        guard let directory = place?.directory, try directory.stateIfPresent(of: name) != nil
        else { return nil }
        return try directory.version(of: name)
      }
      guard let version else { continue }
      if version.hash == file.hash {
        files.append(QuarantinedFile(path: file.path, version: version, identities: []))
      } else {
        stays(file.path)
      }
    }
    if files.isEmpty { return (findings, 0) }
    files.sort { $0.path < $1.path }
    let stayingCount = findings.count
    let mover = try QuarantineMover(folder, begun: begun)
    try mover.publishManifest(files, of: .layout, command: context.command)
    // What was begun is ended, whoever wants to stop.
    var context = context
    context.isInterrupted = { false }
    var departure = Departure(files, with: mover, context: context)
    try departure.perform(
      preparing: {}, leaving: { _ in nil },
      { batch in
        findings += batch.findings
        for (file, outcome) in zip(batch.files, batch.outcomes) {
          switch outcome {
          case .moved: continue
          case .stays: stays(file.path)
          case .displaced: findings.append(mover.run.displaced(file.path))
          }
        }
        return true
      })
    return (findings, files.count + stayingCount - findings.count)
  }

  private struct Result: Sendable {
    var built: BuiltDocument?
    var finding: Finding?
  }

  private static func build(
    _ entry: Entry, in folder: Directory, with publisher: DocumentPublisher?
  ) throws(MigrationError) -> Result {
    func stays(_ problem: String, _ next: String = "run the same command again") -> Result {
      Result(
        finding: Finding(
          .changedWhileRead, .warning, path: entry.path.description, message: problem, next: next))
    }
    let (bytes, version) = try MigrationError.wrapping {
      () throws(FileError) -> ([UInt8], FileVersion?) in
      guard try folder.stateIfPresent(of: entry.path) != nil else { return ([], nil) }
      var bytes: [UInt8] = []
      let version = try folder.readVersion(
        of: entry.path, into: &bytes, limit: DocumentLoader.largestDocument)
      return (bytes, version)
    }
    var document = DocumentState()
    do throws(FormatError) {
      if !bytes.isEmpty { document = try DocumentState(loading: bytes) }
    } catch {
      return stays(
        "does not load, and does not get what a run of steps that was stopped had for it: "
          + error.problem,
        "bring it back with restore-backup --only, then run the same command again")
    }
    let isPlaceholder = try folder.hasPlaceholder(of: entry.path)
    let replaced = "was replaced while a run of steps was stopped: "
    do throws(FormatError) {
      let (heads, waiting) = (document.heads, document.queuedCount)
      try document.apply(chunks: entry.chunks)
      guard document.queuedCount == waiting else {
        if version == nil, isPlaceholder {
          return stays(
            "is not downloaded, and does not get what a run of steps that was stopped had for it",
            "download it, then run the same command again")
        }
        if version == nil {
          return stays(
            "was deleted while a run of steps was stopped, and stays so",
            "if it is missed, bring it back with restore-backup --only, then run the same command "
              + "again")
        }
        return stays(replaced + "it lacks what the changes build on")
      }
      if document.heads == heads { return Result() }
    } catch {
      return stays(replaced + error.problem)
    }
    var patch = DocumentPatch(path: entry.path, file: nil, version: version)
    patch.add(entry.chunks, of: 0)
    var built = try BuiltDocument(document, patch)
    try publisher?.stage(&built)
    return Result(built: built)
  }
}
