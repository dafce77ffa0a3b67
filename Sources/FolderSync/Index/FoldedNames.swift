import Diagnostics
import SafeFiles

/// Paths that disks which do not tell upper from lower case take for one: on such a disk the document of
/// one side would get the place of another of the other side.
struct FoldedNames {
  /// The paths that only one side has, and to each one that the other disk would take for the same.
  private(set) var twins: [RelativePath: RelativePath] = [:]

  /// - Parameters:
  ///   - ours: every path of this side that counts.
  ///   - theirs: every path of the other side.
  ///   - files: those of both that are attached files: of these, names that differ only in how letters
  ///     are composed are one name already.
  init(_ ours: Set<RelativePath>, _ theirs: Set<RelativePath>, files: Set<RelativePath>) {
    let apart = ours.symmetricDifference(theirs)
    if apart.isEmpty { return }
    var groups: [String: [RelativePath]] = [:]
    for path in ours.union(theirs) {
      guard let text = String(validating: path.bytes, as: UTF8.self) else { continue }
      groups[text.lowercased(), default: []].append(path)
    }
    for var group in groups.values where group.count > 1 {
      group.sort()
      if files.isSuperset(of: group), Set(group.map(\.description)).count == 1 { continue }
      for path in group where apart.contains(path) {
        twins[path] = group.first { $0 != path }
      }
    }
  }
}

extension Finding {
  /// Tells that a path is not synced because of another one.
  static func sameButForCase(_ path: RelativePath, as twin: RelativePath) -> Finding {
    Finding(
      .notSynced, .error, path: path.description,
      message: "has the same name as \(twin.description) but for upper and lower case, and not "
        + "both sides have both: it is not synced, as on some disks one would replace the other",
      next: "look at both with inspect-crdt, and rename one, so that both sides use one name or "
        + "names that are not alike")
  }
}
