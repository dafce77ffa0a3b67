import Foundation
import Testing

@Suite struct PackageTests {
  /// A program as it is released: one for tests needs libraries that are where it was built.
  private static let released =
    geteuid() == 0 ? ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_PROGRAM"] : nil
  private static let isSlow = released != nil

  private let scripts: InstalledScripts
  private let place: TemporaryDirectory
  private var output: URL { place.url.appending(path: "output") }

  /// A clone with a commit of its own, and the program without what debuggers need.
  init() throws {
    scripts = try InstalledScripts.inClone()
    place = try TemporaryDirectory()
    let program = scripts.directory.appending(path: BuiltCommands.program)
    let built = Self.released.map { URL(filePath: $0) } ?? program.resolvingSymlinksInPath()
    try FileManager.default.removeItem(at: program)
    try shell("strip -o '\(program.path)' '\(built.path)'")
    try shell(
      """
      git init --quiet && git add README.md &&
        git -c user.name=Anna -c user.email=anna@minuta.app commit --quiet -m first
      """, in: scripts.directory.deletingLastPathComponent())
  }

  @discardableResult
  private func shell(_ line: String, in directory: URL? = nil) throws -> CommandRun {
    let run = try CommandTests.run(
      URL(filePath: "/bin/sh"), ["-c", line], input: nil, in: directory)
    #expect(run.status == 0, "\(line)\n\(run.output)\(run.errors)")
    return run
  }

  private func package(into directory: URL? = nil) throws -> [String] {
    let run = try scripts.run(
      "package", "--output", (directory ?? output).path, "--url", "https://minuta.app/source")
    #expect(run.status == 0, "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test func `the package installs, runs and goes without a trace`() throws {
    let made = try package()
    #expect(made.count == 5)
    let deb = try #require(made.first { $0.hasSuffix(".deb") })
    #expect(deb.hasSuffix("/automerge-migrate_0.1.0_\(try architecture()).deb"))
    try shell("sha256sum --check --strict --quiet SHA256SUMS", in: output)

    // An empty system, which has nothing that a package could depend on.
    let root = place.url.appending(path: "root").path
    try shell(
      "mkdir -p '\(root)/var/lib/dpkg/info' '\(root)/var/lib/dpkg/updates'; : >'\(root)/var/lib/dpkg/status'"
    )
    let dpkg = "dpkg --root='\(root)' --force-not-root --force-depends --force-bad-path"
    try shell("\(dpkg) --install '\(deb)'")
    let usr = place.url.appending(path: "root/usr")
    for command in BuiltCommands.names where command != "bench-engine" {
      let version = try run(usr.appending(path: "bin/\(command)"), ["--version"], input: nil)
      #expect(version.output == "\(command) (automerge-migrate) 0.1.0\n")
    }
    let files = try SmallFolder.snapshot(of: usr).filter { $0.value.bytes != nil }.keys
    for path in [
      "share/man/man1/verify-counts.1.gz", "share/man/man7/automerge-migrate-scripting.7.gz",
      "share/bash-completion/completions/verify-counts",
      "share/zsh/vendor-completions/_verify-counts",
      "share/fish/vendor_completions.d/verify-counts.fish",
      "share/doc/automerge-migrate/safety.md",
      "share/doc/automerge-migrate/examples/plans/laundrytime.json",
      "share/doc/automerge-migrate/copyright",
    ] {
      let isThere = files.contains(path)
      #expect(isThere, "\(path)")
    }
    let folder = usr.appending(path: "share/doc/automerge-migrate/examples/sample-folder").path
    let counts = try run(
      usr.appending(path: "bin/verify-counts"), [folder, "--status"], input: nil)
    #expect(counts.output.hasPrefix("legacy\n"), "\(counts.output)\(counts.errors)")
    try shell("\(dpkg) --purge automerge-migrate")
    #expect(!FileManager.default.fileExists(atPath: usr.path))
  }

  @Test func `the tarball has what the package has, and nothing of the machine it was made on`()
    throws
  {
    let made = try package()
    let tarball = try #require(made.first { $0.contains("-linux-") })
    let list = try shell("tar -tzvf '\(tarball)'").output
    #expect(list.split(separator: "\n").allSatisfy { $0.contains(" 0/0 ") }, "\(list.prefix(200))")
    for path in [
      "bin/verify-counts -> automerge-migrate", "share/man/man1/verify-counts.1",
      "share/zsh/site-functions/_verify-counts", "share/doc/automerge-migrate/README.md",
    ] {
      let isThere = list.contains("automerge-migrate-0.1.0/\(path)")
      #expect(isThere, "\(path)")
    }
    let formula = try String(
      contentsOf: output.appending(path: "automerge-migrate.rb"), encoding: .utf8)
    let sum = try shell("sha256sum <'\(output.path)/automerge-migrate-0.1.0.tar.gz'").output.prefix(
      64)
    #expect(formula.contains("sha256 \"\(sum)\""))
    #expect(formula.contains("url \"https://minuta.app/source\""))
  }

  @Test(.enabled(if: isSlow, "bin/test --slow, as root"))
  func `two runs for one commit make the same bytes`() throws {
    let other = place.url.appending(path: "other")
    _ = try package()
    _ = try package(into: other)
    try shell("diff -r '\(output.path)' '\(other.path)'")
  }

  /// Nothing that was built before is used, so it takes the time of two releases.
  @Test(.enabled(if: isSlow, "bin/test --slow, as root"))
  func `one commit that is built in two directories makes the same bytes`() throws {
    let source = BuiltCommands.packageRoot.resolvingSymlinksInPath().path
    var outputs: [String] = []
    for name in ["one", "another-one"] {
      let clone = place.url.appending(path: "\(name)/clone").path
      let made = place.url.appending(path: "\(name)/made").path
      try shell("git -c safe.directory='*' clone --quiet 'file://\(source)' '\(clone)'")
      try shell("'\(clone)/bin/package' --output '\(made)' --url https://minuta.app/source")
      outputs.append(made)
    }
    try shell("diff -r '\(outputs[0])' '\(outputs[1])'")
    #expect(try FileManager.default.contentsOfDirectory(atPath: outputs[0]).count == 5)
  }

  @Test(.enabled(if: isSlow, "bin/test --slow, as root"))
  func `lintian finds nothing wrong in the package`() throws {
    let deb = try #require(try package().first { $0.hasSuffix(".deb") })
    let found = try CommandTests.run(
      URL(filePath: "/usr/bin/lintian"), ["--allow-root", "--fail-on", "error,warning", deb],
      input: nil)
    #expect(found.status == 0, "\(found.output)\(found.errors)")
  }

  @Test(.enabled(if: isSlow, "bin/test --slow, as root"))
  func `the package installs and runs in a bare system, and is purged from it`() throws {
    let deb = try #require(try package().first { $0.hasSuffix(".deb") })
    let root = place.url.appending(path: "bare").path
    let code = try shell(". /etc/os-release && echo $VERSION_CODENAME").output
      .trimmingCharacters(in: .newlines)
    try shell("debootstrap --variant=minbase '\(code)' '\(root)' >/dev/null")
    try shell("cp '\(deb)' '\(root)/tmp/package.deb'")
    try shell(
      """
      unshare --mount sh -ec "mount -t proc proc '\(root)/proc'; exec chroot '\(root)' sh" <<'END'
        set -e
        apt-get install -y -qq --no-install-recommends /tmp/package.deb </dev/null >/dev/null 2>&1
        cd /tmp && generate-folder Minuta --records 20 --months 2 --quiet
        migrate-folder Minuta && verify-counts Minuta
        # Without /proc no program of Swift knows what it was told.
        umount /proc
        status=0
        verify-counts Minuta 2>said || status=$?
        test "$status" -eq 71 && grep -q "mount it" said
        mount -t proc proc /proc
        apt-get purge -y -qq automerge-migrate </dev/null >/dev/null 2>&1
        ! command -v verify-counts && ! dpkg-query -W automerge-migrate 2>/dev/null
        test ! -e /usr/share/doc/automerge-migrate
      END
      """)
  }

  private func architecture() throws -> String {
    try shell("dpkg --print-architecture").output.trimmingCharacters(in: .newlines)
  }
}
