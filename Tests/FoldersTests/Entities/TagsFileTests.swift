import Diagnostics
import Folders
import Testing

@Suite struct TagsFileTests {
  private let other = "00000000-0000-4000-8000-000000000001"

  @Test func `tags come in the order of the file`() throws {
    let batch = loadTags(
      #"{"tags":[\#(Samples.tag(#""isArchived":false"#)),\#(Samples.tag(id: other))]}"#)
    #expect(batch.findings.isEmpty && batch.isComplete)
    #expect(batch.entities.map(\.position) == [0, 1])
    #expect(batch.entities.map(\.identity.description) == [Samples.tagID, other])
    let tag = try #require(batch.entities.first)
    #expect(tag.kind == .tag)
    #expect(batch.text(of: tag.node(of: .name)) == "Work")
    #expect(batch.text(of: tag.node(of: .color)) == "#FF8800")
    #expect(tag.milliseconds(of: .createdAt) == 1_672_560_000_000)
    #expect(tag.node(of: .isArchived).map(batch.tape.kind(of:)) == .false)
    #expect(batch.entities.last?.node(of: .isArchived) == nil)
  }

  @Test func `a bare array is accepted with a warning`() {
    let batch = loadTags("[\(Samples.tag())]")
    #expect(batch.entities.count == 1 && batch.isComplete)
    #expect(batch.codes == [.bareTagArray])
    #expect(batch.findings.first?.severity == .warning)
  }

  @Test func `no tags are no findings`() {
    #expect(loadTags(#"{"tags":[]}"#).findings.isEmpty)
    #expect(loadTags(#"{"tags":[]}"#).isComplete)
  }

  @Test func `other members of the file keep it from being complete`() {
    let batch = loadTags(#"{"version":2,"tags":[\#(Samples.tag())]}"#)
    #expect(batch.entities.count == 1)
    #expect(batch.codes == [.unknownMember])
    #expect(batch.findings.first?.severity == .warning)
    #expect(!batch.isComplete && batch.refusedCount == 0)
  }

  @Test(arguments: ["{}", #"{"tags":null}"#, #"{"tags":{}}"#, "null", "5", #"{"Tags":[]}"#])
  func `a tags file without a list of tags is an error`(json: String) {
    let batch = loadTags(json)
    #expect(batch.entities.isEmpty && !batch.isComplete)
    #expect(batch.findings.contains { $0.severity == .error })
  }

  @Test func `a bad tag is refused and the others go on`() {
    let batch = loadTags(
      #"[\#(Samples.tag()),{"id":"\#(other)","name":"x"},7,\#(Samples.tag(id: other))]"#)
    #expect(batch.entities.map(\.position) == [0, 3])
    #expect(batch.refusedCount == 2 && !batch.isComplete)
    #expect(batch.codes == [.bareTagArray, .missingField, .missingField, .wrongType])
    #expect(batch.findings[1].message.hasPrefix("tag 2: "))
    #expect(batch.findings.last?.message.hasPrefix("tag 3: ") == true)
  }

  @Test(arguments: [
    #""name":null"#, #""name":5"#, #""color":null"#, #""color":[]"#, #""createdAt":null"#,
    #""createdAt":"x""#, #""isArchived":0"#, #""isArchived":"true""#,
  ])
  func `a known field of another type refuses the tag`(member: String) {
    let name = member.prefix { $0 != ":" }
    let members = [
      #""name":"Work""#, ##""color":"#FF8800""##, #""createdAt":"2023-01-01T08:00:00Z""#,
    ].filter { !$0.hasPrefix(name) }
    let json = #"{"id":"\#(other)","# + (members + [member]).joined(separator: ",") + "}"
    let batch = loadTags(#"{"tags":[\#(json)]}"#)
    #expect(batch.entities.isEmpty && batch.refusedCount == 1)
    #expect(batch.findings.map(\.severity) == [.error])
  }

  @Test func `an archived state may be null`() throws {
    let batch = loadTags(#"{"tags":[\#(Samples.tag(#""isArchived":null"#))]}"#)
    let node = try #require(batch.entities.first?.node(of: .isArchived))
    #expect(batch.tape.kind(of: node) == .null)
  }

  @Test func `a blank name and a strange colour are carried with a warning`() {
    let json = #"{"id":"\#(other)","name":" \t","color":"red","createdAt":"2023-01-01T08:00:00Z"}"#
    let batch = loadTags(#"{"tags":[\#(json)]}"#)
    #expect(batch.entities.count == 1 && batch.isComplete)
    #expect(batch.findings.map(\.severity) == [.warning, .warning])
  }

  @Test func `images and times are unknown fields of a tag`() throws {
    let batch = loadTags(
      #"{"tags":[\#(Samples.tag(#""images":5,"startTime":"x","comment":[1]"#))]}"#)
    let tag = try #require(batch.entities.first)
    #expect(batch.findings.isEmpty && tag.imagesNode == nil)
    #expect(batch.unknownMembers(of: tag).map(\.name) == ["comment", "images", "startTime"])
  }

  @Test func `damage anywhere costs the whole file`() {
    let batch = loadTags(#"{"tags":[\#(Samples.tag()),{"id":"x","id":"y"}]}"#)
    #expect(batch.entities.isEmpty && batch.codes == [.damaged])
  }

  @Test func `a file of very many mistakes has a bounded number of findings`() {
    let batch = loadTags("[" + Array(repeating: "0", count: 5000).joined(separator: ",") + "]")
    #expect(batch.findings.count == 1001)
    #expect(batch.findings.last?.message == "4,001 more findings in this file")
    #expect(batch.findings.last?.severity == .error)
    #expect(batch.refusedCount == 5000)
  }
}
