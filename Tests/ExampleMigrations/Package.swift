// swift-tools-version: 6.2

import PackageDescription

// What an app adds to its own package: copy this directory, and give the address of the package in
// place of its path.
let package = Package(
  name: "ExampleMigrations",
  platforms: [.macOS(.v15)],
  products: [.library(name: "NotesMigrations", targets: ["NotesMigrations"])],
  dependencies: [.package(name: "automerge-migrate", path: "../..")],
  targets: [
    .target(
      name: "NotesMigrations",
      dependencies: [.product(name: "SchemaMigrations", package: "automerge-migrate")]),
    .testTarget(
      name: "NotesMigrationsTests",
      dependencies: [
        "NotesMigrations",
        .product(name: "SchemaMigrations", package: "automerge-migrate"),
      ]),
  ]
)
