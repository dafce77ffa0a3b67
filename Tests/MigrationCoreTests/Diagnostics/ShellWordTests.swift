import Diagnostics
import Foundation
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct ShellWordTests {
  private static let words = [
    "plain", "", "-n", "with space", "it's", "$HOME `id` $(id) \"x\" \\", "a\tb", "two\nlines",
    "-\t-", "100%\t%d\\n'", "tab\tand Küche", "\u{202e}right", "\u{7f}", "ends\n", "*", "~", "#",
  ]

  @Test(arguments: words)
  func `a shell reads the word that was meant`(word: String) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", "printf %s \(ShellWord.quoting(word))"]
    process.standardOutput = output
    try process.run()
    let read = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(read == Data(word.utf8), "\(ShellWord.quoting(word))")
  }

  @Test(arguments: words.filter { !$0.hasSuffix("\n") })
  func `it is one line, and nothing in it has to be escaped`(word: String) {
    #expect(
      ShellWord.quoting(word).unicodeScalars.allSatisfy {
        ![.control, .format].contains($0.properties.generalCategory)
      })
  }
}
