import Automerge
import Folders

@testable import MigrationCore

/// Every value that an original document ever showed, by the operation that wrote it.
struct SalvageOracle {
  private struct Name: Hashable {
    let counter: UInt32
    let author: ActorId
  }

  private enum Content: Hashable {
    case object(ObjectKind)
    /// Of a counter only the type: how many increments are known may differ.
    case scalar(UInt8, [UInt8])
  }

  private var values: [Name: Content] = [:]

  /// Collects what was visible after each change of the original.
  init(_ original: DocumentState) {
    collect(original, at: nil)
    for row in 0..<original.changeCount {
      collect(original, at: original.view(at: [original.change(at: row).hash]))
    }
  }

  private mutating func collect(_ document: DocumentState, at view: HistoricalView?) {
    Self.forEachValue(of: document, at: view) { value in
      values[Self.name(of: value, in: document)] = Self.content(of: value, in: document)
    }
  }

  /// Returns what a salvage says is verified and the original never showed; empty if it is right.
  func contradictions(in salvage: SalvagedDocument) -> [String] {
    var found: [String] = []
    Self.forEachValue(of: salvage.state, at: nil) { value in
      guard salvage.isVerified(value.id) else { return }
      let name = Self.name(of: value, in: salvage.state)
      if values[name] != Self.content(of: value, in: salvage.state) {
        found.append("\(name.counter)@\(name.author)")
      }
    }
    return found
  }

  /// The number of visible values of a salvage that are verified, and that are not.
  static func counts(of salvage: SalvagedDocument) -> (verified: Int, readable: Int) {
    var counts = (verified: 0, readable: 0)
    forEachValue(of: salvage.state, at: nil) { value in
      if salvage.isVerified(value.id) { counts.verified += 1 } else { counts.readable += 1 }
    }
    return counts
  }

  private static func name(of value: DocumentValue, in document: DocumentState) -> Name {
    Name(counter: value.id.counter, author: document.author(of: value.id))
  }

  private static func content(of value: DocumentValue, in document: DocumentState) -> Content {
    switch value.content {
    case .object(let kind): .object(kind)
    case .scalar(let place):
      .scalar(place.type.code, place.type == .counter ? [] : document.bytes(place))
    }
  }

  private static func forEachValue(
    of document: DocumentState, at view: HistoricalView?, _ body: (DocumentValue) -> Void
  ) {
    var pending: [(OpID, ObjectKind)] = [(.root, .map)]
    func add(_ group: ValueGroup) {
      for value in document.values(in: group, at: view) {
        body(value)
        if case .object(let kind) = value.content { pending.append((value.id, kind)) }
      }
    }
    while let (object, kind) = pending.popLast() {
      if kind == .map {
        document.forEachKey(of: object) { _, group in add(group) }
      } else {
        document.forEachElement(of: object, at: view) { _, group in add(group) }
      }
    }
  }
}
