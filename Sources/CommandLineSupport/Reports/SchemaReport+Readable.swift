import Diagnostics
import Folders
package import MigrationCore
import SchemaMigrations

extension SchemaReport: ReadableReport {
  package var tables: [TextTable] { [stepTable, changeTable] }

  private var stepTable: TextTable {
    var table = TextTable(heading: ["step", "state", "changed", "made", "why"])
    for standing in standings {
      // What a run that was stopped did is not known entity by entity.
      let effect = effects.first {
        $0.id == standing.id && (!$0.isFinishing || subject == .places)
      }
      table.add([
        standing.id.rawValue.safeForTerminal, standing.state.rawValue,
        effect.map(\.changedCount.grouped) ?? "", effect.map(\.madeCount.grouped) ?? "",
        standing.reason.safeForTerminal,
      ])
    }
    return table
  }

  private var changeTable: TextTable {
    var table = TextTable(heading: ["entity", "property", "before", "after"])
    for change in changes.prefix(Self.shownChangeCount) {
      let name = "\(change.isNew ? "new " : "")\(change.kind) \(change.id)".safeForTerminal
      for (index, property) in change.properties.enumerated() {
        table.add([
          index == 0 ? name : "", property.name.safeForTerminal, Self.shown(property.before),
          Self.shown(property.after),
        ])
      }
    }
    return table
  }

  /// So many entities are shown to people; scripts get more.
  private static let shownChangeCount = 20

  private static func shown(_ json: String) -> String {
    if json.isEmpty { return "absent" }
    return (json.count > 40 ? json.prefix(40) + "..." : json).safeForTerminal
  }

  package var conclusion: [String] {
    if isStatus { return [standing] + (next.map { ["next: \($0.shellText)"] } ?? []) }
    switch subject {
    case .places: return [placeConclusion] + kept.map(\.safeForTerminal)
    case .layout: return layoutConclusion
    case .documents, .files: return documentConclusion.map(\.safeForTerminal)
    case .stream: return streamConclusion.map(\.safeForTerminal)
    }
  }

  private var streamConclusion: [String] {
    let changed = effects.reduce(0) { $0 + $1.changedCount }
    let made = effects.reduce(0) { $0 + $1.madeCount }
    let hasErrors = findings.contains { $0.severity == .error }
    guard isDryRun ? !hasErrors && steps(.waiting).isEmpty : isPublished else {
      let (isNow, has) = isDryRun ? ("would be", "would have") : ("is", "has")
      return ["Nothing \(isNow) published: the stream \(has) no last line (\(duration))."]
        + [waitingSentence].compactMap(\.self)
    }
    var sentences: [String] = []
    if effects.isEmpty {
      sentences.append(
        "No step \(isDryRun ? "would run" : "ran"): "
          + "\(writtenCount.counted("entity", "entities")) as before (\(duration)).")
    } else {
      sentences.append(
        "\(isDryRun ? "Would run" : "Ran") \(effects.count.counted("step")): "
          + "\(changed.counted("change")) of entities, \(made.grouped) made, "
          + "\(writtenCount.counted("entity", "entities")) in all (\(duration)).")
    }
    sentences += details
    if isDryRun {
      sentences.append(
        "The stream has \(readByteCount.byteCountText), and will have \(writtenByteCount.byteCountText)."
      )
    }
    return sentences
  }

  /// What is told of steps that ran, or would run, beside how many they are.
  private var details: [String] {
    var sentences: [String] = []
    let shown = min(changes.count, Self.shownChangeCount)
    let more = changes.count + furtherChangeCount - shown
    if more > 0 {
      sentences.append("\(more.counted("more entity changes", "more entities change")).")
    }
    // What is undone comes back.
    for effect in effects where !isUndoing {
      guard let loss = effect.loss else { continue }
      sentences.append("\(effect.id): \(loss) \(isDryRun ? "will be gone" : "went").")
    }
    return sentences
  }

  private var waitingSentence: String? {
    let waiting = steps(.waiting)
    if waiting.isEmpty { return nil }
    return "\(waiting.map(\.rawValue).joined(separator: ", ")) cannot run yet."
  }

  private var documentConclusion: [String] {
    let ran = effects.filter { !$0.isFinishing }
    let done = ran.filter { effect in
      isDryRun || isUndoing || standings.contains { $0.id == effect.id && $0.reason == "now" }
    }
    let finished = effects.count - ran.count
    let what = subject == .files ? "file" : "document"
    let documents = (documentCount - finishedDocumentCount).counted(what)
    var sentences: [String] = []
    if finished > 0 { sentences.append(finishing(what)) }
    if let givenBack { sentences.append(returning(givenBack)) }
    if finished > 0 || givenBack != nil, documentCount == finishedDocumentCount, ran.isEmpty {
      // Nothing else was to be done.
    } else if documentCount == finishedDocumentCount {
      sentences.append("No \(what) \(isDryRun ? "would change" : "was changed") (\(duration)).")
    } else if done.isEmpty {
      sentences.append(
        "\(documents) \(isDryRun ? "would note" : "noted") what is taken as done (\(duration)).")
    } else {
      let verb =
        isUndoing
        ? (isDryRun ? "Would undo" : "Undid") : (isDryRun ? "Would run" : "Ran")
      sentences.append("\(verb) \(done.count.counted("step")): \(extent(of: done)) (\(duration)).")
    }
    if let failed = ran.first(where: { effect in !done.contains { $0.id == effect.id } }) {
      sentences.append("\(failed.id) and what comes behind it did not run.")
    }
    sentences += details
    if isDryRun, documentCount > 0 || givenBack != nil {
      sentences.append("A verified backup is made before.")
    }
    return sentences + [waitingSentence].compactMap(\.self)
  }

  /// What is told of a run that was stopped, and of which nothing is left.
  private func returning(_ givenBack: GivenBack) -> String {
    let files = givenBack.fileCount.counted("file")
    let were = givenBack.fileCount == 1 ? "it was" : "they were"
    let steps = givenBack.steps.map(\.rawValue).joined(separator: ", ")
    return
      "\(isDryRun ? "Would give back" : "Gave back") \(files) as \(were) before \(steps), in the "
      + "middle of which a run was stopped (\(duration))."
  }

  /// What is told of a run that was stopped, and is finished.
  private func finishing(_ what: String) -> String {
    let finished = effects.count { $0.isFinishing }
    let (finish, get, leave) =
      isDryRun ? ("Would finish", "would get", "would leave") : ("Finished", "got", "left")
    return "\(finish) \(finished.counted("step")) of a run that was stopped: "
      + "\(finishedDocumentCount.counted(what)) \(get) what was lacking"
      + (subject == .layout ? " or \(leave) for quarantine" : "") + " (\(duration))."
  }

  private var layoutConclusion: [String] {
    if effects.contains(where: \.isFinishing), effects.allSatisfy(\.isFinishing) {
      return [finishing("document")]
    }
    let moved = effects.reduce(0) { $0 + $1.changedCount }
    let documents = documentCount.counted("document")
    var sentences: [String] = []
    for effect in effects where effect.risk == .destructive && moved > 0 && !isUndoing {
      sentences.append(
        "\(effect.id): who wrote what and when \(isDryRun ? "will be" : "is") only in the documents "
          + "in quarantine.")
    }
    if moved == 0 {
      sentences.append(
        "No record \(isDryRun ? "would get" : "got") another document (\(duration)).")
    } else if isDryRun {
      sentences.append(
        "\(moved.counted("record")) would get another document; "
          + "\(documents) would leave for quarantine (\(duration)).")
      sentences.append("A verified backup is made before.")
    } else {
      sentences.append(
        "\(moved.counted("record")) got another document; \(documents) left for quarantine "
          + "(\(duration)).")
    }
    return sentences + [waitingSentence].compactMap(\.self)
  }

  private var placeConclusion: String {
    guard !effects.isEmpty else {
      let hasFailed = findings.contains { $0.severity == .error }
      let none = isDryRun ? "No step would run" : "No step ran"
      return "\(hasFailed ? none : "Nothing was to be done") (\(duration))."
    }
    let files = effects.reduce(0) { $0 + $1.changedCount }.counted("file")
    if isUndoing {
      let (undid, came) = isDryRun ? ("Would undo", "would come") : ("Undid", "came")
      return "\(undid) \(effects.count.counted("step")); \(files) \(came) back (\(duration))."
    }
    let finished = effects.count { $0.isFinishing }
    let (ran, finish, move) =
      isDryRun ? ("Would run", "Would finish", "would move") : ("Ran", "Finished", "moved")
    var steps = "\(ran) \((effects.count - finished).counted("step"))"
    if finished == effects.count {
      steps = "\(finish) \(finished.counted("step"))"
    } else if finished > 0 {
      steps += ", \(isDryRun ? "finish" : "finished") \(finished.grouped)"
    }
    return "\(steps); \(files) \(move) (\(duration))."
  }

  /// Where what destructive steps take away is.
  private var kept: [String] {
    if isUndoing { return [] }
    return effects.compactMap { effect in
      guard effect.risk == .destructive, effect.changedCount > 0, !effect.isFinishing else {
        return nil
      }
      let place = "\(FolderNames.state)/\(FolderNames.schema)/\(effect.id)"
      return "\(effect.id): what it sets aside \(isDryRun ? "will be" : "is") only in \(place)."
    }
  }

  /// How much steps changed.
  private func extent(of done: [Effect]) -> String {
    let changed = done.reduce(0) { $0 + $1.changedCount }.counted("change") + " of entities"
    let made = done.reduce(0) { $0 + $1.madeCount }.grouped
    guard subject == .files else {
      return "\(changed), \(made) made, \(addedByteCount.byteCountText) of changes in "
        + (documentCount - finishedDocumentCount).counted("document")
    }
    let files = (documentCount - finishedDocumentCount).counted("file")
    guard isUndoing else {
      return "\(changed), \(made) made, \(files) \(isDryRun ? "would change" : "changed")"
    }
    let verb = isDryRun ? "would be" : documentCount == 1 ? "is" : "are"
    return "\(files) \(verb) as before"
  }

  private var standing: String {
    let count = countToRun
    let none = steps(.waiting).isEmpty ? "no step is to run" : "no step can run now"
    let toRun = count == 0 ? none : "\(count.counted("step")) to run"
    guard hasVersions, subject != .places else {
      return toRun.prefix(1).uppercased() + toRun.dropFirst() + "."
    }
    let version =
      version.map { "The data is of version \($0)" } ?? "Nothing says which version the data has"
    return "\(version); \(toRun)."
  }

  private var duration: String { Duration.seconds(seconds).text }
}

extension PlanCheckReport: ReadableReport {
  package var tables: [TextTable] {
    var table = TextTable(heading: ["step", "from", "to", "risk", "checksum"])
    for row in rows { table.add(row) }
    return [table]
  }

  package var conclusion: [String] {
    plans.map { plan in
      let steps = (plan.steps.count + plan.places.count).counted("step")
      let subject = plan.profile?.name ?? "files and preferences"
      return "\(plan.name): \(steps) for \(subject), no mistake found."
    }
  }
}
