import Foundation
import Testing

/// Who may import whom. A new import is a reviewed line here: the package manager does not stop the
/// import of a transitive module.
@Suite struct ImportTests {
  private static let system: Set = ["Glibc", "Darwin", "Musl"]
  private static let command: Set = [
    "ArgumentParser", "CommandLineSupport", "MigrationCore", "Runs",
  ]
  private static let foundation: Set = ["FoundationEssentials", "Foundation"]
  /// What apps observe and exchange documents with; imported only where it exists.
  private static let apple: Set = [
    "Combine", "CoreTransferable", "SwiftUI", "UniformTypeIdentifiers",
  ]

  /// Modules of this project and of others; the standard library's own are free.
  private static let allowed: [String: Set<String>] = [
    "Diagnostics": [],
    "SafeFiles": system.union(["CLinux", "Crypto", "Diagnostics"]),
    "Automerge": foundation.union(apple).union(["CZlib", "Crypto", "Dispatch"]),
    "AutomergeUtilities": foundation.union(["Automerge"]),
    "Folders": ["Diagnostics", "Foundation", "SafeFiles"],
    "Backups": ["CArchive", "Crypto", "Diagnostics", "Dispatch", "Folders", "SafeFiles"],
    "SwiftDataStores": ["CSQLite", "CZlib", "Diagnostics", "SafeFiles"],
    "Runs": system.union([
      "Backups", "CLinux", "Diagnostics", "Dispatch", "Folders", "SafeFiles",
    ]),
    "Fleets": ["Diagnostics", "Folders", "Runs", "SafeFiles"],
    "FolderDocuments": [
      "Automerge", "Backups", "Diagnostics", "Folders", "Runs", "SafeFiles",
    ],
    "FolderState": [
      "Automerge", "Backups", "Diagnostics", "FolderDocuments", "Folders", "Runs", "SafeFiles",
    ],
    "MigrationCore": [
      "Automerge", "Backups", "Crypto", "Diagnostics", "FolderDocuments", "FolderState", "Folders",
      "Runs", "SafeFiles", "SchemaMigrations", "SwiftDataStores",
    ],
    "FolderSync": system.union([
      "Automerge", "Crypto", "Diagnostics", "FolderDocuments", "FolderState", "Folders", "Runs",
      "SafeFiles",
    ]),
    "FolderPages": ["Diagnostics", "Folders", "MigrationCore", "Runs", "SafeFiles"],
    "CommandLineSupport": system.union([
      "ArgumentParser", "Backups", "CLinux", "Diagnostics", "Fleets", "FolderPages", "FolderSync",
      "Folders",
      "MigrationCore", "Runs", "SafeFiles", "SchemaMigrations",
    ]),
    "SchemaMigrations": ["Diagnostics", "Folders", "SafeFiles"],
    "EngineMeasurements": system.union([
      "Automerge", "CLinux", "Diagnostics", "FolderDocuments", "FoundationEssentials", "Foundation",
      "MigrationCore", "Runs", "SafeFiles", "SampleFolders", "SchemaMigrations",
    ]),
    "SampleFolders": ["Diagnostics", "Folders", "SafeFiles"],
    // What it writes is in memory: no database on a disk is ever opened by it.
    "SampleStores": [
      "CSQLite", "CZlib", "Diagnostics", "Folders", "SafeFiles", "SampleFolders",
      "SwiftDataStores",
    ],
    "Commands": command.union([
      "Backups", "Diagnostics", "Fleets", "FolderPages", "FolderSync", "Folders", "SafeFiles",
      "SampleFolders", "SampleStores", "SchemaMigrations",
    ]),
    "bench-engine": command.union(["EngineMeasurements"]),
  ]

  /// A program that starts a command does nothing else.
  private static let program: Set = ["Commands"]

  private static let free: Set = ["Swift", "Synchronization"]

  /// Files named for their unsafe code may also use the C library, for memory and numbers.
  private static func isAllowed(_ module: String, in file: SourceFile) -> Bool {
    free.contains(module) || allowed[file.module, default: program].contains(module)
      || (system.contains(module) && file.name.hasSuffix("+Unsafe.swift"))
  }

  @Test func `every module imports only what its line in the table allows`() {
    var violations: [String] = []
    for file in PackageTree.sources {
      if Self.allowed[file.module] == nil, !file.module.contains("-") {
        violations.append("\(file.path): module \(file.module) has no line in the import table")
      }
      for (module, index) in file.imports where !Self.isAllowed(module, in: file) {
        violations.append(file.violation(at: index, "\(file.module) must not import \(module)"))
      }
    }
    expectNone(violations)
    #expect(PackageTree.sources.count > 50, "the sources were not found")
  }

  @Test func `every line of the table belongs to a module that exists`() {
    let modules = Set(PackageTree.sources.map(\.module))
    expectNone(Self.allowed.keys.filter { !modules.contains($0) }.sorted())
  }

  @Test func `Foundation proper is imported only where FoundationEssentials is missing`() {
    var violations: [String] = []
    for file in PackageTree.sources {
      for (module, index) in file.imports where module == "Foundation" {
        let before = file.code[..<index].suffix(3).map { $0.trimmingCharacters(in: .whitespaces) }
        let isFallback =
          before.last == "#else" && before.first == "#if canImport(FoundationEssentials)"
          // There it is part of the system.
          || before.last == "#if canImport(Darwin)"
        if !isFallback { violations.append(file.violation(at: index, "imports Foundation proper")) }
      }
    }
    expectNone(violations)
  }
}
