import Automerge
import Foundation
import Testing

/// Patches, applied one after another to what a document was, give what it became.
@Suite struct PatchPropertyTests {
  private func document(_ golden: GoldenCase) throws -> Document {
    try Document(Data(try golden.bytes()))
  }

  private func state(of document: Document, at heads: Set<ChangeHash>) throws -> JSONTree {
    try TypedRendering(document: document, heads: heads).state()
  }

  @Test(arguments: GoldenCase.readable)
  func `the whole history as patches makes the document`(golden: GoldenCase) throws {
    let document = try document(golden)
    var tree = PatchedTree()
    try tree.apply(document.difference(from: [], to: document.heads()))
    #expect(tree.state().firstDifference(from: try Fixtures.tree(golden.expected)) == nil)
    try tree.apply(document.difference(to: []))
    #expect(tree.state() == .object([]))
    let empty = Document()
    var applied = PatchedTree()
    try applied.apply(
      empty.applyEncodedChangesWithPatches(encoded: Data(try golden.bytes())))
    #expect(applied.state().firstDifference(from: try Fixtures.tree(golden.expected)) == nil)
  }

  @Test(arguments: GoldenCase.fuzz, [TextEncoding.unicodeScalar, .utf8, .utf16])
  func `patches lead from any point of history to any other`(
    golden: GoldenCase, encoding: TextEncoding
  ) throws {
    let document = Document(textEncoding: encoding)
    try document.merge(other: try self.document(golden))
    var points: [Set<ChangeHash>] = [[], document.heads()]
    for number in 1...3 {
      points.append(
        Set(
          try Fixtures.lines("\(golden.name)/at-\(number).heads").compactMap(ChangeHash.init(hex:)))
      )
    }
    let states = try points.map { try state(of: document, at: $0) }
    for (before, stateBefore) in zip(points, states) {
      var start = PatchedTree(textEncoding: encoding)
      try start.apply(document.difference(from: [], to: before))
      #expect(start.state().firstDifference(from: stateBefore) == nil)
      for (after, stateAfter) in zip(points, states) {
        var tree = start
        try tree.apply(document.difference(from: before, to: after))
        let difference = tree.state().firstDifference(from: stateAfter)
        #expect(difference == nil, "\(before) to \(after)")
      }
    }
  }

  @Test(arguments: GoldenCase.fuzz)
  func `the patches of merges lead to the merge`(golden: GoldenCase) throws {
    let document = Document()
    var tree = PatchedTree()
    for file in try Fixtures.names(in: golden.name).filter({ $0.hasPrefix("actor-") }) {
      let fork = try Document(Data(try Fixtures.bytes("\(golden.name)/\(file)")))
      try tree.apply(document.mergeWithPatches(other: fork))
      let state = try TypedRendering(document: document).state()
      #expect(tree.state().firstDifference(from: state) == nil)
    }
    #expect(tree.state().firstDifference(from: try Fixtures.tree(golden.expected)) == nil)
  }

  @Test(arguments: GoldenCase.fuzz)
  func `change by change the patches lead to the document`(golden: GoldenCase) throws {
    let document = Document()
    var tree = PatchedTree()
    for path in try golden.changePaths() {
      try tree.apply(
        document.applyEncodedChangesWithPatches(encoded: Data(try Fixtures.bytes(path))))
    }
    #expect(tree.state().firstDifference(from: try Fixtures.tree(golden.expected)) == nil)
  }
}
