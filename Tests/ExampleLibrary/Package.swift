// swift-tools-version: 6.2

import PackageDescription

// An app that uses the library as anybody would: give the address of the package in place of its path.
let package = Package(
  name: "ExampleLibrary",
  platforms: [.macOS(.v15)],
  products: [.library(name: "SharedList", targets: ["SharedList"])],
  dependencies: [.package(name: "automerge-migrate", path: "../..")],
  targets: [
    .target(
      name: "SharedList",
      dependencies: [.product(name: "Automerge", package: "automerge-migrate")]),
    .testTarget(name: "SharedListTests", dependencies: ["SharedList"]),
  ]
)
