import Foundation
import Testing

@Suite struct UnsafeCodeTests {
  /// The C wrappers; everywhere else a file with `unsafe` says so in its name.
  private static func mayBeUnsafe(_ file: SourceFile) -> Bool {
    ["Backups", "SafeFiles", "SwiftDataStores"].contains(file.module)
      || file.name.hasPrefix("Compression") || file.name.hasSuffix("+Unsafe.swift")
  }

  @Test func `unsafe code stays in the C wrappers and in files named for it`() {
    expectNone(
      PackageTree.sources.filter { !Self.mayBeUnsafe($0) }
        .flatMap {
          $0.violations(
            of: /\bunsafe\b/, holding: "unsafe", told: "unsafe outside of the C wrappers")
        })
  }

  @Test func `every unsafe word stands below the line that says why it is safe`() {
    var violations: [String] = []
    for file in PackageTree.sources {
      for index in file.lines(with: /\bunsafe\b/, holding: ["unsafe"]) {
        if !isExplained(index, in: file) {
          violations.append(file.violation(at: index, "unsafe without a SAFETY line above it"))
        }
      }
    }
    expectNone(violations)
  }

  @Test func `an unchecked promise of sendability is explained`() {
    var violations: [String] = []
    for file in PackageTree.sources {
      for index in file.lines(
        with: /@unchecked\s+Sendable|nonisolated\(unsafe\)/, holding: ["@unchecked", "(unsafe)"])
      {
        if !isExplained(index, in: file) {
          violations.append(file.violation(at: index, "promise without a SAFETY line above it"))
        }
      }
    }
    expectNone(violations)
  }

  /// A SAFETY line covers what follows it, up to the next empty line or the end of its function.
  private func isExplained(_ index: Int, in file: SourceFile) -> Bool {
    var line = index
    while line >= 0 {
      if file.lines[line].contains("SAFETY:") { return true }
      let text = file.lines[line].trimmingCharacters(in: .whitespaces)
      if line < index && text.isEmpty { return false }
      line -= 1
    }
    return false
  }
}
