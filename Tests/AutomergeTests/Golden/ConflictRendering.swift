@testable import Automerge

/// Lists the conflicts of a document in the form of a `conflicts.json`, also those in objects that
/// can be reached through values that lost only.
struct ConflictRendering {
  private struct Container {
    let object: OpID
    let path: [JSONTree]
  }

  private let typed: TypedRendering
  private let state: DocumentState

  init(document: Document) {
    typed = TypedRendering(document: document)
    state = document.state
  }

  func conflicts() throws -> [JSONTree] {
    var found: [JSONTree] = []
    var pending = [Container(object: .root, path: [])]
    while let container = pending.popLast() {
      for (prop, group) in groups(of: container.object) {
        let values = state.values(in: group)
        if values.count > 1 {
          found.append(try conflict(of: values, at: prop, in: container))
        }
        for value in values {
          guard case .object = value.content else { continue }
          pending.append(Container(object: value.id, path: container.path + [prop]))
        }
      }
    }
    return found
  }

  private func groups(of object: OpID) -> [(JSONTree, ValueGroup)] {
    var groups: [(JSONTree, ValueGroup)] = []
    state.forEachKey(of: object) { name, group in
      groups.append((.string(Array(state.pool[name])), group))
    }
    state.forEachElement(of: object) { _, group in
      groups.append((.integer(String(groups.count)), group))
    }
    return groups
  }

  private func conflict(
    of values: [DocumentValue], at prop: JSONTree, in container: Container
  ) throws -> JSONTree {
    .object([
      "obj": .string(container.object == .root ? "_root" : name(container.object)),
      "path": .array(container.path + [prop]), "prop": prop,
      "values": .array(
        try values.map {
          .object(["op": .string(name($0.id)), "value": try tree($0)])
        }),
      "winner": .string(values.last.map { name($0.id) } ?? ""),
    ])
  }

  private func tree(_ value: DocumentValue) throws -> JSONTree {
    switch value.content {
    case .scalar(let place): TypedRendering.tree(state.scalar(place))
    case .object(let kind): try typed.tree(.Object(state.publicID(value.id), ObjType(kind)))
    }
  }

  private func name(_ id: OpID) -> String {
    "\(id.counter)@\(hexadecimal(state.author(of: id).bytes))"
  }
}
