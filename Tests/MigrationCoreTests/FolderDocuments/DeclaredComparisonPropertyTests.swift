import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Foundation
import Testing

/// The comparison of entities of declared kinds against what documents show of generated ones.
@Suite struct DeclaredComparisonPropertyTests {
  /// What a document shows of each property, without what says nothing.
  private func shown(
    _ state: EntityState, _ samples: DeclaredSamples
  ) throws -> [PropertyName: [UInt8]] {
    try state.values().filter { name, value in
      guard let property = samples.kind.properties[name], property.type != .json,
        !property.isAlwaysThere
      else { return true }
      if case .links = property.type, value == Array("{}".utf8) { return false }
      return value != Array("null".utf8)
    }
  }

  private func expectation(
    _ left: EntityState, _ right: EntityState, _ samples: DeclaredSamples
  ) throws -> Set<PropertyName> {
    let (one, other) = (try shown(left, samples), try shown(right, samples))
    return Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }
  }

  /// Compares an entity with a document; also one property at a time.
  private func differences(
    _ fields: DeclaredSamples.Fields, _ state: EntityState, _ samples: DeclaredSamples
  ) throws -> Set<PropertyName> {
    let tape = try samples.tape(of: fields)
    var comparison = DeclaredComparison(samples.kind, of: samples.profile)
    let isEqual = comparison.compare(
      0, on: tape, identity: DeclaredSamples.identity, with: state.map, of: state.document)
    let found = comparison.differences.map { Array($0.utf8) }
    #expect(isEqual == found.isEmpty)
    #expect(comparison.conflicts.isEmpty && comparison.besideCount == 0)
    let names = try Set(fields.keys).union(state.values().keys)
    #expect(comparison.fieldCount == names.count)
    let differing = names.filter { name in
      !comparison.isEqual(
        tape.member(name), named: name.bytes.span, on: tape, with: state.group(name),
        of: state.document)
    }
    #expect(differing.sorted().map { Array(DisplayText.escaping($0.bytes).utf8) } == found)
    return differing
  }

  @Test(arguments: [71, 72, 73] as [UInt64])
  func `an entity equals its import, and differs from another one in what was changed`(
    seed: UInt64
  ) throws {
    var samples = try DeclaredSamples(seed: seed)
    var counts = (equal: 0, changed: 0, other: 0)
    for step in 0..<25 {
      let fields = samples.fields()
      guard let chunks = try samples.chunks(of: fields) else { continue }
      let state = try EntityState(chunks)
      #expect(
        try differences(fields, state, samples) == [],
        "seed \(seed) step \(step): \(samples.text(of: fields))")
      counts.equal += 1
      for change in [samples.changing(fields), samples.changing(fields), samples.fields()] {
        guard let chunks = try samples.chunks(of: change) else { continue }
        let changed = try EntityState(chunks)
        let expected = try expectation(state, changed, samples)
        #expect(
          try differences(fields, changed, samples) == expected,
          "seed \(seed) step \(step): \(samples.text(of: fields)), \(samples.text(of: change))")
        #expect(try differences(change, state, samples) == expected)
        if expected.count == 1 { counts.changed += 1 } else { counts.other += 1 }
      }
    }
    #expect(counts.equal > 15 && counts.changed > 15 && counts.other > 15, "\(counts)")
  }

  @Test func `what an app writes instead of a value is a difference in just that property`() throws
  {
    var samples = try DeclaredSamples(seed: 74)
    let values: [ScalarValue] = [
      .Null, .Int(5), .Uint(5), .F64(5), .F64(.nan), .Counter(5), .String("5"), .String("x"),
      .Timestamp(Date(timeIntervalSince1970: 5)), .Bytes(Data([5])), .Boolean(true),
      .Unknown(typeCode: 12, data: Data([5])),
    ]
    var changedCount = 0
    for step in 0..<60 {
      let fields = samples.fields()
      guard let chunks = try samples.chunks(of: fields) else { continue }
      let document = try Document(Data(chunks))
      let identity = String(decoding: DeclaredSamples.identity, as: UTF8.self)
      guard case .Object(let map, _)? = try document.get(obj: .ROOT, key: identity) else {
        Issue.record("no map")
        return
      }
      let name = samples.pick(samples.kind.properties.map(\.name) + ["zz"])
      switch samples.random(0...8) {
      case 0: try document.delete(obj: map, key: name.description)
      case 1: _ = try document.putObject(obj: map, key: name.description, ty: .Map)
      case 2: _ = try document.putObject(obj: map, key: name.description, ty: .List)
      case 3: _ = try document.putObject(obj: map, key: name.description, ty: .Text)
      default: try document.put(obj: map, key: name.description, value: samples.pick(values))
      }
      let before = try EntityState(chunks)
      let after = try EntityState(Array(document.save()))
      let expected = try expectation(before, after, samples)
      #expect(
        try differences(fields, after, samples) == expected,
        "step \(step): \(name) of \(samples.text(of: fields))")
      #expect(expected.isSubset(of: [name]))
      changedCount += expected.count
    }
    #expect(changedCount > 25)
  }
}

extension JSONTape {
  /// Returns the name node of a member of the outermost object.
  fileprivate func member(_ name: PropertyName) -> Int? {
    var names: [UInt32] = []
    appendMembers(of: 0, to: &names)
    return names.map(Int.init).first { isEqual($0, to: name.bytes) }
  }
}
