import Diagnostics
import Folders
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

  init(_ plan: VerificationPlan) {
    folder = plan.folder
    inventory = plan.inventory
    reference = plan.images
    current = CurrentDirectory(in: plan.folder)
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
      return Finding(
        .unreadable, .error, path: path.description,
        message: "could not be compared: \(error.diagnostic.problem)",
        next: error.diagnostic.remedy ?? "run again; if it stays like this, check the disk")
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
      let remedy = reference.remedy(for: held, into: folder)
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
    let remedy = reference.remedy(for: held, into: folder)
    return Finding(
      .changedImage, .error, path: path.description,
      message: (size == 0 ? "is empty, and has content" : "has other bytes than it has")
        + " in \(reference.name)",
      next: "unless the app put it there: \(remedy.text)", command: remedy.command)
  }
}
