import Crypto
import Diagnostics
package import Folders
package import SafeFiles
import Synchronization

/// Writes a backup of a folder and proves it before anybody sees it.
package struct BackupPacker {
  /// What the archive's temporary name is made of.
  private static let stagingName: FileName = "backup"

  private let folder: Directory
  private let context: BackupContext
  private var snapshot: FolderSnapshot

  /// Lists the folder; `created` is the time of the run, and the kinds say what the app's lock and its
  /// files are.
  package init(
    _ folder: Directory, _ standIns: StandIns = StandIns(), named folderName: String,
    created: FileTime, kinds: EntityKinds = .minuta, context: BackupContext = BackupContext()
  ) throws(BackupError) {
    self.folder = folder
    self.context = context
    let origin: [UInt8]
    do { origin = try folder.canonicalPath() } catch { throw .file(error) }
    snapshot = try FolderSnapshot(
      of: folder, standIns,
      summary: BackupSummary(
        folderName: folderName, origin: DisplayText.escaping(origin),
        created: UTCText.long(created), scope: BackupScope(kinds)),
      context: context)
    guard kinds.toldName != nil else { return }
    snapshot.manifest.summary.holdsLegacyFiles = holdsEntities(of: kinds)
  }

  /// Lists what belongs in the backup of a store.
  ///
  /// - Parameters:
  ///   - content: the directory that holds it, and nothing else.
  ///   - origin: the absolute path of the store, which the backup tells.
  package init(
    storeContent content: Directory, origin: [UInt8], created: FileTime, store: StoreSummary,
    context: BackupContext = BackupContext()
  ) throws(BackupError) {
    folder = content
    self.context = context
    var summary = BackupSummary(
      folderName: store.name, origin: DisplayText.escaping(origin),
      created: UTCText.long(created), scope: .store)
    summary.store = store
    guard ManifestWriter.line(summary).count < ManifestReader.longestLine else {
      throw .tooLarge(
        path: DisplayText.escaping(origin), problem: "it has more entities than a manifest can tell"
      )
    }
    snapshot = try FolderSnapshot(of: content, summary: summary, context: context)
    // The newest that holds rows is kept whatever comes after it.
    snapshot.manifest.summary.holdsLegacyFiles = store.rowCount > 0
  }

  /// Whether a file holds entities as an app wrote them, or may: of those in which something stays when
  /// these are out names do not tell.
  private func holdsEntities(of kinds: EntityKinds) -> Bool {
    var batch = EntityBatch(kinds: kinds)
    return (0..<snapshot.manifest.count).contains { position in
      let entry = snapshot.manifest[position]
      guard entry.kind == .file, let content = kinds.content(ofPath: entry.path.bytes),
        !content.isDocument
      else { return false }
      guard kinds[content.kind]?.home?.content.pointer != nil else { return true }
      // What cannot be read may hold some; the backup itself says why not.
      guard let bytes = try? folder.contents(of: entry.path, limit: LegacyReader.largestFile) else {
        return true
      }
      batch.load(bytes, as: content.kind, path: entry.path)
      return !batch.isRest
    }
  }

  /// Notes the number of the folder, by which the backup is found wherever the folder is then.
  package mutating func note(folderNumber: String?) {
    snapshot.manifest.summary.folderNumber = folderNumber
  }

  /// Notes the steps of plans over the JSON files of the folder.
  package mutating func note(steps: [NotedStep]) throws(BackupError) {
    snapshot.manifest.summary.steps = steps
    guard ManifestWriter.line(snapshot.manifest.summary).count < ManifestReader.longestLine else {
      throw .tooLarge(
        path: folder.path, problem: "more steps were done in it than a manifest can tell")
    }
  }

  /// What the backup will hold; the hashes are not known yet.
  package var manifest: BackupManifest { snapshot.manifest }

  /// Throws if the archive cannot lie in a directory, or in one that is created there, or has no
  /// room; writes nothing.
  package func requireRoom(in directory: Directory, isCompressed: Bool) throws(BackupError) {
    try requireOutside(directory)
    let length = leastLength(isCompressed: isCompressed)
    do { try directory.requireSpace(for: length) } catch { throw .file(error) }
  }

  private func requireOutside(_ directory: Directory) throws(BackupError) {
    let isInside: Bool
    do { isInside = try directory.isInside(folder) } catch { throw .file(error) }
    guard !isInside else {
      throw .insideFolder(path: directory.path, folder: folder.path)
    }
  }

  /// How long an archive will be at least that is not compressed.
  package var leastLength: Int64 { leastLength(isCompressed: false) }

  /// How much room the legacy files need at least in another form: of text a twentieth is left.
  package var leastLengthOfText: Int64 {
    snapshot.manifest.records.reduce(0) { $0 + (isText($1) ? $1.size / 20 : 0) }
  }

  /// How long the files are that are neither text nor documents, such as images.
  package var leastLengthOfOthers: Int64 {
    snapshot.manifest.records.reduce(0) { length, record in
      let path = String(decoding: snapshot.manifest.pool[record.path], as: UTF8.self)
      return length + (isText(record) || path.contains(".automerge") ? 0 : record.size)
    }
  }

  /// How long the archive will be at least: what is compressed already stays as long as it is, and
  /// of text a twentieth is left.
  private func leastLength(isCompressed: Bool) -> Int64 {
    snapshot.manifest.records.reduce(0) { length, record in
      length + (isCompressed && isText(record) ? record.size / 20 : record.size)
    }
  }

  private func isText(_ record: BackupManifest.Record) -> Bool {
    snapshot.manifest.pool[record.path].suffix(5).elementsEqual(".json".utf8)
  }

  /// Writes the archive, reads it back, checks that the folder did not change, and publishes.
  ///
  /// The archive gets the first of the names that is free. Nothing is left behind on failure but,
  /// after a crash, a temporary that the next pack sweeps.
  package mutating func pack(
    into directory: Directory, isCompressed: Bool, names: some Sequence<FileName>
  ) throws(BackupError) -> VerifiedBackup {
    try stage(into: directory, isCompressed: isCompressed).publish(as: names)
  }

  /// Does the same up to there: nobody sees the archive before it is published.
  package mutating func stage(
    into directory: Directory, isCompressed: Bool
  ) throws(BackupError) -> StagedBackup {
    try requireOutside(directory)
    let layout = ArchiveLayout(snapshot.manifest, threads: context.workerCount)
    let writer: FileWriter
    do throws(FileError) {
      try directory.sweepTemporaries { $0 == Self.stagingName || KeepMark.isMark($0) }
      try directory.requireSpace(
        for: isCompressed ? leastLength(isCompressed: true) : layout.length)
      writer = try directory.stageFile(
        as: Self.stagingName, asPrivateAs: Privacy(of: folder.state()))
    } catch {
      throw .file(error)
    }
    do throws(BackupError) {
      let manifestHash =
        isCompressed
        ? try writeCompressed(layout, to: writer) : try write(layout, to: writer)
      snapshot.manifest.hash = manifestHash
      try snapshot.requireUnchanged(context: context)
      let staged = try readBack(
        writer, in: directory, layout: layout, parts: isCompressed ? 1 : context.workerCount,
        manifestHash: manifestHash)
      return StagedBackup(manifest: snapshot.manifest, file: staged)
    } catch {
      writer.discard()
      throw error
    }
  }

  // MARK: Writing

  /// Every job writes to a place of its own; the manifest goes to the start when all are done.
  private mutating func write(_ layout: ArchiveLayout, to writer: FileWriter)
    throws(BackupError) -> ContentHash
  {
    try hashFiles(layout) { (job, offset, bytes, range) throws(BackupError) in
      try Self.write(bytes, range, to: writer, at: layout.jobs[job].offset + offset)
    }
    let end = [UInt8](repeating: 0, count: TarFormat.endLength)
    try Self.write(end, 0..<end.count, to: writer, at: layout.length - Int64(end.count))
    var offset: Int64 = 0
    return try emitManifest(layout) { bytes throws(BackupError) in
      try Self.write(bytes, 0..<bytes.count, to: writer, at: offset)
      offset += Int64(bytes.count)
    }
  }

  /// A compressed archive cannot be filled in later, so the files are read once for their hashes
  /// and once more to be written; the hashes must be the same.
  private mutating func writeCompressed(_ layout: ArchiveLayout, to writer: FileWriter)
    throws(BackupError) -> ContentHash
  {
    try hashFiles(layout) { (_, _, _, _) throws(BackupError) in }
    let compressed = try CompressedWriter(writer)
    let hash = try emitManifest(layout) { bytes throws(BackupError) in
      try compressed.write(bytes, 0..<bytes.count)
    }
    var emitter = EntryEmitter(folder, snapshot.manifest, snapshot.standIns)
    for job in layout.jobs {
      if context.isInterrupted() { throw .interrupted }
      let hashes = try emitter.emit(job.entries) { (bytes, range) throws(BackupError) in
        try compressed.write(bytes, range)
      }
      let files = job.entries.filter { snapshot.manifest.records[$0].kind == .file }
      for (entry, hash) in zip(files, hashes) where hash != snapshot.manifest.records[entry].hash {
        throw .folderChanged(path: snapshot.manifest.pathText(entry))
      }
      context.reportProgress?(job.entries.upperBound, snapshot.manifest.count)
    }
    let end = [UInt8](repeating: 0, count: TarFormat.endLength)
    try compressed.write(end, 0..<end.count)
    try compressed.close()
    return hash
  }

  /// Reads every file, hands over the bytes of its entry, and fills in the hashes.
  private mutating func hashFiles(
    _ layout: ArchiveLayout,
    _ write: (_ job: Int, _ offset: Int64, [UInt8], Range<Int>) throws(BackupError) -> Void
  ) throws(BackupError) {
    // In a call of its own: a manifest that is shared would be copied when it is changed.
    let hashes = try hashes(layout, write)
    for (job, hashes) in zip(layout.jobs, hashes) {
      var next = hashes.startIndex
      for entry in job.entries where snapshot.manifest.records[entry].kind == .file {
        snapshot.manifest.records[entry].hash = hashes[next]
        next += 1
      }
    }
  }

  private func hashes(
    _ layout: ArchiveLayout,
    _ write: (_ job: Int, _ offset: Int64, [UInt8], Range<Int>) throws(BackupError) -> Void
  ) throws(BackupError) -> [[ContentHash]] {
    let (folder, manifest, context) = (folder, snapshot.manifest, context)
    let standIns = snapshot.standIns
    let hashes = Collected<[ContentHash]>(count: layout.jobs.count)
    let completed = Mutex(0)
    try ParallelJobs.run(
      layout.jobs.count, threads: context.workerCount,
      makeState: { EntryEmitter(folder, manifest, standIns) }
    ) { (job, emitter) throws(BackupError) in
      if context.isInterrupted() { throw .interrupted }
      let entries = layout.jobs[job].entries
      var offset: Int64 = 0
      let found = try emitter.emit(entries) { (bytes, range) throws(BackupError) in
        try write(job, offset, bytes, range)
        offset += Int64(range.count)
      }
      hashes.set(job, found)
      let total = completed.withLock { completed in
        completed += entries.count
        return completed
      }
      context.reportProgress?(total, manifest.count)
    }
    return hashes.values
  }

  /// Hands over the manifest's entry, header and padding included, and returns its hash.
  private func emitManifest(
    _ layout: ArchiveLayout, _ write: ([UInt8]) throws(BackupError) -> Void
  ) throws(BackupError) -> ContentHash {
    try write(layout.manifestHeader)
    let hash = try ManifestWriter.write(
      snapshot.manifest, threads: context.workerCount, write)
    let padding = TarFormat.padded(layout.manifestLength) - layout.manifestLength
    try write([UInt8](repeating: 0, count: padding))
    return hash
  }

  private static func write(
    _ bytes: [UInt8], _ range: Range<Int>, to writer: FileWriter, at offset: Int64
  ) throws(BackupError) {
    do { try writer.write(bytes, range, at: offset) } catch { throw .file(error) }
  }

  // MARK: Proving

  /// Synchronizes the file while other threads read it back, each its part of an uncompressed
  /// archive, and compare every header and hash with the manifest.
  private func readBack(
    _ writer: FileWriter, in directory: Directory, layout: ArchiveLayout, parts: Int,
    manifestHash: ContentHash
  ) throws(BackupError) -> StagedFile {
    let staged = Collected<StagedFile>(count: 1)
    let parts = Self.parts(layout, count: parts)
    let (manifest, context) = (snapshot.manifest, context)
    try ParallelJobs.run(parts.count + 1, threads: parts.count + 1, makeState: { () }) {
      (job, _) throws(BackupError) in
      if job == 0 {
        do throws(FileError) { staged.set(0, try writer.finish()) } catch { throw .file(error) }
        return
      }
      let part = parts[job - 1]
      let reader = try Self.reader(of: writer, in: directory, at: part.offset)
      if job == 1 {
        try reader.skipManifest(
          hash: manifestHash,
          otherwise: .writtenBytesDiffer(path: writer.path, entry: "manifest.json"))
      }
      try reader.check(part.entries, of: manifest, context: context)
      if job == parts.count { try reader.requireEnd() }
    }
    guard let file = staged.values.first else { throw .interrupted }
    return file
  }

  private static func reader(of writer: FileWriter, in directory: Directory, at offset: Int64)
    throws(BackupError) -> BackupReader
  {
    let file: FileReader
    let size: Int64
    do throws(FileError) {
      file = try writer.reader(in: directory)
      try file.seek(to: offset)
      size = try file.state().size
    } catch {
      throw .file(error)
    }
    return try BackupReader(file, archiveSize: size)
  }

  /// Cuts the entries into parts of about the same number of jobs; the first starts at the manifest.
  private static func parts(_ layout: ArchiveLayout, count: Int) -> [ArchiveLayout.Job] {
    let jobs = layout.jobs
    guard count > 1, jobs.count > 1 else {
      let all = 0..<(jobs.last?.entries.upperBound ?? 0)
      return [ArchiveLayout.Job(entries: all, offset: 0, length: 0)]
    }
    let size = (jobs.count + count - 1) / count
    return stride(from: 0, to: jobs.count, by: size).map { first in
      let last = min(first + size, jobs.count) - 1
      return ArchiveLayout.Job(
        entries: jobs[first].entries.lowerBound..<jobs[last].entries.upperBound,
        offset: first == 0 ? 0 : jobs[first].offset, length: 0)
    }
  }
}
