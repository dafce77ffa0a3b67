import Testing

/// What an app's data is is a value: whoever wants to know something asks `EntityKinds` for the fact, and
/// nobody outside `Profiles` asks which app it is, or names one of its kinds.
///
/// There are two mappings to documents, of which one is older than profiles and frozen. Where both have to
/// be written out, one type picks the right one; these are all.
@Suite struct ProfileQuestionTests {
  /// Where the profiles are.
  private static let home = "Sources/Folders/Profiles/"

  /// Who may ask for the mapping, and what it picks.
  private static let picking: [String: String] = [
    "Sources/Folders/Entities/EntityBatch.swift": "how entities are read",
    "Sources/FolderDocuments/Comparing/EntityComparison.swift": "how they are compared",
    "Sources/FolderDocuments/Convergent/EntityChanges.swift": "which changes they become",
    "Sources/FolderDocuments/Reconciling/EntityReconciler.swift": "which fields they have",
    "Sources/FolderDocuments/Exporting/EntityExporter.swift": "how one is written as JSON",
    "Sources/FolderState/Index/KnownChanges.swift": "which changes say that one is known",
    "Sources/MigrationCore/Verification/EntityVerifier+Standing.swift": "which prove one",
    "Sources/MigrationCore/Verification/DocumentSurvey.swift": "what entities refer to",
    "Sources/MigrationCore/Export/ExportWorkflow.swift": "how a folder is exported",
    "Sources/MigrationCore/Export/BackupEntities.swift": "how a document is exported",
  ]

  @Test func `nobody asks which app it is`() {
    expectNone(Self.lines(with: /[iI]s(?:Of)?Minuta/, holding: ["Minuta"]).map(\.place))
  }

  @Test func `nobody names a kind`() {
    let pattern = /(?:^|[\s(\[,]|EntityKind|EntityGroup)\.(?:tags?|record)(?:\W|$)/
    expectNone(
      Self.lines(with: pattern, holding: [".tag", ".record"]).map {
        "\($0.place): names a kind; ask EntityKinds for the fact that it is about"
      })
  }

  @Test func `only what picks one of the two mappings asks for it`() {
    let pattern =
      /(?:kinds|changes)\.mapping\b|(?:switch|=) mapping\b|\bmapping [!=]=|EntityMapping/
    let found = Set(Self.lines(with: pattern, holding: ["apping"]).map(\.file))
    expectNone(
      found.subtracting(Self.picking.keys).sorted().map {
        "\($0): asks for the mapping; ask EntityKinds for the fact that it is about"
      })
    expectNone(
      Set(Self.picking.keys).subtracting(found).sorted().map {
        "\($0): does so no more; drop its line"
      })
  }

  /// The lines outside `Profiles` that hold a pattern, but for those of what makes folders of samples,
  /// which knows whose they are.
  private static func lines(
    with pattern: Regex<Substring>, holding words: [String]
  ) -> [(file: String, place: String)] {
    PackageTree.sources.filter { !$0.path.hasPrefix(home) && $0.module != "SampleFolders" }
      .flatMap { file in
        file.lines(with: pattern, holding: words).map { (file.path, "\(file.path):\($0)") }
      }
  }
}
