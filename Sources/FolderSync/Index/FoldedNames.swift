import Diagnostics
import SafeFiles

/// Paths that disks which do not tell upper from lower case take for one: on such a disk the document of
/// one side would get the place of another of the other side.
struct FoldedNames {
  /// The paths that only one side has, and to each one that the other disk would take for the same.
  private(set) var twins: [RelativePath: RelativePath] = [:]

  /// The paths that count of one side, and which of them are attached files: of these, names that differ
  /// only in how letters are composed are one name already.
  typealias Names = PathTable<Bool>

  init(_ ours: Names, _ theirs: Names) {
    var apart: [String: [RelativePath]] = [:]
    var shared: [RelativePath] = []
    ours.forEachPair(with: theirs) { path, own, other in
      if own != nil, other != nil {
        shared.append(path)
      } else if let name = Self.folded(path) {
        apart[name, default: []].append(path)
      }
    }
    if apart.isEmpty { return }
    var groups = apart
    for path in shared {
      guard let name = Self.folded(path) else { continue }
      groups[name]?.append(path)
    }
    for (name, group) in groups where group.count > 1 {
      let group = group.sorted()
      let areFiles = group.allSatisfy { ours[$0] == true || theirs[$0] == true }
      if areFiles, Set(group.map(\.description)).count == 1 { continue }
      for path in apart[name] ?? [] { twins[path] = group.first { $0 != path } }
    }
  }

  /// Returns what such a disk goes by; nil for what is no text.
  private static func folded(_ path: RelativePath) -> String? {
    String(validating: path.bytes, as: UTF8.self)?.lowercased()
  }
}

extension FoldedNames.Names {
  /// - Parameter closed: paths besides those of the index.
  init(of index: SideIndex, besides closed: Set<RelativePath> = []) {
    self.init(
      closed.sorted().map { ($0, false) } + index.documents.map { ($0.path, false) }
        + index.files.map { ($0.path, true) })
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
