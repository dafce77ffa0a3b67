import Diagnostics
import Folders
import Runs
import SafeFiles

extension MergeDecider {
  /// Decides about images, of which only equality can be told.
  mutating func decideImages(
    _ item: MergeItem, _ files: [ReadCopy], _ decision: inout MergeDecision
  ) throws(MigrationError) {
    var files = files
    for index in files.indices.reversed() {
      let (copy, file) = files[index]
      guard try isUsed(file.path, copy) else { continue }
      // It is an image of its own, whatever its name looks like.
      decision.note(copy, at: file.path, .kept)
      decision.findings.append(
        Finding(
          .differentImage, .info, path: file.path.description,
          message: "is named by a record, so it is an image of its own"))
      files.remove(at: index)
    }
    let base: MergeFile
    if item.baseFile != nil {
      guard let file = readBase(item, files, &decision) else { return }
      base = file
    } else {
      let order = Self.candidates(files)
      guard let first = order.first,
        order.allSatisfy({ files[$0].file.isEqual(to: files[first].file) })
      else {
        for (copy, file) in files { decision.note(copy, at: file.path, .kept) }
        if order.isEmpty { return }
        decision.findings.append(
          Finding(
            .differentImage, .warning, path: item.base.description,
            message: "is not there, and its copies are different images",
            next: "look at them, and give the right one the name that the record uses"))
        return
      }
      let (copy, file) = files.remove(at: first)
      decision.note(copy, at: file.path, .adopted)
      decision.adopted = file
      base = file
    }
    decision.baseState = base.version.state
    for (copy, file) in files {
      if file.isEqual(to: base) {
        decision.note(copy, at: file.path, .redundant)
        decision.redundant.append(file.quarantined())
      } else {
        decision.note(copy, at: file.path, .kept)
        decision.findings.append(
          Finding(
            .differentImage, copy.strength == .strong ? .warning : .info,
            path: file.path.description,
            message: "is another image than \(decision.report.path); both stay",
            next: "look at both, and give the right one the name that the record uses"))
      }
    }
  }

  /// Whether a record names the file by its own name. In a directory that is overlaid on another the
  /// name is that of the base.
  private mutating func isUsed(
    _ path: RelativePath, _ copy: ConflictCopy
  ) throws(MigrationError) -> Bool {
    guard let name = path.lastComponent, name != copy.base.lastComponent,
      let month = inventory.month(of: copy.file)
    else { return false }
    return try imageNames.contains(name.bytes, in: month, of: folder, inventory)
  }
}
