import Diagnostics
import Folders
import Runs

extension FolderOverview {
  /// Returns the overview without names and values: what is left are counts, sizes, times, months, kinds
  /// of entity, and the names of findings and of commands.
  ///
  /// - Parameter name: what the folder is called.
  package func anonymous(called name: String = "FOLDER") -> FolderOverview {
    var names = Pseudonyms()
    var overview = anonymous(calling: &names)
    overview.folder = name
    return overview
  }

  /// As above, with what names are called then.
  func anonymous(calling names: inout Pseudonyms) -> FolderOverview {
    var overview = self
    overview.isAnonymous = true
    overview.folder = "FOLDER"
    if !Profile.builtInNames.contains(profile) { overview.profile = "of its own" }
    overview.status?.commands = status?.commands.map { $0.withoutNames } ?? []
    overview.status?.damagedDocuments = status?.damagedDocuments.map { names.name(of: $0) } ?? []
    overview.status?.notLookedAt = status?.notLookedAt.isEmpty ?? true ? [] : ["parts of it"]
    overview.verification?.findings = names.findings(verification?.findings)
    // What is in the folder itself is called by no name.
    if !["legacy files", "quarantine", "legacy files and quarantine"]
      .contains(verification?.reference ?? "")
    {
      overview.verification?.reference = "what it is compared with"
    }
    overview.documents = documents.map { document in
      var document = document
      document.path = names.name(of: document.path)
      return document
    }
    overview.conflicts = conflicts.map { names.conflict($0) }
    overview.history?.findings = names.findings(history?.findings)
    overview.history?.folder = "FOLDER"
    overview.history?.runs =
      history?.runs.map { run in
        var run = run
        // Anybody can write to the history.
        run.start = RFC3339(run.start)?.description ?? ""
        run.end = RFC3339(run.end)?.description ?? ""
        if !HistoryReport.commands.contains(run.command) { run.command = "other" }
        if !HistoryReport.ways.contains(run.status) { run.status = "other" }
        run.problem = run.problem.isEmpty ? "" : "left out"
        run.backup = run.backup.isEmpty ? "" : names.name(ofBackupAt: run.backup)
        // Arguments are names, and summaries hold some.
        run.line = ReportObject()
        return run
      } ?? []
    overview.backups?.findings = names.findings(backups?.findings)
    overview.backups?.archives =
      backups?.archives.map { archive in
        var archive = archive
        archive.path = names.name(ofBackupAt: archive.path)
        archive.absolutePath = []
        archive.origin = nil
        archive.profile = nil
        // Anybody can write a manifest.
        archive.madeAt = RFC3339(archive.madeAt)?.description ?? ""
        return archive
      } ?? []
    overview.quarantine?.findings = names.findings(quarantine?.findings)
    for index in quarantine?.entries.indices ?? 0..<0 {
      let entry = quarantine?.entries[index]
      overview.quarantine?.entries[index].run = names.name(of: entry?.run ?? "")
      overview.quarantine?.entries[index].path = ""
      overview.quarantine?.entries[index].command = entry?.command?.withoutNames
    }
    overview.gaps = gaps.map { gap in
      var gap = gap
      gap.reason = Diagnostic(gap.reason.kind, subject: "", problem: gap.reason.kind.words)
      return gap
    }
    return overview
  }
}

/// What names are called in an overview that shows none: the same name always the same.
struct Pseudonyms {
  private var numbers: [String: Int] = [:]

  mutating func name(of path: String) -> String {
    if path.isEmpty { return "" }
    let number = numbers[path] ?? numbers.count + 1
    numbers[path] = number
    return "file \(number.grouped)"
  }

  /// A history knows a backup by its name alone.
  mutating func name(ofBackupAt path: String) -> String {
    name(of: path.split(separator: "/").last.map(String.init) ?? path)
  }

  mutating func findings(_ findings: [Finding]?) -> [Finding] {
    findings?.withoutRepetitions().map { finding in
      Finding(
        finding.code, finding.severity, path: name(of: finding.path),
        message: finding.messageWithoutNames, command: finding.command?.withoutNames,
        offset: finding.offset)
    } ?? []
  }

  mutating func conflict(_ conflict: FieldConflict) -> FieldConflict {
    var conflict = conflict
    conflict.document = name(of: conflict.document)
    conflict.place = conflict.place.indices.map { $0 == 0 ? "entity" : "field" }
    for index in conflict.values.indices {
      conflict.values[index].text = "value \((index + 1).grouped)"
      conflict.values[index].actor = name(of: conflict.values[index].actor)
        .replacing("file", with: "device")
    }
    return conflict
  }
}

extension NextCommand {
  /// The command with what its options are called, and nothing that they are given.
  fileprivate var withoutNames: NextCommand {
    NextCommand(name, arguments.map { Self.options.contains($0) ? $0 : "NAME" })
  }

  /// The options that commands are told with; what only looks like one may be a name.
  private static var options: Set<String> {
    [
      "--", "--against", "--apply", "--backup", "--bring-back", "--cleanup", "--finish",
      "--include-private", "--into", "--layout", "--numeric-dates", "--only", "--profile", "--undo",
      "--unify", "--update",
    ]
  }
}

extension HistoryReport {
  /// All commands by name, though some of them write no history.
  fileprivate static let commands = Set(NextCommand.Name.allCases.map(\.rawValue)).union([
    "generate-folder", "generate-store", "inspect-crdt", "migrate-fleet", "report-folder",
    "sync-folder",
  ])
}

extension Finding {
  /// Why a document does not load is said in fixed words and numbers; of others only the code is told.
  ///
  /// What may be a checksum or a hash would let somebody guess at the content, so it is left out.
  fileprivate var messageWithoutNames: String {
    guard code == .damagedDocument else { return code.words }
    return message.split(separator: " ").map { word in
      word.count(where: \.isHexDigit) < 8
        ? String(word) : "NUMBER" + word.filter { !$0.isHexDigit }
    }.joined(separator: " ")
  }
}

extension FindingCode {
  /// The code as words of a sentence.
  fileprivate var words: String { String(rawValue.map { $0 == "-" ? " " : $0 }) }
}

extension Diagnostic.Kind {
  /// What it is, in words.
  fileprivate var words: String {
    switch self {
    case .usage: "was called wrongly"
    case .damagedInput: "is damaged"
    case .missingInput: "is not there"
    case .featureAbsent: "cannot be done here"
    case .internalError: "failed by a mistake of the program"
    case .systemCallFailed: "was refused by the system"
    case .cannotCreate: "cannot be created"
    case .inputOutput: "could not be read or written"
    case .busy: "is in use by somebody else"
    case .permissionDenied: "is not permitted"
    case .conflictsWithData: "does not fit what is there"
    }
  }
}
