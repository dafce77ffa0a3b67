import Automerge
import Foundation

/// Writes what a model reads in the typed JSON of the golden files.
struct ModelRendering {
  let view: ModelView

  func state() -> JSONTree { tree(.object(nil, .Map)) }

  private enum Shown {
    case object(ModelOperation.ID?, ObjType)
    case scalar(ModelScalar)
  }

  private func shown(_ operation: ModelOperation) -> Shown {
    switch view.shown(operation) {
    case .object(let id, let kind): .object(id, kind)
    case .scalar(let scalar): .scalar(scalar)
    }
  }

  private func tree(_ shown: Shown) -> JSONTree {
    switch shown {
    case .scalar(let scalar):
      return TypedRendering.tree(scalar.value)
    case .object(let object, .Map):
      return .object(
        view.entries(of: object).compactMap { name, values in
          values.last.map { JSONTree.Member(name: name, value: tree(self.shown($0))) }
        })
    case .object(let object, .List):
      return .array(
        view.present(in: object).compactMap { element in
          element.values.last.map { tree(self.shown($0)) }
        })
    case .object(let object, .Text):
      return .object(["$text": .string(view.text(of: object))])
    }
  }

  // MARK: Conflicts

  /// One key or index with several values, in the form of a `conflicts.json`, without the path.
  private func conflict(
    in object: ModelOperation.ID?, at prop: JSONTree, _ values: [ModelOperation]
  ) -> JSONTree? {
    guard values.count > 1, let winner = values.last else { return nil }
    return .object([
      "obj": .string(object.map(\.description) ?? "_root"), "prop": prop,
      "values": .array(
        values.map {
          .object(["op": .string($0.id.description), "value": tree(shown($0))])
        }),
      "winner": .string(winner.id.description),
    ])
  }

  /// Returns the conflicts of all objects that can be reached, also through values that lost.
  func conflicts() -> [JSONTree] {
    var found: [JSONTree] = []
    var rest: [ModelOperation.ID?] = [nil]
    while let object = rest.popLast() {
      var places: [(prop: JSONTree, values: [ModelOperation])] = []
      if view.kind(of: object) == .Map {
        places = view.entries(of: object).map { (.string($0.name), $0.values) }
      } else {
        places = view.present(in: object).enumerated().map {
          (.integer(String($0.offset)), $0.element.values)
        }
      }
      for (prop, values) in places {
        if let conflict = conflict(in: object, at: prop, values) { found.append(conflict) }
        rest += values.filter { $0.action.madeKind != nil }.map(\.id)
      }
    }
    return found
  }

  // MARK: Marks

  /// Returns the text and the marks of an object in the form of a `marks.json`, without the path.
  func marks(of object: ModelOperation.ID) -> JSONTree {
    let marks = view.sequence(of: object).marks(in: .unicodeScalar)
    return .object([
      "marks": .array(
        marks.map { mark in
          .object([
            "end": .integer(String(mark.end)), "name": .string(mark.name),
            "start": .integer(String(mark.start)), "value": TypedRendering.tree(mark.value.value),
          ])
        }),
      "obj": .string(object.description), "text": .string(view.text(of: object)),
    ])
  }
}

extension ModelScalar {
  /// The scalar as the public API shows it.
  var value: ScalarValue {
    switch typeCode {
    case 0: .Null
    case 1: .Boolean(false)
    case 2: .Boolean(true)
    case 3: .Uint(UInt64(bitPattern: number))
    case 4: .Int(number)
    case 5: .F64(double)
    case 6: .String(text)
    case 7: .Bytes(Data(bytes))
    case 8: .Counter(number)
    case 9: .Timestamp(Date(timeIntervalSince1970: Double(number) / 1000))
    default: .Unknown(typeCode: typeCode, data: Data(bytes))
    }
  }
}
