import Diagnostics
import FolderDocuments
import Folders
import SafeFiles
import SchemaMigrations

// What is told of entities that are not as the steps have left them.
extension StepSurvey {
  /// Tells of entities that show again what a step has taken away or rewritten, and of those of which
  /// nothing shows whether it should have seen them.
  ///
  /// - Parameters:
  ///   - forced: the steps that are done to all entities once more.
  ///   - undone: the step that is undone, so that what was edited meanwhile comes back.
  func revivals(besides forced: Set<MigrationID>, undoing undone: MigrationID?) -> [Finding] {
    steps.enumerated().flatMap { number, step -> [Finding] in
      if forced.contains(step.id) { return editedAway(of: step.id, remaking: true) }
      func count(_ counts: (Counts) -> [Int: Int]) -> Int {
        documents.reduce(0) { $0 + (counts($1.counts)[number] ?? 0) }
      }
      func finding(_ severity: Severity, _ problem: String, _ next: String) -> Finding {
        Finding(.editedSince, severity, message: "\(step.id): \(problem)", next: next)
      }
      var findings = editedAway(of: step.id, undoing: undone) + hiddenEdits(of: step.id)
      let (revived, rewritten) = (count(\.revived), count(\.rewritten))
      if revived > 0 {
        findings.append(
          .revived(
            revived, of: step.id.rawValue,
            next: "look at them with inspect-crdt; they stay as they are"))
      }
      if rewritten > 0 {
        findings.append(
          finding(
            .warning,
            "\(rewritten.counted("entity holds", "entities hold")) again what the step rewrites: "
              + "another step or an older version of the app wrote it since",
            "they stay as they are; --force \(step.id) does the step to all once more"))
      }
      let doubtful = count(\.doubtful)
      if doubtful > 0 {
        findings.append(
          finding(
            .info,
            "\(doubtful.counted("entity", "entities")) came from elsewhere since or of a step, and "
              + "nothing shows whether as before the step or as after it",
            "look at them with inspect-crdt; the step leaves them so, and later steps may change "
              + "them"))
      }
      return findings
    }
  }

  /// What tells that the totals of a step do not hold what came later; nil if all do.
  func unheld(of step: EntityStep) -> UnheldTotals? {
    steps.firstIndex { $0.id == step.id }.flatMap { unheld[$0] }
  }

  /// Tells of entities that were edited elsewhere while undoing a step took them away.
  ///
  /// - Parameters:
  ///   - undone: the step that is undone, so that they come back.
  ///   - isRemaking: whether the step makes them anew now.
  private func editedAway(
    of step: MigrationID, undoing undone: MigrationID? = nil, remaking isRemaking: Bool = false
  ) -> [Finding] {
    documents.flatMap { document in
      func findings(_ titles: [String]?, _ problem: String, _ next: String) -> [Finding] {
        (titles ?? []).map { title in
          Finding(
            .editedSince, .warning, path: document.path.description,
            message: "\(step): \(title): \(problem)", next: next)
        }
      }
      let hidden = document.editedAway[step.rawValue]?.map {
        inventory.kinds.title(document.kind, $0)
      }
      let remade = document.remade[step.rawValue]
      let away = findings(
        step == undone || isRemaking ? nil : hidden,
        "undoing the step took it away while it was edited elsewhere, and no app shows that",
        "--undo \(step) brings it back as it was edited")
      return away
        + findings(
          isRemaking ? (hidden ?? []) + (remade ?? []) : remade,
          "undoing the step took it away while it was edited elsewhere, and the step made it anew: no "
            + "app shows the edit",
          "--undo \(step), and the same once more, brings it back as it was edited")
    }
  }

  /// Tells of properties of which readers see what a step left, and not what was edited meanwhile.
  private func hiddenEdits(of step: MigrationID) -> [Finding] {
    documents.flatMap { document in
      document.hidden.filter { $0.step == step.rawValue }.map { finding($0, in: document) }
    }
  }

  /// Tells of such a property.
  func finding(_ edit: HiddenEdits.Edit, in document: Document) -> Finding {
    let property = DisplayText.escaping(edit.property)
    let title = inventory.kinds.title(document.kind, edit.identity)
    let what = edit.isOfUndoing ? "undoing the step left" : "the step left"
    return Finding(
      .conflict, .warning, path: document.path.description,
      message: "\(edit.step): \(title): \(property) shows what \(what), and not what was edited "
        + "elsewhere meanwhile",
      next: edit.isBeside
        ? HiddenEdits.decision(about: edit.property, of: edit.identity, inventory.kinds)
        : "what was edited is in the history: inspect-crdt FOLDER/\(document.path) --changes")
  }
}
