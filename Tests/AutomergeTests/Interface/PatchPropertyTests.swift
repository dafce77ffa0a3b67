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

  /// Towards the present only what was touched is looked at; towards the past every element is.
  @Test(arguments: [false, true], [11, 12, 13])
  func `patches of long texts and lists are the same whether or not more comes behind them`(
    hasMarks: Bool, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let document = Document()
    let text = try document.putObject(obj: .ROOT, key: "text", ty: .Text)
    let list = try document.putObject(obj: .ROOT, key: "list", ty: .List)
    try document.spliceText(
      obj: text, start: 0, delete: 0, value: String(repeating: "abcdé👍", count: 400))
    for index in 0..<800 {
      let map = try document.insertObject(obj: list, index: UInt64(index), ty: .Map)
      try document.put(obj: map, key: "number", value: .Int(Int64(index)))
    }
    let fork = document.fork()
    var heads = document.heads()
    for round in 0..<12 {
      for place in [document, fork] {
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          try edit(place, text, list, hasMarks: hasMarks, &random)
        }
      }
      if round % 3 == 0 { try document.merge(other: fork) }
      if round % 4 == 1 { try fork.merge(other: document) }
      let now = document.heads()
      let patches = document.difference(from: heads, to: now)
      try document.put(obj: .ROOT, key: "behind", value: .Int(Int64(round)))
      #expect(patches == document.difference(from: heads, to: now), "seed \(seed), round \(round)")
      if round.isMultiple(of: 2) { heads = now }
    }
  }

  private func edit(
    _ document: Document, _ text: ObjId, _ list: ObjId, hasMarks: Bool,
    _ random: inout SeededGenerator
  ) throws {
    let length = document.length(obj: text)
    let start = UInt64.random(in: 0..<length - 20, using: &random)
    let index = UInt64.random(in: 0..<document.length(obj: list), using: &random)
    switch Int.random(in: 0...6, using: &random) {
    case 0: try document.spliceText(obj: text, start: start, delete: 0, value: "x")
    case 1: try document.spliceText(obj: text, start: start, delete: 7, value: "yz")
    case 2 where hasMarks:
      try document.mark(
        obj: text, start: start, end: start + 15, expand: .both, name: "bold",
        value: .Boolean(Bool.random(using: &random)))
    case 2, 3: try document.insert(obj: list, index: index, value: .String("new"))
    case 4: try document.delete(obj: list, index: index)
    case 5:
      if case .Object(let map, .Map) = try document.get(obj: list, index: index) {
        try document.put(obj: map, key: "number", value: .Int(-1))
      }
    default: try document.put(obj: list, index: index, value: .Boolean(true))
    }
    document.commitWith(timestamp: Date(timeIntervalSince1970: 0))
  }
}
