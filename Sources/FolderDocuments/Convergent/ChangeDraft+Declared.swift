package import Automerge
package import Folders

extension ChangeDraft {
  /// Sets a key of a map to a scalar of an entity of a declared kind, in the place of the values
  /// `predecessors`; returns the id of the operation.
  @discardableResult
  package mutating func set(
    _ value: DeclaredValue.Scalar, in map: LocalID, key: Span<UInt8>, on tape: JSONTape,
    predecessors: [LocalID] = []
  ) -> LocalID {
    switch value {
    case .null: set(.null, in: map, key: key, predecessors: predecessors)
    case .boolean(let value): set(.boolean(value), in: map, key: key, predecessors: predecessors)
    case .int(let value): set(.int(value), in: map, key: key, predecessors: predecessors)
    case .uint(let value): set(.uint(value), in: map, key: key, predecessors: predecessors)
    case .double(let value): set(.float(value), in: map, key: key, predecessors: predecessors)
    case .timestamp(let value):
      set(.timestamp(value), in: map, key: key, predecessors: predecessors)
    case .bytes(let bytes): set(.bytes, bytes.span, in: map, key: key, predecessors: predecessors)
    case .canonical(let text):
      set(.string, text.span, in: map, key: key, predecessors: predecessors)
    case .string(let node):
      set(
        .string, tape.text.span.extracting(tape.range(of: node)), in: map, key: key,
        predecessors: predecessors)
    }
  }
}
