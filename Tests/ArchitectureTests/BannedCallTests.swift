import Testing

@Suite struct BannedCallTests {
  @Test func `nothing prints, but for a call of the library that is made for it`() {
    // `Document.walk()` shows a document to the developer of an app; no command calls it.
    let exception = "Sources/AutomergeUtilities/Document+Walk.swift"
    let pattern = /(?:^|[^\w.])(?:print|debugPrint|dump)\(/
    let printing = PackageTree.sources.flatMap {
      $0.violations(
        of: pattern, holding: "rint(", "dump(", told: "prints; data goes through StandardStreams")
    }
    expectNone(printing.filter { !$0.hasPrefix(exception) })
    #expect(printing.filter { $0.hasPrefix(exception) }.count == 1)
  }

  @Test func `nothing traps or hides an error`() {
    let bans: [(Regex<Substring>, String, String)] = [
      (/\btry!/, "try!", "try! traps"),
      (/\bas!/, "as!", "as! traps"),
      (/\bfatalError\b/, "fatalError", "fatalError traps"),
      (/[\w)\]}"]!(?!=)/, "!", "! traps"),
      (/\bcatch\s*\{\s*\}/, "catch", "an empty catch hides an error"),
    ]
    for (pattern, word, problem) in bans {
      expectNone(
        PackageTree.sources.flatMap {
          $0.violations(of: pattern, holding: word, told: problem)
        })
    }
  }

  @Test func `an ignored error says why it does not matter`() {
    var violations: [String] = []
    for file in PackageTree.sources {
      for index in file.lines(with: /\btry\?/, holding: ["try?"]) {
        let nearby = file.lines[max(0, index - 2)...index]
        if !nearby.contains(where: { $0.contains("//") }) {
          violations.append(file.violation(at: index, "try? without a comment"))
        }
      }
    }
    expectNone(violations)
  }

  @Test func `only the command layer exits or reads the environment`() {
    let pattern = /(?:^|[^\w.])(?:exit|_exit|abort|getenv|setenv)\(|\bProcessInfo\b|\bCommandLine\b/
    expectNone(
      PackageTree.sources.filter { $0.module != "CommandLineSupport" }
        .flatMap {
          $0.violations(
            of: pattern, holding: "exit(", "abort(", "env(", "ProcessInfo", "CommandLine",
            told: "belongs to CommandLineSupport")
        })
  }

  @Test func `only SafeFiles touches the file system`() {
    let managers = /\bFileManager\b|\bFileHandle\b|contentsOfFile:|\b(?:Data|String)\(contentsOf/
    expectNone(
      PackageTree.sources.filter { $0.module != "SafeFiles" }
        .flatMap {
          $0.violations(
            of: managers, holding: "FileManager", "FileHandle", "contentsOf",
            told: "touches the file system")
        })
    // The modules that may use the C library use it for other things; the command layer opens one
    // file, /dev/null.
    let calls =
      /(?:^|[^\w.])(?:open|openat|creat|fopen|opendir|unlink|unlinkat|rename|renameat|mkdir|mkdirat|rmdir|truncate|ftruncate|link|symlink|chmod|chown|stat|lstat|fstatat)\(/
    expectNone(
      PackageTree.sources.filter { file in
        file.module != "SafeFiles" && file.imports.contains { $0.module == "Glibc" }
      }
      .flatMap { file in
        file.code.indices
          .filter { file.code[$0].contains(calls) && !file.lines[$0].contains("\"/dev/null\"") }
          .map { file.violation(at: $0, "touches the file system") }
      })
  }

  @Test func `folders are opened in one place, which knows of unfinished restores`() {
    // A document is looked at by itself, whatever folder it lies in; backups lie in no folder.
    let exceptions = [
      "BackedUpFolder.swift", "BackedUpStore.swift", "FolderAccess.swift",
      "InspectionWorkflow.swift",
    ]
    expectNone(
      PackageTree.sources.filter { file in
        file.module == "MigrationCore" && !exceptions.contains { file.path.hasSuffix("/" + $0) }
      }
      .flatMap {
        $0.violations(
          of: /\bDirectory\.open(?:Target|Parent)?\(/, holding: "Directory.open",
          told: "opens a folder; FolderAccess does that")
      })
  }
}
