import Automerge
import Foundation
import Testing

/// The model against the reference: the changes of every golden document, read without the engine,
/// must mean to the model what they meant to the reference.
@Suite struct ModelGoldenTests {
  /// Every case that comes with its changes.
  static let cases = GoldenCase.readable.filter { Fixtures.exists("\($0.name)/changes") }

  /// A model with the changes of a case, and their names by hash.
  struct Golden {
    var replica: ModelReplica
    var names: [[UInt8]: ModelChange.ID] = [:]

    init(_ golden: GoldenCase) throws {
      replica = ModelReplica(actor: ActorId())
      for path in try golden.changePaths() {
        let chunk = try ForgedChunk.single(Fixtures.bytes(path)).inflated
        let change = try ModelChange(decoding: chunk) { names[$0] }
        names[chunk.hash] = change.id
        replica.receive([change])
      }
    }

    func heads(_ path: String) throws -> Set<ModelChange.ID> {
      Set(try Fixtures.lines(path).map { try #require(names[hex($0)]) })
    }
  }

  @Test func `most cases come with their changes`() {
    #expect(Self.cases.count > 40)
    #expect(Self.cases.count { $0.kind == .fuzz } == 15)
  }

  @Test(arguments: cases)
  func `the model reads the state the reference read`(golden: GoldenCase) throws {
    let model = try Golden(golden)
    #expect(model.replica.waiting.isEmpty)
    let state = ModelRendering(view: model.replica.view).state()
    let difference = state.firstDifference(from: try Fixtures.tree(golden.expected))
    #expect(difference == nil)
    #expect(model.replica.heads == (try model.heads(golden.heads)))
  }

  @Test(arguments: cases.filter { $0.conflicts != nil })
  func `the model finds the conflicts the reference found`(golden: GoldenCase) throws {
    let found = ModelRendering(view: try Golden(golden).replica.view).conflicts()
    let expected = try Fixtures.tree(try #require(golden.conflicts)).elements.map {
      $0.removing("path")
    }
    #expect(Set(found) == Set(expected))
    #expect(found.count == expected.count)
  }

  @Test(arguments: cases.filter { Fixtures.exists("\($0.name)/marks.json") })
  func `the model finds the marks the reference found`(golden: GoldenCase) throws {
    let view = try Golden(golden).replica.view
    let texts = try Fixtures.tree("\(golden.name)/marks.json").elements
    #expect(!texts.isEmpty)
    for text in texts {
      let name = try #require(text["obj"]?.text)
      let object = try #require(view.objects.first { $0?.description == name } ?? nil)
      let difference = ModelRendering(view: view).marks(of: object)
        .firstDifference(from: text.removing("path"))
      #expect(difference == nil)
    }
  }

  @Test(arguments: GoldenCase.fuzz, 1...3)
  func `the model reads the past the reference read`(golden: GoldenCase, point: Int) throws {
    let model = try Golden(golden)
    let view = model.replica.view(at: try model.heads("\(golden.name)/at-\(point).heads"))
    let difference = ModelRendering(view: view).state()
      .firstDifference(from: try Fixtures.tree("\(golden.name)/at-\(point).json"))
    #expect(difference == nil)
  }
}

extension JSONTree {
  /// Returns an object without the member called `name`.
  fileprivate func removing(_ name: String) -> JSONTree {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.name != Array(name.utf8) })
  }
}
