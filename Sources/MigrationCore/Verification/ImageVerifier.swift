import Backups
import Diagnostics
import Folders
import Runs
import SafeFiles

/// Looks at the images that records name.
///
/// An empty one is told in any case. Where the reference holds images, those of the folder are
/// compared with them, byte for byte.
struct ImageVerifier {
  private let folder: Directory
  private let inventory: FolderInventory
  private let reference: ReferenceImages?
  private var hasher = ContentHasher()
  private var current: CurrentDirectory
  /// The files named by their hashes that were read and are whole.
  private var wholeBlobs: Set<BlobReference> = []

  init(_ input: VerificationInput) {
    folder = input.folder
    inventory = input.inventory
    reference = input.images
    current = CurrentDirectory(in: input.folder)
  }

  /// Returns what is wrong with an image that is there.
  mutating func difference(of file: Int) -> Finding? {
    let path = inventory.path(of: file)
    do throws(FileError) {
      let directory = try current.directory(of: file, in: inventory)
      let state = try directory.state(of: inventory.name(of: file))
      if let finding = try difference(of: file, at: path, size: state.size, in: directory) {
        return finding
      }
      guard state.size == 0 else { return nil }
      return Finding(
        .changedImage, .warning, path: path.description, message: "is an empty file, and no image",
        next: "look for it in a backup or on another device")
    } catch {
      return unreadable(path, error)
    }
  }

  /// Returns how a file that an entity of a declared kind names differs from that of the reference, if it
  /// has one. One that is empty there may be.
  ///
  /// - Parameter places: where the entity may have it, the first one counts.
  mutating func difference(of file: Int, among places: [RelativePath]) -> Finding? {
    let path = inventory.path(of: file)
    do throws(FileError) {
      guard let reference, let held = places.first(where: reference.holdsFile),
        let expected = try reference.content(of: held, with: &hasher)
      else { return nil }
      let directory = try current.directory(of: file, in: inventory)
      let name = inventory.name(of: file)
      if try directory.state(of: name).size == expected.size,
        try hasher.hash(name, in: directory).hash == expected.hash
      {
        return nil
      }
      return changed(path, besides: held, "has other bytes than it has in \(reference.name)")
    } catch {
      return unreadable(path, error)
    }
  }

  /// Says that a file is not there which an entity of a declared kind names.
  ///
  /// - Parameters:
  ///   - title: what the entity is called.
  ///   - places: where it may have it.
  func missing(_ name: [UInt8], of title: String, among places: [RelativePath]) -> Finding {
    let message = "\(title) names the file \(DisplayText.escaping(name)), which is not there"
    guard let reference, let held = places.first(where: reference.holdsFile) else {
      return Finding(
        .missingImage, .warning, message: message,
        next: "look for it in a backup or on another device")
    }
    let remedy = reference.remedy(for: held, into: folder, inventory.kinds)
    return Finding(
      .missingImage, .error, message: message, next: remedy.text, command: remedy.command)
  }

  /// Returns how a file differs from what a value says that it is: its name is the hash of its bytes.
  mutating func difference(of file: Int, from blob: BlobReference) -> Finding? {
    let path = inventory.path(of: file)
    do throws(FileError) {
      let directory = try current.directory(of: file, in: inventory)
      let name = inventory.name(of: file)
      let size = try directory.state(of: name).size
      if size == blob.byteCount {
        if wholeBlobs.contains(blob) { return nil }
        if try hasher.hash(name, in: directory).hash == blob.hash {
          wholeBlobs.insert(blob)
          return nil
        }
      }
      let remedy = try remedy(for: blob)
      return Finding(
        .changedImage, .error, path: path.description,
        message: size == blob.byteCount
          ? "has other bytes than its document says"
          : "has \(size.counted("byte")), and \(blob.byteCount.grouped) by its document",
        next: remedy.text, command: remedy.command)
    } catch {
      return unreadable(path, error)
    }
  }

  /// Says that a file is not there which a value stands for.
  ///
  /// - Parameter title: what the entity is called.
  mutating func missing(_ blob: BlobReference, of title: String) -> Finding {
    var remedy: (text: String, command: NextCommand?) = (Self.blobRemedy, nil)
    // Where the reference cannot be read either, it brings back nothing.
    if let found = try? self.remedy(for: blob) { remedy = found }
    return Finding(
      .missingImage, .error,
      message: "\(title) names the file \(blob.path), which is not there", next: remedy.text,
      command: remedy.command)
  }

  private static let blobRemedy =
    "import its store again, or look for it in a backup or on another device"

  /// What brings a file back that is named by its hash.
  private mutating func remedy(
    for blob: BlobReference
  ) throws(FileError) -> (text: String, command: NextCommand?) {
    guard let reference, reference.holdsFile(at: blob.path),
      try reference.content(of: blob.path, with: &hasher)?.hash == blob.hash
    else { return (Self.blobRemedy, nil) }
    return reference.remedy(for: blob.path, into: folder, inventory.kinds)
  }

  private func unreadable(_ path: RelativePath, _ error: FileError) -> Finding {
    Finding(
      .unreadable, .error, path: path.description,
      message: "could not be compared: \(error.diagnostic.problem)",
      next: error.diagnostic.remedy ?? "run again; if it stays like this, check the disk")
  }

  private func changed(_ path: RelativePath, besides held: RelativePath, _ message: String)
    -> Finding?
  {
    reference.map { reference in
      let remedy = reference.remedy(for: held, into: folder, inventory.kinds)
      return Finding(
        .changedImage, .error, path: path.description, message: message,
        next: "unless the app put it there: \(remedy.text)", command: remedy.command)
    }
  }

  /// Says that an image is not there which a record names.
  ///
  /// - Parameter shown: its name for people.
  func missing(
    _ name: Span<UInt8>, shown: String, of record: Identity, in month: Month?
  ) -> Finding {
    let message = "record \(record) names the image \(shown), which is not there"
    if let reference, let month, let held = reference.path(of: name, in: month) {
      let remedy = reference.remedy(for: held, into: folder, inventory.kinds)
      return Finding(
        .missingImage, .error, message: message, next: remedy.text, command: remedy.command)
    }
    return Finding(
      .missingImage, .warning, message: message,
      next: "look for it in a backup or on another device")
  }

  private mutating func difference(
    of file: Int, at path: RelativePath, size: Int64, in directory: Directory
  ) throws(FileError) -> Finding? {
    guard let reference,
      let held = reference.path(ofImageAt: path, in: inventory.month(of: file)),
      let expected = try reference.content(of: held, with: &hasher)
    else { return nil }
    if size == expected.size,
      try hasher.hash(inventory.name(of: file), in: directory).hash == expected.hash
    {
      return nil
    }
    return changed(
      path, besides: held,
      (size == 0 ? "is empty, and has content" : "has other bytes than it has")
        + " in \(reference.name)")
  }
}

/// The images of what a folder is compared with.
enum ReferenceImages: Sendable {
  /// Those of a backup, whose manifest has their hashes, and its path.
  case inBackup(BackupManifest, shown: String)
  /// Those of a folder, and its path.
  case inFolder(Directory, FolderInventory, shown: String)

  /// What messages call the reference.
  var name: String {
    switch self {
    case .inBackup(_, let name), .inFolder(_, _, let name): name
    }
  }

  /// Returns where the image lies that a record of a month names; nil if it is not there.
  func path(of name: Span<UInt8>, in month: Month) -> RelativePath? {
    switch self {
    case .inBackup(let manifest, _):
      // A name that may not be one of a file is that of no image.
      guard let name = FileName(Array(name)) else { return nil }
      return [FolderNames.records, FolderNames.images].lazy.compactMap { top in
        RelativePath("\(top)/\(month.yearName)/\(month.monthName)")?.appending(name)
      }.first { manifest.entry(at: $0)?.kind == .file }
    case .inFolder(_, let inventory, _):
      return inventory.image(named: name, in: month).map(inventory.path)
    }
  }

  /// Returns where the image lies that has a path in the folder that is verified: there, or elsewhere
  /// in its month.
  func path(ofImageAt path: RelativePath, in month: Month?) -> RelativePath? {
    let isThere =
      switch self {
      case .inBackup(let manifest, _): manifest.entry(at: path)?.kind == .file
      case .inFolder(_, let inventory, _):
        inventory.file(at: path).map { inventory.fileClass(of: $0) == .image } ?? false
      }
    if isThere { return path }
    guard let name = path.lastComponent, let month else { return nil }
    return self.path(of: name.bytes.span, in: month)
  }

  /// Whether a file lies at a path that entities of a declared kind may name.
  func holdsFile(at path: RelativePath) -> Bool {
    switch self {
    case .inBackup(let manifest, _): return manifest.entry(at: path)?.kind == .file
    case .inFolder(_, let inventory, _):
      return inventory.file(at: path).map(inventory.isPresent) ?? false
    }
  }

  /// Returns the size and the hash of the image at a path of the reference.
  func content(
    of path: RelativePath, with hasher: inout ContentHasher
  ) throws(FileError) -> (size: Int64, hash: ContentHash)? {
    switch self {
    case .inBackup(let manifest, _):
      return manifest.entry(at: path).flatMap { entry in entry.hash.map { (entry.size, $0) } }
    case .inFolder(let folder, _, _):
      guard let (parent, name) = try folder.openParent(of: path) else { return nil }
      let (hash, state) = try hasher.hash(name, in: parent)
      return (state.size, hash)
    }
  }

  /// Returns what brings an image to a folder, for people and, where one does it, as a command.
  func remedy(
    for path: RelativePath, into folder: Directory, _ kinds: EntityKinds
  ) -> (text: String, command: NextCommand?) {
    switch self {
    case .inBackup(_, let backup):
      guard let folder = DisplayText.word(shownAs: folder.path),
        let path = String(validating: path.bytes, as: UTF8.self)
      else { return ("bring \(path) back from \(backup)", nil) }
      let command = NextCommand(
        .restoreBackup, [backup, "--into", folder] + kinds.options + ["--only", path])
      return (command.shellText, command)
    case .inFolder(_, _, let other): return ("copy \(other)/\(path) to the folder", nil)
    }
  }
}
