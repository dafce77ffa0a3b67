import Testing

/// The folders of a module are its layers: one uses those before it in its module's list, and never
/// one behind it. Between modules the table of imports says the same.
@Suite struct LayerTests {
  /// What lies in a module's own directory, beside its folders.
  private static let top = "."

  /// The folders of each module, in the order in which they are read.
  private static let layers: [String: [String]] = [
    "Automerge": [
      "Bytes", "Columns", "Identity", "Model", "Storage", "History", "OpSet", "State", "Document",
      "Patches", "Sync", "Salvage", "Rewriting", "Codable",
    ],
    "AutomergeUtilities": [top],
    "Diagnostics": [top],
    "SafeFiles": [
      "Names", "Attributes", "Errors", "SystemCalls", "Reading", "Directories", "Locking",
      "Writing", "Watching",
    ],
    "Folders": [
      "Values", "JSON", "Forms", "Errors", "Names", "Profiles", "Inventory", "Entities",
      "Interchange",
      "Reading", "Proposing",
    ],
    "Backups": [top, "Manifest", "Archive", "Packing", "Store", "Restoring"],
    "SwiftDataStores": [
      "Errors", "PropertyLists", "Files", "Database", "Model", "Layout", "Opening", "Rows",
    ],
    "Runs": ["Errors", "Reports", "Running", "Places"],
    "Fleets": ["Lists", "Results", "Summary", "Running"],
    "FolderDocuments": [
      "Values", "Documents", "Publishing", "Comparing", "Convergent", "Reconciling", "Exporting",
    ],
    "FolderState": ["History", "Quarantine", "Index", "Writing"],
    "MigrationCore": [
      "Stores", "StepRecords", "BackingUp", "Inspection", "Salvage", "Export", "Import", "Merging",
      "Verification", "CleanUp", "Status", "Overview", "Migration", "Rollback", "Recovery",
      "Schema", "SchemaStreams", "SchemaPlaces", "SchemaFiles", "SchemaDocuments", "SchemaLayouts",
    ],
    "SchemaMigrations": [
      "Values", "Errors", "Expressions", "Context", "Steps", "Catalog", "Plans", "Entities",
    ],
    "FolderSync": ["Wire", "Index", "Exchange", "Publishing", "Running"],
    "FolderPages": ["Markup", "Charts", "Page", "Writing"],
    "CommandLineSupport": [top, "Reports"],
    "Commands": [top],
    "EngineMeasurements": [top],
    "SampleFolders": [top],
    "SampleStores": ["Apps", "Model", "Tables", "Plans", "Rows", "Writing"],
  ]

  @Test func `every file of a module is in a folder of its list`() {
    expectNone(
      PackageTree.sources.filter { file in
        Self.layers[file.module].map { !$0.contains(Self.folder(of: file)) } ?? false
      }.map { "\($0.path): \(Self.folder(of: $0)) is no folder of \($0.module)" })
  }

  @Test func `every folder of a list has files, and every module a list`() {
    let folders = Set(PackageTree.sources.map { [$0.module, Self.folder(of: $0)] })
    for (module, list) in Self.layers {
      for folder in list { #expect(folders.contains([module, folder]), "\(module)/\(folder)") }
    }
    // A program is one file.
    expectNone(
      Set(PackageTree.sources.map(\.module)).filter {
        Self.layers[$0] == nil && $0.contains(where: \.isUppercase)
      }.sorted())
  }

  @Test func `no folder uses a later one of its module`() {
    var violations: [String] = []
    for (module, list) in Self.layers.sorted(by: { $0.key < $1.key }) {
      let files = PackageTree.sources.filter { $0.module == module }
      let names = DeclaredNames(in: files, of: list, folder: Self.folder(of:))
      #expect(!names.isEmpty, "nothing declared was found in \(module)")
      for file in files {
        guard let layer = list.firstIndex(of: Self.folder(of: file)) else { continue }
        for (index, name, used) in names.uses(of: file, behind: layer) {
          violations.append(
            file.violation(at: index, "\(list[layer]) uses \(name) of \(list[used])"))
        }
      }
    }
    expectNone(violations)
  }

  @Test func `what proves names nothing of what writes`() {
    let documents = PackageTree.sources.filter { $0.module == "FolderDocuments" }
    let writers = documents.filter { $0.folder == "Convergent" }
    let names = DeclaredNames(in: writers, of: ["Convergent"], folder: Self.folder(of:))
    #expect(!names.isEmpty)
    expectNone(
      documents.filter { $0.folder == "Comparing" }.flatMap { file in
        names.uses(of: file, behind: -1).map {
          file.violation(at: $0.line, "Comparing uses \($0.name) of Convergent")
        }
      })
  }

  private static func folder(of file: SourceFile) -> String {
    file.path.split(separator: "/").count > 3 ? file.folder : top
  }
}
