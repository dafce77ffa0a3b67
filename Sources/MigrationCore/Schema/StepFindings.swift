import Diagnostics
import Folders
import SafeFiles
import SchemaMigrations

extension EntityStep.Promise {
  /// How grave it is that it does not hold.
  var severity: Severity { isWarning ? .warning : .error }
}

extension StepStage {
  /// Adds what was met elsewhere; tells of the identities that are there twice, though they were promised
  /// not to be.
  mutating func findings(adding tally: Tally, _ kinds: EntityKinds) -> [Finding] {
    add(tally).map { number, kind, identity in
      let promise = step.promises[number]
      return Finding(
        .notConverted, promise.severity,
        message: "\(step.id): \(kinds.title(kind, identity)): \(promise.problem)")
    }
  }

  /// Tells of promises about numbers of entities that do not hold.
  var brokenCountFindings: [Finding] {
    brokenCounts.map { promise, problem in
      Finding(.notConverted, promise.severity, message: "\(step.id): \(problem)")
    }
  }
}

extension [Finding] {
  /// Whether something was found because of which nothing may be written.
  var holdErrors: Bool { contains { $0.severity == .error } }
}

extension Finding {
  /// Tells of entities that a step has seen, and that have again what it takes away.
  ///
  /// - Parameter path: the first file of JSON with some; nil in documents.
  static func revived(
    _ count: Int, of step: String, at path: RelativePath? = nil, next: String
  ) -> Finding {
    Finding(
      .editedSince, .warning, path: path?.description ?? "",
      message:
        "\(step): \(count.counted("entity shows", "entities show")) again what the step takes "
        + "away: an older version of the app wrote it since",
      next: next)
  }
}

extension FolderInventory {
  /// Tells that a step waits for a file that is not here.
  func awaited(_ file: Int) -> Finding {
    Finding(
      .placeholder, .error, path: path(of: file).description,
      message: "is not here, or cannot be read", next: "download it, then run again")
  }

  /// Tells that a step waits until a conflict copy is merged.
  func unmerged(_ file: Int) -> Finding {
    Finding(
      .conflictCopy, .error, path: path(of: file).description,
      message: "is a conflict copy, and a step would change only one of both",
      next: command(.mergeConflicts)?.shellText ?? merging())
  }
}

extension ChangingEntity {
  /// Whether a step changes it, or makes nothing of it, which is told when the step runs.
  func isChanged(by stage: StepStage) -> Bool {
    var entity = self
    do throws(StepDefect) {
      try stage.apply(to: &entity)
    } catch {
      return true
    }
    return entity.fields.isChanged
  }

  /// The same of an entity in a file of JSON: what that does not show, such as whether a text is an object of
  /// its own, is no change of it.
  func isChangedInJSON(by stage: StepStage) -> Bool {
    var entity = self
    do throws(StepDefect) {
      try stage.apply(to: &entity)
    } catch {
      return true
    }
    return entity.fields.isChanged && entity.json != json
  }

  /// What a step makes of it; itself if nothing can be made of it.
  func applied(_ stage: StepStage) -> ChangingEntity {
    var entity = self
    do throws(StepDefect) {
      try stage.apply(to: &entity)
    } catch {
      return self
    }
    return entity
  }

  /// Its object, in its only written form.
  var json: [UInt8] {
    var writer = JSONWriter()
    fields.write(to: &writer, of: tape)
    return writer.bytes
  }
}
