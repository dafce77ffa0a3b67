import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles

/// One side of a round: what it knows, what it has to say, what arrived.
///
/// Both sides are the same but for who begins. `SyncClient` says what comes next; `SyncServer`
/// answers.
struct SyncSide {
  let folder: Directory
  let connection: Connection
  let context: RunContext
  let isDryRun: Bool

  private(set) var survey: FolderSurvey
  private(set) var plan = SyncPlan(here: SideIndex(), there: SideIndex(), declined: [])
  /// What both remember; nothing if they do not remember the same.
  private let memory: SyncMemory
  private var theirs = SideIndex()
  private var declined: Set<RelativePath> = []

  private var talks = OpenTalks()
  /// The files that were begun.
  private var begun: Set<Int> = []
  /// What arrived and was not accepted.
  private var rejected: Set<RelativePath> = []
  private var spool: FileSpool
  private var arrivals: [ArrivedDocument] = []
  private var arrivedByteCount = 0
  /// Whether the other side was told that this one has to write before more may come.
  private var hasSaidFull = false
  /// How many bytes of changes arrived in all.
  private(set) var changeByteCount = 0

  private var agreements: [RelativePath: HeadList] = [:]
  private(set) var sentCounts: [RelativePath: Int] = [:]
  private(set) var published = PublishedArrivals()
  /// What one side or the other could not write.
  private(set) var unpublished: Set<RelativePath> = []
  /// Files that this side could not send.
  private(set) var unsent: Set<RelativePath> = []
  private var findings: [Finding] = []

  /// So many bytes of documents wait in memory before they are written.
  private static let mostArrivedBytes = 16 << 20
  /// So many bytes of files are exchanged before they are written.
  private static let mostFileBytes = 64 << 20
  /// So many bytes are the documents that are talked about together, which take more than ten times as
  /// much in memory, and so many documents.
  private static let mostDocumentBytes = 1 << 20
  private static let mostDocuments = 4096
  /// However many there are, no more of ours are loaded together than so many times that size.
  private static let greatestRequest = 64

  /// - Parameter memory: what both sides remember.
  init(
    _ folder: Directory, _ connection: Connection, _ survey: FolderSurvey,
    sharing memory: SyncMemory, isDryRun: Bool, context: RunContext
  ) {
    (self.folder, self.connection, self.survey) = (folder, connection, survey)
    (self.memory, self.isDryRun, self.context) = (memory, isDryRun, context)
    spool = FileSpool(context)
  }

  // MARK: What there is to do

  func sendIndex() throws(MigrationError) {
    let (index, base) = (survey.index, memory.index)
    try connection.send(.index) { index.write(to: &$0, besides: base) }
  }

  mutating func takeIndex(_ frame: Frame) throws(MigrationError) {
    let base = memory.index
    theirs = try connection.parse(frame) { (reader) throws(WireDefect) in
      try SideIndex(&reader, besides: base)
    }
    declined = survey.declines(theirs)
  }

  /// Says of which paths this side takes nothing.
  func sendDeclined() throws(MigrationError) {
    try send(paths: declined, as: .declined)
  }

  /// Takes in of which paths the other side takes nothing; what there is to do is known then.
  mutating func takeDeclined(_ frame: Frame) throws(MigrationError) {
    let theirs = try paths(of: frame)
    plan = SyncPlan(here: survey.index, there: self.theirs, declined: declined.union(theirs))
  }

  /// Says what this side makes of both indexes.
  func sendPlan(isClient: Bool) throws(MigrationError) {
    try connection.send(.plan, plan.digest(isClient: isClient).bytes)
  }

  /// Takes in what the other side makes of them; throws if that is something else.
  func takePlan(_ frame: Frame, isClient: Bool) throws(MigrationError) {
    let own = plan.digest(isClient: isClient).bytes
    try connection.parse(frame) { (reader) throws(WireDefect) in
      guard try reader.raw(own.count) == own else {
        throw WireDefect("is not what follows from what both sides said", 0)
      }
    }
  }

  func send(paths: Set<RelativePath>, as kind: Frame.Kind) throws(MigrationError) {
    try connection.send(kind) { writer in
      writer.number(paths.count)
      for path in paths.sorted() { writer.data(path.bytes) }
    }
  }

  private func paths(of frame: Frame) throws(MigrationError) -> Set<RelativePath> {
    try connection.parse(frame) { (reader) throws(WireDefect) in
      var paths: Set<RelativePath> = []
      for _ in 0..<(try reader.count(of: 1)) { paths.insert(try reader.path()) }
      return paths
    }
  }

  /// Tidies up behind runs that died: there may be nothing else to write.
  mutating func tidy() throws(MigrationError) {
    guard !isDryRun, survey.inventory.holdsOwnTemporaries else { return }
    findings += try ArrivalPublisher(folder: folder, context: context).tidy()
  }

  // MARK: Files

  /// The numbers of the files that are exchanged together.
  var fileBatches: [Range<Int>] {
    Self.batches(of: plan.files.map(\.content.byteCount), most: Self.mostFileBytes, count: .max)
  }

  /// The numbers of the documents that are talked about together.
  var documentBatches: [Range<Int>] {
    Self.batches(
      of: plan.documents.map(\.byteCount), most: Self.mostDocumentBytes, count: Self.mostDocuments)
  }

  private static func batches(of sizes: [Int], most: Int, count: Int) -> [Range<Int>] {
    var batches: [Range<Int>] = []
    var (start, sum) = (0, 0)
    for (index, size) in sizes.enumerated() {
      if index > start, size > most - sum || index - start == count {
        batches.append(start..<index)
        (start, sum) = (index, 0)
      }
      sum = min(most, sum + min(size, most))
    }
    if start < sizes.count { batches.append(start..<sizes.count) }
    return batches
  }

  /// Sends those of some files that only this side has.
  mutating func sendFiles(_ numbers: Range<Int>) throws(MigrationError) {
    for number in numbers where plan.files[number].isHere {
      if context.isInterrupted() { throw .interrupted }
      let file = plan.files[number]
      try connection.send(.file) { $0.number(number) }
      let isSent = try sendPieces(of: file)
      try connection.send(.fileEnd)
      guard !isSent else { continue }
      unsent.insert(file.path)
      findings.append(
        Finding(
          .changedWhileRead, .error, path: file.path.description,
          message: "changed or is gone since the folder was listed, and was not sent",
          next: "run the command again"))
    }
  }

  /// Returns whether the file is what the index says.
  private func sendPieces(of file: SyncPlan.File) throws(MigrationError) -> Bool {
    var left = file.content.byteCount
    var buffer = [UInt8](repeating: 0, count: Frame.pieceByteCount)
    let reader: FileReader
    do throws(FileError) {
      guard let (parent, name) = try folder.openParent(of: file.path) else { return false }
      reader = try parent.openForReading(name)
      guard try reader.state().size == Int64(left) else { return false }
    } catch {
      return false
    }
    while left > 0 {
      let count: Int
      do throws(FileError) {
        count = try reader.readSome(into: &buffer, at: 0..<min(buffer.count, left))
      } catch {
        return false
      }
      if count == 0 { return false }
      try connection.send(.piece, Array(buffer[..<count]))
      left -= count
    }
    return true
  }

  /// Takes in a frame about a file that only the other side has.
  mutating func takeFile(_ frame: Frame) throws(MigrationError) {
    var isExpected = true
    switch frame.kind {
    case .file:
      let number = try connection.parse(frame) { (reader) throws(WireDefect) in
        try reader.number()
      }
      guard plan.files.indices.contains(number), !plan.files[number].isHere,
        begun.insert(number).inserted
      else { throw connection.unexpected(frame) }
      spool.begin(plan.files[number].path, plan.files[number].content)
    case .piece: isExpected = try spool.add(frame.payload)
    default: isExpected = spool.end()
    }
    guard isExpected else { throw connection.unexpected(frame) }
  }

  // MARK: Documents

  /// Loads documents to talk about.
  mutating func open(_ numbers: Range<Int>) throws(MigrationError) {
    let (folder, inventory, memory) = (folder, survey.inventory, memory)
    let documents = Array(plan.documents[numbers])
    let opened = try Workers.map(
      documents.count, phase: .merging, context: context,
      makeState: { DocumentLoader(folder, inventory) }
    ) { item, loader throws(MigrationError) in
      DocumentTalk(
        documents[item], sharing: memory.documents[documents[item].path]?.heads, with: &loader)
    }
    talks = OpenTalks(opened, from: numbers.lowerBound)
  }

  /// Takes in which documents the other side wants to talk about.
  mutating func takeOpen(_ frame: Frame) throws(MigrationError) {
    let (start, end) = try connection.parse(frame) { (reader) throws(WireDefect) in
      (try reader.number(), try reader.number())
    }
    // What fills this side may come as late as the end of a talk, and the next one tells of it.
    guard talks.isEmpty, !hasSaidFull, start < end, end <= plan.documents.count,
      end - start <= Self.mostDocuments
    else { throw connection.unexpected(frame) }
    let byteCount = plan.documents[start..<end].reduce(0) { $0 + ($1.here?.byteCount ?? 0) }
    guard end - start == 1 || byteCount <= Self.greatestRequest * Self.mostDocumentBytes else {
      throw connection.unexpected(frame)
    }
    try open(start..<end)
  }

  /// Says what there is to say about the open documents; returns whether there was anything.
  mutating func speak() throws(MigrationError) -> Bool {
    let messages = try talks.nextMessages(context: context)
    for (number, message) in messages {
      try connection.send(.message) { writer in
        writer.number(number)
        writer.raw(message)
      }
    }
    return !messages.isEmpty
  }

  mutating func takeMessage(_ frame: Frame) throws(MigrationError) {
    let (number, message) = try connection.parse(frame) { (reader) throws(WireDefect) in
      (try reader.number(), reader.rest())
    }
    guard talks.hear(message, about: number) else { throw connection.unexpected(frame) }
    if talks.waitingByteCount > OpenTalks.mostWaitingBytes { try listen() }
  }

  /// Takes in what the other side said in its turn.
  mutating func listen() throws(MigrationError) { try talks.receive(context: context) }

  /// Ends the talk about the open documents; what arrived waits to be written.
  mutating func close() throws(MigrationError) {
    let ended = talks
    talks = OpenTalks()
    for outcome in try ended.outcomes(in: survey.inventory, context: context) {
      agreements[outcome.path] = outcome.agreement
      sentCounts[outcome.path] = outcome.sentCount
      findings += outcome.findings
      changeByteCount += outcome.changeByteCount
      if outcome.isRejected { rejected.insert(outcome.path) }
      guard let arrival = outcome.arrival else { continue }
      arrivedByteCount += arrival.bytes.count
      arrivals.append(arrival)
    }
  }

  // MARK: Writing

  /// Whether so much has arrived that it is time to write it.
  var isFull: Bool { arrivedByteCount > Self.mostArrivedBytes }

  /// Returns that for the other side, which has to do something about it.
  mutating func sayWhetherFull() -> Bool {
    hasSaidFull = isFull
    return isFull
  }

  /// Writes what arrived; returns what could not be.
  mutating func publish() throws(MigrationError) -> Set<RelativePath> {
    let new = try ArrivalPublisher(folder: folder, context: context).publish(arrivals, spool)
    findings += spool.findings + new.findings
    published.updated.merge(new.updated) { $0 + $1 }
    published.created.merge(new.created) { $0 + $1 }
    published.files.formUnion(new.files)
    let lost = new.unpublished.union(spool.lost).union(rejected)
    rejected.removeAll()
    unpublished.formUnion(lost)
    (arrivals, arrivedByteCount, spool) = ([], 0, FileSpool(context))
    hasSaidFull = false
    return lost
  }

  mutating func takeUnpublished(_ frame: Frame) throws(MigrationError) {
    unpublished.formUnion(try paths(of: frame))
  }

  // MARK: The end

  /// What both have, as far as both say so, and by which the files of it are known again here.
  func remembered() -> SyncMemory {
    var documents: [PathTable<SyncMemory.Document>.Element] = []
    survey.index.documents.forEachPair(with: theirs.documents) { path, own, other in
      guard own != nil, own == other, let heads = survey.heads[path] else { return }
      documents.append((path, SyncMemory.Document(heads)))
    }
    for (path, heads) in agreements where !unpublished.contains(path) {
      documents.append((path, SyncMemory.Document(heads)))
    }
    var files: [PathTable<SideIndex.File>.Element] = []
    survey.index.files.forEachPair(with: theirs.files) { path, own, other in
      if let own, own == other { files.append((path, own)) }
    }
    for file in plan.files where isBrought(file) { files.append((file.path, file.content)) }
    var next = SyncMemory()
    (next.documents, next.files) = (PathTable(documents), PathTable(files))
    // A file that was touched a moment ago may be touched again without anybody seeing it.
    let latest = WallClock.now().seconds - 2
    next.stamps = PathTable(
      survey.stamps.filter { path, stamp in
        stamp.modified.seconds < latest && next.files[path] == survey.index.files[path]
      })
    return next
  }

  /// Whether a file is on both sides now, as far as this one knows.
  func isBrought(_ file: SyncPlan.File) -> Bool {
    if unpublished.contains(file.path) || unsent.contains(file.path) { return false }
    return file.isHere || published.files.contains(file.path)
  }

  /// Everything this side has to tell.
  var allFindings: [Finding] {
    let differing = plan.differing.map { path in
      Finding(
        .changedImage, .error, path: path.description,
        message: "has other bytes on the other side; both stay as they are",
        next: "look at both, and delete or rename one of them")
    }
    // What waited when the folder was looked at may have come since.
    let complete = Set(agreements.keys.filter { !unpublished.contains($0) }.map(\.description))
    let seen = survey.findings.filter { finding in
      finding.code != .incompleteDocument || !complete.contains(finding.path)
    }
    return (seen + findings + differing).inReportOrder()
  }
}
