package import SafeFiles

/// A tar archive of a few files that are in memory: something to send, and no backup, for it has no
/// manifest.
package struct PlainArchive {
  private var archive: [UInt8] = []
  private let moment: FileTime

  /// Creates an archive whose files are all of one moment.
  package init(at moment: FileTime) { self.moment = moment }

  /// Adds a file; its path is relative, of up to 100 bytes.
  package mutating func add(_ path: String, _ content: [UInt8]) {
    let member = TarFormat.Member(
      path: Array(path.utf8)[...], kind: .file, mode: 0o600, owner: FileOwner(user: 0, group: 0),
      size: Int64(content.count), modified: moment)
    TarFormat.appendHeader(of: member, to: &archive)
    archive += content
    archive += repeatElement(0, count: TarFormat.padded(content.count) - content.count)
  }

  /// The archive, whole.
  package var bytes: [UInt8] { archive + repeatElement(0, count: TarFormat.endLength) }
}
