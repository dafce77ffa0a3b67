import Diagnostics
import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// What the JSON files of a folder say of the steps that were done to them, and what keeps steps from
/// running on them.
struct FileSurvey {
  private(set) var findings: [Finding] = []
  private(set) var lateCounts: [String: Int] = [:]
  /// The versions that all entities fit; nil if there is none.
  private(set) var versions: ClosedRange<Int>?

  private struct Look: Sendable {
    var findings: [Finding] = []
    var lateCounts: [Int: Int] = [:]
    var versions: FittingVersions
  }

  init(
    of files: [Int], in directory: Directory, _ inventory: FolderInventory,
    _ options: SchemaOptions, _ known: KnownSteps, _ made: MadeEntities,
    overlay: [Int: [UInt8]] = [:], context: RunContext
  ) throws(MigrationError) {
    let steps = options.steps
    let signs = StepSigns(steps, of: context.kinds)
    let hasVersions = steps.contains { $0.versions != nil }
    let stages = steps.map { StepStage($0, of: context.kinds, options.context.parameters) }
    let done = steps.indices.filter { number in
      known.record.steps.contains { $0.id == steps[number].id.rawValue }
    }
    for file in inventory.indices
    where inventory.nominalClass(of: file).isLegacy && !inventory.fileClass(of: file).isLegacy {
      findings.append(inventory.awaited(file))
    }
    for (file, copy) in inventory.copies.sorted(by: { $0.key < $1.key })
    where copy.baseClass.isLegacy {
      findings.append(
        inventory.isEntityOfItsOwn(file, as: copy)
          ? inventory.entityOfItsOwn(file) : inventory.unmerged(file))
    }
    let looks = try Workers.map(
      files.count, phase: .indexing, context: context,
      makeState: { FileEntities(directory, inventory) }
    ) { item, reader throws(MigrationError) in
      var look = Look(versions: FittingVersions(context.kinds))
      _ = try reader.read(files[item], overlay: overlay[files[item]])
      look.findings = reader.batch.findings.filter { $0.severity == .error }
      for entity in reader.batch.entities {
        let changing = reader.changing(entity)
        if hasVersions { look.versions.look(at: changing) }
        for number in done
        where signs.show(changing, notSeenBy: number, stages[number])
          && !made.contain(changing, of: steps[number].id, context.kinds)
        {
          look.lateCounts[number, default: 0] += 1
        }
      }
      return look
    }
    var versions = FittingVersions(context.kinds)
    for look in looks {
      findings += look.findings
      versions.add(look.versions)
      for (number, count) in look.lateCounts {
        lateCounts[steps[number].id.rawValue, default: 0] += count
      }
    }
    self.versions = versions.range
  }
}
