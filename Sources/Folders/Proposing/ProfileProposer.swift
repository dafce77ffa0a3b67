package import Diagnostics
package import SafeFiles

/// A profile that somebody may start from: what the files of a folder look like, never what they mean.
package struct ProfileProposal: Sendable {
  /// The profile.
  package let profile: Profile
  /// Why each part of it was guessed.
  package let comments: ProfileComments
  /// How many files and entities were looked at.
  package let fileCount: Int
  package let entityCount: Int
  /// What was not looked at, or is not described.
  package let findings: [Finding]

  /// Describes what was proposed; `ProfileProposer` makes those for folders.
  package init(
    profile: Profile, comments: ProfileComments = ProfileComments(), fileCount: Int,
    entityCount: Int, findings: [Finding]
  ) {
    (self.profile, self.comments) = (profile, comments)
    (self.fileCount, self.entityCount, self.findings) = (fileCount, entityCount, findings)
  }

  /// The profile as a file with its comments; without them if that was too large.
  package var file: [UInt8] {
    let file = profile.file(with: comments)
    return file.count <= Profile.largestFile ? file : profile.file
  }
}

/// Looks at all JSON files of a folder, twice, and proposes a profile for them.
///
/// Groups of files that look alike become kinds. Memory is bounded, whatever the files hold: at most
/// `UnknownFolder.largestFileCount` paths, a file, and a million hashes of values are kept.
package struct ProfileProposer {
  private let folder: Directory
  private let mayGoOn: () -> Bool
  private var files: UnknownFolder
  private var reader: UnknownFileReader
  private var budget = ValueBudget()

  /// Lists the folder.
  ///
  /// - Parameter mayGoOn: is asked before each file.
  package init(of folder: Directory, while mayGoOn: @escaping () -> Bool) throws(FileError) {
    self.folder = folder
    self.mayGoOn = mayGoOn
    files = try UnknownFolder(folder)
    reader = UnknownFileReader(folder)
  }

  /// What was not looked at so far.
  package var findings: [Finding] { files.allFindings }

  /// Returns what is proposed; nil if no file holds anything, or if it may not go on.
  package mutating func propose() -> ProfileProposal? {
    guard let groups = groups() else { return nil }
    var finder = PatternFinder(files.files)
    finder.find(groups)
    for file in finder.unsaid.flatMap(\.files) {
      files.note(
        .notLookedAt, "has a name that no pattern can say: it is not described",
        at: files.files[file])
    }
    var names = KindNames()
    var drafts: [KindDraft] = []
    for (group, patterns) in finder.found.sorted(by: { $0.group.files[0] < $1.group.files[0] }) {
      guard let draft = draft(group, patterns, &names) else { return nil }
      drafts += draft
    }
    let context = DraftContext(kinds: drafts, others: files.others)
    var kinds: [EntityKindProfile] = []
    var comments = ProfileComments()
    for draft in drafts {
      let (kind, comment) = draft.kind(in: context)
      kinds.append(kind)
      comments.kinds.append(comment)
    }
    let fileCount = finder.found.reduce(0) { $0 + $1.group.files.count }
    comments.profile =
      "A draft of inspect-crdt from \(fileCount.counted("file")): each comment says what a guess "
      + "was made from. Only who knows the app can say what is right; try it with "
      + "import-crdt --dry-run on a copy."
    guard let profile = profile(&kinds, &comments) else { return nil }
    return ProfileProposal(
      profile: profile, comments: comments, fileCount: fileCount,
      entityCount: drafts.reduce(0) { $0 + $1.survey.count }, findings: findings)
  }

  // MARK: Groups

  /// The first look: which files look alike. Nil if it may not go on.
  private mutating func groups() -> [FileGroup]? {
    let root = Self.commonDirectory(of: files.files)
    var groups: [FileGroup] = []
    for (number, path) in files.files.enumerated() {
      guard mayGoOn() else { return nil }
      if let problem = reader.read(path) {
        files.note(.damaged, "\(problem): it was not looked at", at: path)
        continue
      }
      guard let shape = FileShape(of: reader.tape) else {
        files.note(.wrongType, "is no object and no list of objects: it is not described", at: path)
        continue
      }
      let scope = Self.scope(of: path, below: root)
      // The files of a group mostly come in a row.
      if let index = groups.lastIndex(where: { $0.scope == scope && $0.shape.isLike(shape) }) {
        groups[index].files.append(number)
        groups[index].shape.formUnion(shape)
      } else if groups.count < 2 * Profile.largestKindCount {
        groups.append(FileGroup(files: [number], scope: scope, shape: shape))
      } else {
        files.note(.notLookedAt, "is of yet another form: it is not described", at: path)
      }
    }
    return groups
  }

  private static func commonDirectory(of paths: [RelativePath]) -> RelativePath {
    var common = paths.first?.parent ?? .folder
    for path in paths {
      while !common.contains(path), let parent = common.parent { common = parent }
    }
    return common
  }

  /// The first directory below the one that has all files; empty for the files in that itself.
  private static func scope(of path: RelativePath, below root: RelativePath) -> [UInt8] {
    let parts = path.components.dropFirst(root.components.count)
    return parts.count > 1 ? parts.first?.bytes ?? [] : []
  }

  // MARK: Kinds

  /// The second look: what the entities of a group have in common. Nil if it may not go on, empty if
  /// nothing can be said.
  private mutating func draft(
    _ group: FileGroup, _ patterns: [PathPattern], _ names: inout KindNames
  ) -> [KindDraft]? {
    // Where nothing tells the many of a file apart, the file is one.
    for container in group.shape.container.map({ [$0, nil] }) ?? [nil] {
      guard let survey = survey(group, container) else { return nil }
      guard
        let identity = KindDraft.identity(
          of: survey, in: container, patterns)
      else { continue }
      var evidence = group.files.count.counted("file") + " of one form"
      if patterns.count > 1 {
        evidence += ", by their names: a pattern for them would match files of other forms, too"
      }
      if group.isMerged { evidence += ", or of several that no pattern tells apart" }
      if container != nil { evidence += ", \(survey.count.counted("entity", "entities"))" }
      if container == nil, group.shape.container != nil {
        evidence += "; nothing tells the many in it apart, so it is taken as one"
      }
      return [
        KindDraft(
          name: names.name(container, patterns), patterns: patterns, container: container,
          survey: survey, identity: identity.rule, identityEvidence: identity.evidence,
          filesEvidence: evidence)
      ]
    }
    for file in group.files {
      files.note(
        .invalidValue, "nothing tells what is in it apart: it is not described",
        at: files.files[file])
    }
    return []
  }

  private mutating func survey(
    _ group: FileGroup, _ container: FileShape.Container?
  ) -> KindSurvey? {
    var survey = KindSurvey()
    for file in group.files {
      guard mayGoOn() else { return nil }
      let path = files.files[file]
      // What has changed since the first look is told by who uses the profile.
      guard reader.read(path) == nil else { continue }
      let tape = reader.tape
      var node = 0
      if let name = container?.name {
        guard tape.kind(of: 0) == .object else { continue }
        var found: Int?
        var member = 1
        while member < tape.node(after: 0) {
          if tape.isEqual(member, to: name) {
            found = member + 1
          } else {
            survey.add(besides: tape.bytes(of: member))
          }
          member = tape.node(after: member + 1)
        }
        guard let found else { continue }
        node = found
      }
      let identity = path.identity
      add(node, container, named: identity.span, to: &survey)
    }
    return survey
  }

  private mutating func add(
    _ node: Int, _ container: FileShape.Container?, named name: Span<UInt8>,
    to survey: inout KindSurvey
  ) {
    let tape = reader.tape
    switch container {
    case nil: survey.add(node, named: name, tape, &budget)
    case .list, .listMember:
      var element = node + 1
      while element < tape.node(after: node), tape.kind(of: node) == .array {
        survey.add(element, named: name, tape, &budget)
        element = tape.node(after: element)
      }
    case .map, .mapMember:
      var member = node + 1
      while member < tape.node(after: node), tape.kind(of: node) == .object {
        survey.add(
          member + 1, named: tape.text.span.extracting(tape.range(of: member)), tape, &budget)
        member = tape.node(after: member + 1)
      }
    }
  }

  // MARK: The whole

  /// Makes the profile; a kind that breaks a rule, or is one too many, is left out and told.
  private mutating func profile(
    _ kinds: inout [EntityKindProfile], _ comments: inout ProfileComments
  ) -> Profile? {
    while !kinds.isEmpty {
      let index: Int
      let problem: String
      do throws(ProfileDefect) {
        let profile = try Profile(name: name, version: 1, kinds: kinds)
        if profile.file.count <= Profile.largestFile {
          return Self.locking(files.locks, Self.recognizing(profile, &comments), &comments)
        }
        (index, problem) = (kinds.count - 1, "the profile would be too large with it")
      } catch {
        index = min(error.kindIndex ?? kinds.count - 1, kinds.count - 1)
        problem = error.fact.problem
      }
      let kind = kinds.remove(at: index)
      comments.kinds.remove(at: index)
      let path = kind.home?.paths.first?.description ?? ""
      files.note(.notLookedAt, "files like \(path) are not described: \(problem)", at: .folder)
      for other in kinds.indices { kinds[other].forget(kind.name) }
    }
    return nil
  }

  private var name: String {
    let last = folder.path.split(separator: "/").last.map { Array($0.utf8) } ?? []
    let name = KindNames.word(last, isOneOfMany: false).lowercased()
    return Profile.builtInNames.contains(name) ? "app" : name
  }
}

extension EntityKindProfile {
  /// Makes what leads to a kind that is not there an ordinary value.
  fileprivate mutating func forget(_ kind: String) {
    properties = PropertyTable(
      properties.map { property in
        guard property.type.target?.kind == kind else { return property }
        var property = property
        if case .links = property.type { property.type = .json } else { property.type = .string }
        return property
      })
  }
}

extension ProfileDefect {
  /// The kind that breaks a rule.
  fileprivate var kindIndex: Int? {
    guard place.count > 1, case .element(let index) = place[1] else { return nil }
    return index
  }
}
