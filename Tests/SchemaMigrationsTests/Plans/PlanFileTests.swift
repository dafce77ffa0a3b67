import Folders
import SafeFiles
import SchemaMigrations
import Testing

/// What a plan file says.
@Suite struct PlanFileTests {
  private static func checksum(_ members: String) throws -> String {
    try SamplePlan.step(members).checksum.description
  }

  @Test func `a checksum depends on what a step does, and not on how it is written`() throws {
    let step = #""entities": {"note": [{"set": "name", "to": {"constant": "x"}}]}"#
    let checksum = try Self.checksum(step)
    let same = [
      #""description": "for people", "entities": {"note": [{"to": {"constant": "x"}, "set": "name"}]}"#,
      #""comment": "for who reads it",   "entities" : {"note":[{"set":"\u006eame","to":{"constant":"x"}}]}"#,
    ]
    for text in same { #expect(try Self.checksum(text) == checksum) }
    let other = [
      #""entities": {"note": [{"set": "name", "to": {"constant": "y"}}]}"#,
      step + #", "verify": [{"unique": "note"}]"#,
      #""platforms": ["iOS"], "# + step,
    ]
    for text in other { #expect(try Self.checksum(text) != checksum) }
    // Frozen: whoever has this step noted knows it again.
    #expect(
      checksum == "333f1c96afa4a3fca7e151e89383cbf72b4b79539a402da672ee1fd640735d89")
  }

  @Test func `numbers of one value are one number in a checksum`() throws {
    func step(_ number: String) -> String {
      #""entities": {"note": [{"set": "extra", "to": {"constant": [\#(number)]}}]}"#
    }
    #expect(try Self.checksum(step("100")) == Self.checksum(step("1.0e2")))
    #expect(try Self.checksum(step("100")) != Self.checksum(step("\"100\"")))
  }

  @Test func `parameters are read by their types`() throws {
    func value(_ kind: PlanParameter.Kind, _ text: String) throws -> MigrationValue? {
      let plan = try SamplePlan.plan(
        #"""
        {"plan": "p", "profile": "sample", "parameters": {"x": {"type": "\#(kind.rawValue)"}},
         "steps": [{"id": "a", "risk": "additive"}]}
        """#)
      return try #require(plan.parameters.first).value(text)
    }
    #expect(try value(.text, "a=b") == "a=b")
    #expect(try value(.date, "2026-01-01T01:00:00+01:00") == "2026-01-01T00:00:00Z")
    #expect(try value(.date, "yesterday") == nil)
    #expect(try value(.timeZone, "Europe/Rome") == "Europe/Rome")
    #expect(try value(.timeZone, "Europe/Atlantis") == nil)
    #expect(try value(.integer, "12") == 12)
    #expect(try value(.integer, "1.5") == nil)
    #expect(try value(.boolean, "true") == true)
    #expect(
      try value(.uuid, "48356468-a713-4d0d-8a4a-2276793f50b2")
        == "48356468-A713-4D0D-8A4A-2276793F50B2")
  }

  @Test func `a step can give a property that the profile does not have, and later ones know it`()
    throws
  {
    let plan = try SamplePlan.plan(
      #"""
      {"plan": "p", "profile": "sample", "steps": [
        {"id": "a", "risk": "additive", "entities": {"note": [{"set": "mood", "to": {"constant": "good"}, "type": "string"}]}},
        {"id": "b", "risk": "transformative", "entities": {"note": [{"rename": "mood", "to": "first"}]}}]}
      """#)
    #expect(plan.steps.count == 2)
  }

  @Test func `a step says what it loses and what it needs`() throws {
    let step = try SamplePlan.step(
      #"""
      "entities": {"note": [{"set": "name", "to": {"concatenate": [{"copy": "/first"}, {"parameter": "who"}]}},
        {"drop": "first"}, {"drop": "last"}]},
      "verify": [{"every": "note", "holds": {"equal": [{"copy": "/made"}, {"parameter": "at"}]}}]
      """#)
    #expect(step.lostProperties.map(\.property) == ["last"])
    #expect(step.parameters == ["at", "who"])
  }
}
