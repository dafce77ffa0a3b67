// swift-tools-version: 6.2

import PackageDescription

/// What every target of ours is compiled with: no warning passes, every unsafe construct is marked.
let strict: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .strictMemorySafety(),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .define("INTERNAL_CHECKS", .when(configuration: .debug)),
]

/// Each starts one command of the module `Commands`; the first holds them all.
let programs = [
  "automerge-migrate", "cleanup-legacy", "export-json", "generate-folder", "generate-store",
  "import-crdt",
  "inspect-crdt", "merge-conflicts", "migrate-fleet", "migrate-folder", "migrate-schema",
  "pack-backup",
  "recover-folder",
  "repair-crdt", "report-folder", "restore-backup", "rollback-folder", "sync-folder",
  "verify-counts",
]

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: strict)
}

// On Linux no program is linked with libarchive, which is loaded where an archive is.
#if os(Linux)
  let linkedArchive: String? = nil
#else
  let linkedArchive: String? = "libarchive"
#endif

let package = Package(
  name: "automerge-migrate",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Automerge", targets: ["Automerge", "AutomergeUtilities"]),
    .library(name: "SchemaMigrations", targets: ["SchemaMigrations"]),
  ] + programs.map { .executable(name: $0, targets: [$0]) },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
  ],
  targets: [
    .systemLibrary(name: "CArchive", pkgConfig: linkedArchive),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

    module("Diagnostics"),
    module("SafeFiles", ["CLinux", "Diagnostics", crypto]),
    module("Automerge", ["CZlib", crypto]),
    module("AutomergeUtilities", ["Automerge"]),
    module("Folders", ["Diagnostics", "SafeFiles"]),
    module("Backups", ["CArchive", "Diagnostics", "Folders", "SafeFiles", crypto]),
    module("SwiftDataStores", ["CSQLite", "CZlib", "Diagnostics", "SafeFiles"]),
    module("Runs", ["Backups", "CLinux", "Diagnostics", "Folders", "SafeFiles"]),
    module("Fleets", ["Diagnostics", "Folders", "Runs", "SafeFiles"]),
    module(
      "FolderDocuments", ["Automerge", "Backups", "Diagnostics", "Folders", "Runs", "SafeFiles"]),
    module(
      "FolderState",
      ["Automerge", "Backups", "Diagnostics", "FolderDocuments", "Folders", "Runs", "SafeFiles"]),
    module(
      "FolderSync",
      [
        "Automerge", "Diagnostics", "FolderDocuments", "FolderState", "Folders", "Runs",
        "SafeFiles", crypto,
      ]),
    module(
      "MigrationCore",
      [
        "Automerge", "Backups", "Diagnostics", "FolderDocuments", "FolderState", "Folders", "Runs",
        "SafeFiles", "SchemaMigrations", "SwiftDataStores", crypto,
      ]),
    module("FolderPages", ["Diagnostics", "Folders", "MigrationCore", "Runs", "SafeFiles"]),
    module(
      "CommandLineSupport",
      [
        "Backups", "CLinux", "Diagnostics", "Fleets", "FolderPages", "FolderSync", "Folders",
        "MigrationCore",
        "Runs", "SafeFiles", "SchemaMigrations", argumentParser,
      ]),
    module("SchemaMigrations", ["Diagnostics", "Folders", "SafeFiles"]),
    module("SampleFolders", ["Diagnostics", "Folders", "SafeFiles"]),
    module(
      "SampleStores",
      [
        "CSQLite", "CZlib", "Diagnostics", "Folders", "SafeFiles", "SampleFolders",
        "SwiftDataStores",
      ]),
    module(
      "Commands",
      [
        "Backups", "CommandLineSupport", "Diagnostics", "Fleets", "FolderPages", "FolderSync",
        "Folders", "MigrationCore", "Runs", "SafeFiles", "SampleFolders", "SampleStores",
        "SchemaMigrations", "SwiftDataStores", argumentParser,
      ]),
    module(
      "EngineMeasurements",
      [
        "Automerge", "CLinux", "Diagnostics", "FolderDocuments", "MigrationCore", "Runs",
        "SafeFiles", "SampleFolders", "SchemaMigrations",
      ]),
    .executableTarget(
      name: "bench-engine",
      dependencies: ["CommandLineSupport", "EngineMeasurements", "MigrationCore"],
      swiftSettings: strict),
  ]
    + programs.map {
      .executableTarget(name: $0, dependencies: ["Commands"], swiftSettings: strict)
    } + [
      .target(
        name: "FileFaults", dependencies: ["SafeFiles"], path: "Tests/FileFaults",
        swiftSettings: strict),
      .target(name: "JSONSchemas", path: "Tests/JSONSchemas", swiftSettings: strict),
      .target(
        name: "TestStores", dependencies: ["CSQLite", "SampleStores", "SwiftDataStores"],
        path: "Tests/TestStores", swiftSettings: strict),
      tests("AutomergeTests", ["Automerge", "AutomergeUtilities", "EngineMeasurements"]),
      tests("SafeFilesTests", ["Diagnostics", "FileFaults", "SafeFiles"]),
      tests(
        "FoldersTests",
        ["Diagnostics", "FileFaults", "Folders", "JSONSchemas", "SafeFiles", "SampleFolders"]),
      tests("FleetsTests", ["Diagnostics", "FileFaults", "Fleets", "Runs", "SafeFiles"]),
      tests("BackupsTests", ["Backups", "Diagnostics", "FileFaults", "Folders", "SafeFiles"]),
      tests(
        "SwiftDataStoresTests",
        [
          "Diagnostics", "FileFaults", "SafeFiles", "SampleFolders", "SampleStores",
          "SwiftDataStores", "TestStores",
        ]),
      tests(
        "FolderSyncTests",
        ["Automerge", "Diagnostics", "FolderSync", "Folders", "Runs", "SafeFiles"]),
      tests(
        "MigrationCoreTests",
        [
          "Automerge", "Backups", "Diagnostics", "EngineMeasurements", "FileFaults",
          "FolderDocuments", "FolderState", "Folders", "MigrationCore", "Runs", "SafeFiles",
          "SampleFolders", "SampleStores", "SchemaMigrations", "SwiftDataStores", "TestStores",
        ]),
      tests(
        "CommandTests",
        [
          "Automerge", "Backups", "CommandLineSupport", "Diagnostics", "EngineMeasurements",
          "FileFaults", "Fleets", "FolderDocuments", "FolderState", "Folders", "MigrationCore",
          "Runs", "SafeFiles", "SampleStores", "TestStores", argumentParser,
        ]),
      tests(
        "SchemaMigrationsTests",
        ["Diagnostics", "Folders", "JSONSchemas", "SafeFiles", "SchemaMigrations"]),
      tests("ArchitectureTests", []),
    ],
  swiftLanguageModes: [.v6]
)

// `bin/fuzz` asks for the fuzzer. It shares files with the tests, so it takes their place, and wants
// the engine built so that libFuzzer sees which way it goes.
if Context.environment["AUTOMERGE_FUZZ"] != nil {
  package.targets.removeAll { $0.type == .test }
  for target in package.targets where target.name == "Automerge" {
    target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer"]))
  }
  package.targets.append(
    .executableTarget(
      name: "fuzz-engine", dependencies: ["Automerge"], path: "Tests/EngineFuzzing",
      exclude: ["Corpus/GoldenCase.swift", "Forging/ForgingTests.swift"],
      swiftSettings: strict,
      linkerSettings: [
        .unsafeFlags(["-sanitize=fuzzer"]),
        // The linker that is the default on Linux, gold, fails on what libFuzzer links with.
        .unsafeFlags(["-use-ld=lld"], .when(platforms: [.linux])),
      ]))
}
