import Diagnostics
import Folders
import Runs
import SafeFiles

/// Turns what is wrong into steps, in the order in which they help: a document has to load before
/// copies of it can be merged, and has to be merged before it is told what the JSON has that it has
/// not.
struct RecoveryPlanner {
  /// Returns the steps for a situation.
  static func steps(for situation: RecoverySituation) -> [RecoveryStep] {
    var planner = RecoveryPlanner(situation)
    planner.plan()
    return planner.steps
  }

  private let situation: RecoverySituation
  private let places: RecoveryPlaces
  private let dates: [String]
  private var steps: [RecoveryStep] = []
  private var directories: Set<String>
  /// Files of declared kinds of which all documents are made at once.
  private var imported: Set<[RelativePath]> = []

  private init(_ situation: RecoverySituation) {
    self.situation = situation
    places = RecoveryPlaces(folder: situation.folder)
    dates = NextCommand.options(numericDates: situation.numericDates)
    directories = situation.directories
  }

  private mutating func plan() {
    guard !situation.isInRestore else {
      return run(
        "a restore was interrupted, and nobody may write before it is finished",
        .restoreBackup, ["--finish", situation.folder] + situation.told + ["--brief"])
    }
    if let content = situation.content { bringBack(content) }
    for document in situation.damaged { replace(document) }
    for document in situation.gone { bringBack(document) }
    for images in situation.images { bringBack(images) }
    for command in situation.bringingBack {
      add(
        "there is JSON again of months that were set aside: they come back, to be compared with it",
        .run(command))
    }
    if situation.hasConflictCopies {
      run(
        "there are conflict copies: those that are related are merged and go to quarantine",
        .mergeConflicts, [situation.folder] + situation.told + ["--brief"])
    }
    if situation.hasChangedJSON {
      run(
        "JSON was changed after it was imported: fields that nobody edited in the documents take "
          + "its values",
        .importCRDT,
        [situation.folder, "--update"]
          + (situation.hasChangedPrivateJSON ? situation.privateOptions : []) + situation.told
          + dates + ["--brief"])
    } else if situation.hasNewJSON {
      run(
        "a migration was interrupted: JSON that is in no document yet is imported",
        .importCRDT, [situation.folder] + situation.told + dates + ["--brief"])
    }
  }

  // MARK: Documents

  private mutating func replace(_ document: RecoverySituation.DamagedDocument) {
    let path = document.path
    let salvaged = "\(document.place)/\(path.text)"
    switch document.salvage {
    case .kept: break
    case .readable:
      makeDirectory(of: salvaged)
      run(
        "\(path) is damaged: what can be read of it goes beside the folder",
        .repairCRDT, place(of: path), "-o", salvaged, "--brief")
    case .unreadable:
      makeDirectory(of: salvaged)
      add(
        "\(path) is damaged: nothing of it can be read: a copy goes beside the folder",
        .copyFile(place(of: path), to: salvaged))
    }
    if case .document(let backup) = document.source {
      return restore(
        "\(path) is damaged: the newest backup that holds it whole brings it back, and sets the "
          + "damaged one aside",
        backup, [path.text])
    }
    guard let stem = path.without(FolderNames.documentExtension) else { return }
    makeAnew(
      stem, from: document.source, document.files,
      movingAway: (path, "\(document.place)/\(document.aside.text)"))
  }

  private mutating func bringBack(_ document: RecoverySituation.GoneDocument) {
    let path = document.stem.text + FolderNames.documentExtension
    if case .document(let backup) = document.source {
      return restore(
        "\(document.stem)\(FolderNames.documentExtension) is gone: the newest backup that holds it "
          + "whole brings it back",
        backup, [path])
    }
    makeAnew(document.stem, from: document.source, document.files, movingAway: nil)
  }

  /// Plans to import the JSON a document was made from once more, which makes the same changes.
  private mutating func makeAnew(
    _ stem: RelativePath, from source: RecoverySituation.Source, _ files: [RelativePath],
    movingAway damaged: (path: RelativePath, target: String)?
  ) {
    let legacy = files.isEmpty ? LegacyContent(of: stem) : nil
    let chosen = legacy?.chosen.map { [$0] } ?? files
    guard !chosen.isEmpty else { return }
    // Several documents by date have one set of files.
    if damaged == nil, !files.isEmpty, !imported.insert(files).inserted { return }
    let place = places.legacy(of: stem)
    let document = "\(stem)\(FolderNames.documentExtension)"
    switch source {
    case .legacy(let backup):
      makeDirectory(of: place)
      run(
        "no backup holds \(document) whole, but one holds the JSON it was made from",
        .restoreBackup,
        [backup, "--into", place] + situation.told + ["--only"] + chosen.map(\.text) + ["--brief"])
    case .quarantine(let run):
      for path in chosen {
        let target = "\(place)/\(path.text)"
        makeDirectory(of: target)
        add(
          "no backup holds \(document) whole, but its JSON is in quarantine",
          .copyTree(self.place(of: run.appending(path)), into: Self.directory(of: target)))
      }
    case .document, .waits, .nowhere: return
    }
    if let damaged {
      add(
        "the damaged document goes beside the folder",
        .moveDamaged(self.place(of: damaged.path), to: damaged.target))
    }
    let layout = legacy.map { ["--layout", $0.layout.rawValue] } ?? []
    run(
      "the JSON is imported: what was entered or deleted later is not in it",
      .importCRDT,
      [place, "--into", situation.folder] + situation.privateOptions + situation.told + layout
        + dates + ["--brief"])
  }

  // MARK: Other content

  private mutating func bringBack(_ content: RecoverySituation.Content) {
    let replacing = situation.made.map { ["--replacing", $0] } ?? []
    restore(
      "the folder holds neither documents nor JSON: the newest backup that does brings its content "
        + "back",
      content.backup, content.names, replacing)
  }

  private mutating func bringBack(_ images: RecoverySituation.Images) {
    guard let first = images.paths.first, let directory = first.parent else { return }
    let count = images.paths.count
    restore(
      count > 1
        ? "\(count.counted("image")) of \(directory) are gone or damaged: the newest backup that holds them "
          + "whole brings them back"
        : "\(first) is gone or damaged: the newest backup that holds it whole brings it back",
      images.backup, images.paths.map(\.text))
  }

  // MARK: Steps

  private mutating func add(_ reason: String, _ action: RecoveryStep.Action) {
    steps.append(RecoveryStep(reason, action))
  }

  private mutating func run(_ reason: String, _ name: NextCommand.Name, _ arguments: String...) {
    run(reason, name, arguments)
  }

  private mutating func run(_ reason: String, _ name: NextCommand.Name, _ arguments: [String]) {
    add(reason, .run(NextCommand(name, arguments)))
  }

  private mutating func restore(
    _ reason: String, _ backup: String, _ paths: [String], _ options: [String] = []
  ) {
    run(
      reason, .restoreBackup,
      [backup, "--into", situation.folder] + situation.told + ["--only"] + paths + ["--brief"]
        + options)
  }

  /// Plans to make the directory of a file, once.
  private mutating func makeDirectory(of path: String) {
    let directory = Self.directory(of: path)
    guard directories.insert(directory).inserted else { return }
    add("a place beside the folder", .makeDirectory(directory))
  }

  private func place(of path: RelativePath) -> String { "\(situation.folder)/\(path.text)" }

  /// The path of the directory that a file lies in.
  static func directory(of path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
  }
}
