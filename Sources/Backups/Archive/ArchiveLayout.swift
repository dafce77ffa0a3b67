import SafeFiles

/// Where everything lies in an uncompressed archive, known before a single file is read.
struct ArchiveLayout {
  /// The name of the first entry.
  static let manifestName: [UInt8] = Array("manifest.json".utf8)
  /// Small files are put together until a job writes about this much at once.
  static let jobSize = 1 << 20

  /// A run of entries that one job writes.
  struct Job: Sendable {
    var entries: Range<Int>
    var offset: Int64
    var length: Int
  }

  /// The header of the manifest.
  let manifestHeader: [UInt8]
  /// How long the manifest is.
  let manifestLength: Int
  /// The jobs, ascending.
  private(set) var jobs: [Job] = []
  /// How long the whole archive is.
  private(set) var length: Int64

  init(_ manifest: BackupManifest) {
    manifestLength = ManifestWriter.length(of: manifest)
    var header: [UInt8] = []
    TarFormat.appendHeader(
      of: TarFormat.Member(
        path: Self.manifestName[...], kind: .file, mode: 0o644, owner: .init(user: 0, group: 0),
        size: Int64(manifestLength), modified: .init(seconds: 0)), to: &header)
    manifestHeader = header
    length = Int64(header.count + TarFormat.padded(manifestLength))
    var job = Job(entries: 0..<0, offset: length, length: 0)
    for position in manifest.records.indices {
      let entryLength = TarFormat.length(of: manifest.member(position))
      if job.length > 0, job.length + entryLength > Self.jobSize {
        jobs.append(job)
        job = Job(entries: position..<position, offset: length, length: 0)
      }
      job.entries = job.entries.lowerBound..<position + 1
      job.length += entryLength
      length += Int64(entryLength)
    }
    if !job.entries.isEmpty { jobs.append(job) }
    length += Int64(TarFormat.endLength)
  }
}

extension BackupManifest {
  /// Returns what the header of an entry says.
  func member(_ position: Int) -> TarFormat.Member {
    let record = records[position]
    return TarFormat.Member(
      path: pool[record.path], target: pool[record.target], kind: record.kind, mode: record.mode,
      owner: record.owner, size: record.size, modified: record.modified)
  }
}
