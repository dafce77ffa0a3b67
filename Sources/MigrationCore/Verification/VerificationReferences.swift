import Diagnostics
import Folders
import SafeFiles

/// What the documents of a folder are compared with.
struct VerificationReferences {
  /// Calls its argument with one batch of entities after the other, the month they belong to and
  /// what messages call their place.
  typealias Entries = (
    _ body: (EntityBatch, Month?, String) throws(MigrationError) -> Void
  ) throws(MigrationError) -> Void

  /// What people call the reference.
  var name: String
  /// Sets of legacy files.
  var folders: [VerificationPlan.Reference] = []
  /// Entities that come one by one.
  var entries: Entries?
  /// Findings about the reference itself.
  var findings: [Finding] = []
  /// Whether the reference is what the documents were made from: entities that are not in it were
  /// made later, and that is no error.
  var isInPlace = false

  /// The legacy files of a folder and of its quarantine.
  static func inPlace(
    _ folder: Directory, _ inventory: FolderInventory, rules: EntityRules
  ) throws(MigrationError) -> VerificationReferences {
    var references = VerificationReferences(name: "legacy files", isInPlace: true)
    references.folders.append(
      VerificationPlan.Reference(
        directory: folder, inventory: inventory, rules: rules, pathPrefix: ""))
    var hasQuarantine = false
    for run in try Quarantine.runs(of: folder) {
      let quarantined = try FolderAccess.inventory(of: run.directory)
      guard quarantined.hasLegacyFiles else { continue }
      hasQuarantine = true
      references.folders.append(
        VerificationPlan.Reference(
          directory: run.directory, inventory: quarantined, rules: rules,
          pathPrefix: run.path.description + "/"))
    }
    if hasQuarantine {
      references.name = inventory.hasLegacyFiles ? "legacy files and quarantine" : "quarantine"
    }
    return references
  }

  /// The legacy files of another folder.
  static func folder(
    _ path: String, rules: EntityRules, context: RunContext
  ) throws(MigrationError) -> VerificationReferences {
    let directory = try FolderAccess.open(path, context: context)
    let inventory = try FolderAccess.inventory(of: directory)
    var references = VerificationReferences(name: path)
    references.findings = inventory.findings().map { finding in
      var finding = finding
      finding.path = "\(path)/\(finding.path)"
      return finding
    }
    references.folders = [
      VerificationPlan.Reference(
        directory: directory, inventory: inventory, rules: rules, pathPrefix: path + "/")
    ]
    return references
  }

  /// The entities of an interchange stream.
  static func stream(_ source: ByteSource, rules: EntityRules) -> VerificationReferences {
    var references = VerificationReferences(name: source.name)
    references.entries = { body throws(MigrationError) in
      let file = FileReader(borrowing: source.descriptor, path: source.name)
      var reader: InterchangeReader
      do throws(FolderError) {
        reader = try InterchangeReader(file, rules: rules)
      } catch {
        throw MigrationError(error)
      }
      while true {
        do throws(FolderError) {
          guard try reader.next() else { return }
        } catch {
          throw MigrationError(error)
        }
        try body(reader.batch, reader.place.month, reader.place.description)
      }
    }
    return references
  }
}
