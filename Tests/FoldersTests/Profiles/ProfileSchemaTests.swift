import Folders
import Foundation
import JSONSchemas
import Testing

/// The JSON Schema against profiles: a check of its own, of the words that the schema uses.
@Suite struct ProfileSchemaTests {
  private static func json(_ bytes: [UInt8]) throws -> Any {
    try JSONDecoder().decode(PlainJSON.self, from: Data(bytes)).value
  }

  @Test(arguments: ProfileFileTests.vectors)
  func `the profile of a vector is valid by the schema`(vector: String) throws {
    let profile = try Self.json(ProfileFileTests.bytes("convergent-2/\(vector)/profile.json"))
    #expect(SchemaCheck.defects(of: profile, by: try Self.json(Profile.schema)) == [])
  }

  @Test func `what the program writes is valid by the schema`() throws {
    let schema = try Self.json(Profile.schema)
    for profile in Profile.builtIn + [try ProfileFileTests.profile(ProfileFileTests.everything)] {
      #expect(SchemaCheck.defects(of: try Self.json(profile.file), by: schema) == [])
    }
  }

  @Test func `the profile with everything has every member of the schema`() throws {
    let schema = try Self.json(Profile.schema)
    let profile = try Self.json(Array(ProfileFileTests.everything.utf8))
    let known = SchemaCheck.members(of: schema)
    #expect(known.count == 75)
    #expect(SchemaCheck.members(used: profile, by: schema) == known)
  }

  @Test func `what the reader refuses by its form the schema refuses, too`() throws {
    let schema = try Self.json(Profile.schema)
    for wrong in ProfileDefectTests.ofForm {
      #expect(
        SchemaCheck.defects(of: try Self.json(Array(wrong.utf8)), by: schema) != [], "\(wrong)")
    }
  }
}
