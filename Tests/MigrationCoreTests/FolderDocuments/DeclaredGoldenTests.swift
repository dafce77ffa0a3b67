import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Foundation
import Testing

/// The convergent mapping of declared kinds, against an independent implementation, byte for byte.
@Suite struct DeclaredGoldenTests {
  /// What `expected-hashes.json` says.
  struct Expected: Decodable {
    struct Change: Decodable, Equatable {
      var document: String
      var label: String
      var property: String?
      var hash: String
      var actor: String
    }

    struct Refusal: Decodable, Equatable {
      var line: Int
      var refused: String
    }

    struct Finding: Decodable, Equatable {
      var line: Int
      var finding: String
      var property: String
    }

    var changes: [Change]
    var refused: [Refusal]
    var findings: [Finding]
  }

  static let cases: [String] =
    ((try? FileManager.default.contentsOfDirectory(
      atPath: Fixtures.directory.appending(path: "convergent-2").path)) ?? [])
    .filter { !$0.hasSuffix(".md") }.sorted()

  @Test func `there are cases`() { #expect(Self.cases.count == 21) }

  @Test(arguments: cases)
  func `every change of a case is that of the vectors`(name: String) throws {
    let place = "convergent-2/\(name)"
    let expected = try JSONDecoder().decode(
      Expected.self, from: Data(Fixtures.bytes("\(place)/expected-hashes.json")))
    let built = try DeclaredFolder(place)
    #expect(built.refused == expected.refused)
    #expect(built.findings == expected.findings)
    #expect(built.changes.map(\.summary) == expected.changes)

    let names = try? FileManager.default.contentsOfDirectory(
      atPath: Fixtures.directory.appending(path: "\(place)/changes").path)
    if let names {
      #expect(names.count == built.changes.count)
      for (file, change) in zip(names.sorted(), built.changes) {
        #expect(try change.chunk == Fixtures.bytes("\(place)/changes/\(file)"), "\(file)")
      }
    }
    for (document, changes) in Dictionary(grouping: built.changes, by: \.summary.document) {
      #expect(try changes.flatMap(\.chunk) == Fixtures.bytes("\(place)/\(document)"))
    }
  }

  @Test func `whatever an entity holds, it is refused or its changes load`() throws {
    let place = "convergent-2/every-type"
    let profile = try Profile(parsing: Fixtures.bytes("\(place)/profile.json"), of: "profile.json")
    let kind = try #require(profile.kind(named: "thing"))
    let entity = try Fixtures.bytes("\(place)/entities.jsonl")
    let pieces = [
      "null", "{}", "[]", "1e5", "-0", "\"\"", "[[{\"a\":[1]}]]", "{\"\":true}", "9e999", "true",
    ]
    let identity = Array("6F9619FF-8B86-D011-B42D-00C04FC964FF".utf8)
    var builder = DeclaredChanges(kind, of: profile)
    var original = JSONTape()
    try original.parse(entity)
    // Behind the line's own members: each value of the fields, inner ones included.
    let values = original.nodes.indices.filter { $0 > 7 && !isName($0, on: original) }
    var builtCount = 0
    var built = ChangeChunks()
    for value in values {
      for piece in pieces {
        var changed = entity
        changed.replaceSubrange(original.sourceRange(of: value), with: piece.utf8)
        var tape = JSONTape()
        try tape.parse(changed)
        let fields = try #require(tape.member("fields", of: 0))
        do throws(EntityRefusal) {
          built.bytes = []
          try builder.build(fields, on: tape, identity: identity, into: &built)
        } catch {
          continue
        }
        builtCount += 1
        let state = try DocumentState(loading: built.bytes)
        #expect(!state.heads.isEmpty, "\(String(decoding: changed, as: UTF8.self))")
      }
    }
    #expect(values.count > 20 && builtCount > values.count * (pieces.count - 3))
  }

  private func isName(_ node: Int, on tape: JSONTape) -> Bool {
    tape.nodes.indices.contains { object in
      guard tape.kind(of: object) == .object else { return false }
      var names: [UInt32] = []
      tape.appendMembers(of: object, to: &names)
      return names.contains(UInt32(node))
    }
  }

  @Test(arguments: cases)
  func `the order of entities leaves no trace`(name: String) throws {
    let place = "convergent-2/\(name)"
    let forwards = try DeclaredFolder(place)
    let backwards = try DeclaredFolder(place, isReversed: true)
    #expect(Set(backwards.changes.map(\.summary.hash)) == Set(forwards.changes.map(\.summary.hash)))
  }
}

/// The changes as they were finished.
private struct Drafts: ChangeSink {
  var drafts: [ChangeDraft] = []

  mutating func append(_ draft: borrowing ChangeDraft) { drafts.append(copy draft) }
}

/// What the entities of a case become.
private struct DeclaredFolder {
  struct Change {
    var summary: DeclaredGoldenTests.Expected.Change
    var chunk: [UInt8]
  }

  /// The changes of one entity, of all its variants.
  private struct Entity {
    var identity: [UInt8]
    var changes: [(label: String, property: [UInt8], draft: ChangeDraft)] = []
  }

  private(set) var changes: [Change] = []
  private(set) var refused: [DeclaredGoldenTests.Expected.Refusal] = []
  private(set) var findings: [DeclaredGoldenTests.Expected.Finding] = []
  private var entities: [String: [Entity]] = [:]

  init(_ place: String, isReversed: Bool = false) throws {
    let profile = try Profile(parsing: Fixtures.bytes("\(place)/profile.json"), of: "profile.json")
    var builders: [String: DeclaredChanges] = [:]
    var lines = Array(
      try Fixtures.bytes("\(place)/entities.jsonl").split(separator: UInt8(ascii: "\n"))
        .enumerated())
    if isReversed { lines.reverse() }
    for (index, line) in lines { try read(line, number: index + 1, profile, &builders) }
    for kind in entities.keys.sorted() { try finish("\(kind).automerge", entities[kind] ?? []) }
  }

  private mutating func read(
    _ line: ArraySlice<UInt8>, number: Int, _ profile: Profile,
    _ builders: inout [String: DeclaredChanges]
  ) throws {
    func refuse(_ reason: String) { refused.append(.init(line: number, refused: reason)) }
    var tape = JSONTape()
    do throws(JSONDefect) {
      // What holds the fields is no level of theirs.
      try tape.parse(line, depthLimit: JSONTape.standardDepth + 1)
    } catch {
      switch error.fact {
      case .duplicateMember: return refuse("duplicate member")
      case .tooDeep: return refuse("nesting over 128")
      default: return refuse("damaged JSON: UnicodeEncodeError")
      }
    }
    let name = String(decoding: try #require(tape.string("kind")), as: UTF8.self)
    guard let kind = profile.kind(named: name) else { return refuse("unknown kind") }
    let id = tape.member("id", of: 0).flatMap {
      tape.kind(of: $0) == .string ? tape.bytes(of: $0) : nil
    }
    let identity =
      kind.identity == .singleton
      ? IdentityRule.singletonBytes
      : id.flatMap { kind.identity.bytes($0.span) }
    guard let identity else { return refuse("no identity") }
    let fields = try #require(tape.member("fields", of: 0))
    var builder = builders[name] ?? DeclaredChanges(kind, of: profile)
    defer { builders[name] = builder }
    var built = Drafts()
    do throws(EntityRefusal) {
      try builder.build(fields, on: tape, identity: identity, into: &built)
    } catch {
      switch error {
      case .missing(let name): return refuse("\(name) is missing")
      case .wrongType(let name): return refuse("\(name) has the wrong type")
      case .twoIdentities: return refuse("two identities")
      case .number(let literal):
        let text = String(decoding: literal, as: UTF8.self)
        return refuse("no Automerge number holds \(text) exactly")
      case .notOfType(let type): return refuse("no \(type.name)")
      case .tooManyScalars(let limit): return refuse("over \(limit) scalars")
      }
    }
    for property in builder.wrongProperties {
      findings.append(
        .init(line: number, finding: "wrong-type", property: property.description))
    }
    var known = entities[name] ?? []
    let position = known.firstIndex { $0.identity == identity } ?? known.count
    if position == known.count { known.append(Entity(identity: identity)) }
    for (change, draft) in zip(builder.changes, built.drafts)
    where !known[position].changes.contains(where: { $0.draft.hash == change.hash }) {
      let property = builder.property(of: change, on: tape) ?? []
      known[position].changes.append((Self.name(of: change.label), property, draft))
    }
    entities[name] = known
  }

  /// What the vectors call a label: the last part of its text.
  private static func name(of label: ImportLabel) -> String {
    String(label.text.description.split(separator: "/")[2])
  }

  private mutating func finish(_ document: String, _ entities: [Entity]) throws {
    var chunks: [UInt8] = []
    func change(_ label: String, _ property: [UInt8], _ draft: ChangeDraft) -> Change {
      Change(
        summary: .init(
          document: document, label: label,
          property: label == "property" || label == "links"
            ? String(decoding: property, as: UTF8.self) : nil,
          hash: draft.hash.hex, actor: draft.author.description.lowercased()),
        chunk: draft.chunk)
    }
    for entity in entities.sorted(by: { $0.identity.lexicographicallyPrecedes($1.identity) }) {
      for (label, property, draft) in entity.changes {
        changes.append(change(label, property, draft))
        chunks += draft.chunk
      }
    }
    let state = try DocumentState(loading: chunks)
    guard state.heads.count > 1 else { return }
    var join = ChangeDraft()
    JoinChange.build(of: state.heads, maxCounter: state.maxCounter, in: &join)
    changes.append(change("join", [], join))
  }
}
