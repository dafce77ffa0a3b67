import Testing

/// What an app's data is is a value: whoever wants to know something asks `EntityKinds` for the fact, and
/// nobody else asks which app it is. A new line here is a reviewed one.
@Suite struct ProfileQuestionTests {
  /// Where the profiles are.
  private static let home = "Sources/Folders/Profiles/"

  /// Who may ask whether the profile is the frozen one: each chooses between its mapping and that of
  /// declared kinds.
  private static let asking: [String: String] = [
    "Sources/Folders/Entities/EntityBatch.swift": "reads both forms of entities",
    "Sources/Folders/Inventory/DeclaredPaths.swift": "paths of kinds; the frozen ones are older",
    "Sources/Folders/Interchange/InterchangeLineReader.swift": "lines have other places",
    "Sources/Folders/Interchange/InterchangeWriter.swift": "fields keep the frozen order and dates",
    "Sources/FolderDocuments/Documents/DocumentRoot.swift": "copies of a month are joined by name",
    "Sources/FolderDocuments/Comparing/EntityComparison.swift": "compares by one of two mappings",
    "Sources/FolderDocuments/Convergent/EntityChanges.swift": "builds by one of two mappings",
    "Sources/FolderDocuments/Reconciling/EntityReconciler.swift": "fields of one of two mappings",
    "Sources/FolderState/Index/KnownChanges.swift": "looks for the changes of either mapping",
    "Sources/MigrationCore/Verification/EntityVerifier+Standing.swift":
      "looks for the changes of either mapping",
    "Sources/MigrationCore/Verification/DocumentSurvey.swift": "follows the frozen fields fast",
    "Sources/MigrationCore/Salvage/SalvagedEntities.swift": "tells tags from records by fields",
    "Sources/MigrationCore/Merging/MergedFields.swift": "fields in the frozen order",
    "Sources/MigrationCore/Export/ExportWorkflow.swift": "exports by one of two mappings",
    // What follows still has a path for each, and should ask for facts.
    "Sources/MigrationCore/BackingUp/SharedContent.swift": "paths in a backup",
    "Sources/MigrationCore/Export/BackupEntities.swift": "paths in a backup",
    "Sources/MigrationCore/Import/DocumentUpdater.swift": "the command that is told",
    "Sources/MigrationCore/Merging/LegacyForm.swift": "what a file holds besides",
    "Sources/MigrationCore/Recovery/RecoveryBackups.swift": "paths in a backup",
    "Sources/MigrationCore/Recovery/RecoveryFindings.swift": "paths in the quarantine",
    "Sources/MigrationCore/Recovery/RecoveryPlaces.swift": "the layout of a document",
    "Sources/MigrationCore/Recovery/RecoverySurvey.swift": "paths in the quarantine",
  ]

  /// Who may name the kinds of the frozen mapping: nearly all of them are that mapping.
  private static let naming: [String: String] = [
    "Sources/FolderDocuments/Comparing/MinutaComparison.swift": "the frozen mapping",
    "Sources/FolderDocuments/Convergent/ConvergentChanges.swift": "the frozen mapping",
    "Sources/FolderDocuments/Documents/GroupDocuments.swift": "months of documents by their names",
    "Sources/FolderDocuments/Exporting/MemberExporter.swift": "the frozen members",
    "Sources/FolderDocuments/Reconciling/MinutaFields.swift": "the frozen mapping",
    "Sources/Folders/Entities/EntityBatch+Validation.swift": "the rules of frozen fields",
    "Sources/Folders/Entities/EntityBatch.swift": "reads the frozen forms",
    "Sources/Folders/Entities/LegacyEntity.swift": "the frozen fields",
    "Sources/Folders/Interchange/InterchangeLineReader.swift": "places of the frozen kinds",
    "Sources/Folders/Inventory/DeclaredPaths.swift": "documents of the frozen kinds",
    "Sources/Folders/Inventory/FileClass.swift": "roles of directories",
    "Sources/Folders/Names/EntityGroup.swift": "groups of the frozen kinds",
    "Sources/Folders/Names/EntityPlace.swift": "places of the frozen kinds",
    "Sources/MigrationCore/Export/ExportDestination.swift": "exports the frozen mapping",
    "Sources/MigrationCore/Export/ExportWorkflow+Deleted.swift": "exports the frozen mapping",
    "Sources/MigrationCore/Export/ExportWorkflow.swift": "exports the frozen mapping",
    "Sources/MigrationCore/Export/ExportedGroup.swift": "exports the frozen mapping",
    "Sources/MigrationCore/Export/GroupExporter+LegacyFiles.swift": "exports the frozen mapping",
    "Sources/MigrationCore/Export/GroupExporter.swift": "exports the frozen mapping",
    "Sources/MigrationCore/Merging/MergedFields.swift": "fields in the frozen order",
    "Sources/MigrationCore/Salvage/SalvagedEntities.swift": "tells tags from records by fields",
    "Sources/MigrationCore/Verification/DocumentSurvey.swift": "follows the frozen fields fast",
    // What follows should ask for facts.
    "Sources/FolderState/Quarantine/Quarantine.swift": "names of files of records",
    "Sources/MigrationCore/BackingUp/SharedContent.swift": "paths in a backup",
    "Sources/MigrationCore/Import/GroupImporter.swift": "a document for one record",
    "Sources/MigrationCore/Import/ImportSource.swift": "names of files in a stream",
    "Sources/MigrationCore/Import/StreamSpool.swift": "lines that were refused",
    "Sources/MigrationCore/Status/StatusWorkflow.swift": "documents that records tell of",
    "Sources/MigrationCore/Verification/LateVerifier.swift": "where findings without an entity go",
  ]

  @Test func `only what is listed asks which app it is`() {
    check(Self.asking, /isMinuta/, holding: ["isMinuta"], told: "asks isMinuta")
  }

  @Test func `only what is listed names a kind`() {
    let pattern = /(?:^|[\s(\[,]|EntityKind|EntityPlace|EntityGroup)\.(?:tags?|record)(?:\W|$)/
    check(Self.naming, pattern, holding: [".tag", ".record"], told: "names a frozen kind")
  }

  /// Compares those who hold a pattern with those who may: the list only shrinks.
  private func check(
    _ listed: [String: String], _ pattern: Regex<Substring>, holding words: [String],
    told problem: String
  ) {
    // What makes folders of samples knows whose they are.
    let files = PackageTree.sources.filter {
      !$0.path.hasPrefix(Self.home) && $0.module != "SampleFolders"
    }
    let found = Set(
      files.filter { !$0.lines(with: pattern, holding: words).isEmpty }.map(\.path))
    expectNone(
      found.subtracting(listed.keys).sorted().map {
        "\($0): \(problem); ask EntityKinds for the fact that it is about"
      })
    expectNone(
      Set(listed.keys).subtracting(found).sorted().map { "\($0): does so no more; drop its line" })
  }
}
