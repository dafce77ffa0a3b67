import Diagnostics
import Folders
import SafeFiles

extension MergeDecider {
  /// Decides about legacy files.
  func decideLegacy(_ item: MergeItem, _ files: [ReadCopy], _ decision: inout MergeDecision) {
    guard item.baseFile != nil else { return adoptLegacy(item, files, &decision) }
    guard let base = readBase(item, files, &decision) else { return }
    do throws(LegacyMerge.RefusedFile) {
      let merge = try LegacyMerge(base.bytes, as: form(of: item), path: base.path)
      self.merge(files, into: base, merge, &decision)
    } catch {
      decision.findings += error.findings.map(\.keepingFile)
      for (copy, file) in files { decision.note(copy, at: file.path, .kept) }
    }
  }

  /// Returns the files without those that their names propose as copies and that are entities of their
  /// own all the same, which stay.
  func besidesEntitiesOfTheirOwn(
    _ files: [ReadCopy], _ item: MergeItem, _ decision: inout MergeDecision
  ) -> [ReadCopy] {
    let others = files.filter { !inventory.isEntityOfItsOwn($0.copy.file, as: $0.copy) }
    guard others.count < files.count else { return files }
    for (copy, file) in files where inventory.isEntityOfItsOwn(copy.file, as: copy) {
      decision.note(copy, at: file.path, .kept)
      decision.findings.append(inventory.entityOfItsOwn(copy.file))
    }
    // All of them were looked at: those behind them have their turn.
    if others.isEmpty { decision.baseState = readBase(item, [], &decision)?.version.state }
    return others
  }

  private func form(of item: MergeItem) -> LegacyForm {
    LegacyForm(
      item.kind, of: inventory.kinds,
      identifiedBy: item.baseFile.map { inventory.identityPath(of: $0) } ?? item.base)
  }

  /// Gives a copy the name of the base that is not there, unless copies hold different records.
  private func adoptLegacy(
    _ item: MergeItem, _ files: [ReadCopy], _ decision: inout MergeDecision
  ) {
    var merges: [(index: Int, merge: LegacyMerge)] = []
    for index in Self.candidates(files) {
      let file = files[index].file
      do throws(LegacyMerge.RefusedFile) {
        merges.append(
          (index, try LegacyMerge(file.bytes, as: form(of: item), path: file.path)))
      } catch {
        continue
      }
    }
    let holdsSeveral = !inventory.kinds.isOneEntity(fileOf: item.kind)
    guard let chosen = merges.first,
      // One without an entity is a copy of any.
      holdsSeveral || Set(merges.map(\.merge.identities).filter { !$0.isEmpty }).count < 2
    else {
      for (copy, file) in files { decision.note(copy, at: file.path, .kept) }
      decision.findings.append(
        Finding(
          .unrelatedCopy, .warning, path: item.base.description,
          message: "is not there, and no copy can take its place",
          next: "decide which copy is right and give it this name"))
      return
    }
    var others = files
    let (copy, file) = others.remove(at: chosen.index)
    decision.note(copy, at: file.path, .adopted)
    decision.adopted = file
    decision.adoptedIdentities = chosen.merge.identities
    merge(others, into: file, chosen.merge, &decision)
  }

  private func merge(
    _ files: [ReadCopy], into base: MergeFile, _ begun: LegacyMerge,
    _ decision: inout MergeDecision
  ) {
    decision.baseState = base.version.state
    var merge = begun
    for (copy, file) in files {
      switch merge.merge(file.bytes, path: file.path) {
      case .related(let isRedundant):
        decision.note(copy, at: file.path, isRedundant ? .redundant : .merged)
        decision.redundant.append(file.quarantined(merge.lastIdentities))
      case .otherRecord:
        decision.note(copy, at: file.path, .twoRecords)
        decision.findings.append(
          Finding(
            .twoRecords, .info, path: file.path.description,
            message: "holds another \(inventory.kinds.name(of: copy.kind)) than "
              + "\(decision.report.path) and is no copy of it",
            // A name that does not end with its extension hides the file from every reader.
            next: inventory.fileClass(of: copy.file) == .conflictCopy
              ? inventory.kinds.words.nameOfItsOwn : nil))
      case .refused(let findings):
        decision.note(copy, at: file.path, .kept)
        decision.findings += findings.map(\.keepingFile)
      }
    }
    decision.report.differences += merge.differences
    if !merge.differences.isEmpty {
      let count = merge.differences.count
      var finding = Finding(
        .conflict, .warning, path: decision.report.path,
        message: count.counted("value differs", "values differ")
          + " from those of copies; it keeps its own",
        next: "see the differences in the report")
      decision.findingsIfLeft.append(finding)
      finding.message =
        count.counted("value differs", "values differ") + " from those of copies; it kept its own"
      finding.next = "see the differences in the report; the copies are in quarantine"
      decision.findingsIfDone.append(finding)
    }
    guard merge.text != base.bytes else { return }
    decision.report.isWritten = true
    let result = merge
    decision.result = MergeResult(bytes: merge.text, replaced: base.version) { bytes in
      result.defect(of: bytes)
    }
  }
}

extension Finding {
  /// The finding about a file that takes no part in a merge.
  fileprivate var keepingFile: Finding {
    var finding = self
    finding.next = "the file and its copies stay as they are until this is settled"
    return finding
  }
}
