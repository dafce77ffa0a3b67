import Folders
import Foundation
import JSONSchemas
import Testing

/// The page about profile files, against the reader.
@Suite struct ProfilePageTests {
  private static let page =
    (try? String(
      contentsOf: ProfileFileTests.fixtures.deletingLastPathComponent()
        .appending(path: "Sources/Documentation/profile-files.md"), encoding: .utf8)) ?? ""

  @Test func `the example is a profile in its one form`() throws {
    let match = try #require(
      Self.page.firstMatch(of: /(?s)<!-- example .*?```json\n(.*?)```\n<!-- end/))
    let profile = try ProfileFileTests.profile(String(match.1))
    #expect(String(decoding: profile.file, as: UTF8.self) == String(match.1))
    #expect(profile.describesFolder)
  }

  @Test func `the tables list the members of the form, and no others`() throws {
    let schema = try JSONDecoder().decode(PlainJSON.self, from: Data(Profile.schema)).value
    let all = SchemaCheck.members(of: schema).map { $0.split(separator: "/").last ?? "" }
    // Every object has it, and the page says so once.
    let known = all.filter { $0 != "comment" }
    #expect(all.count - known.count == 11)
    let listed = Self.page.matches(of: /(?m)^\| `([A-Za-z]+)` \|/).map(\.1)
    #expect(listed.sorted() == (known + ["comment"]).sorted())
  }
}
