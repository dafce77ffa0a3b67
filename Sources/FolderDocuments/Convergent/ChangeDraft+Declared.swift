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
    case .counter(let value): set(.counter(value), in: map, key: key, predecessors: predecessors)
    case .unknown(let code, let bytes):
      set(ValueType(code: code), bytes.span, in: map, key: key, predecessors: predecessors)
    case .canonical(let text):
      set(.string, text.span, in: map, key: key, predecessors: predecessors)
    case .string(let node):
      set(
        .string, tape.text.span.extracting(tape.range(of: node)), in: map, key: key,
        predecessors: predecessors)
    }
  }

  /// Inserts a scalar of such an entity after an element of a list; returns the new element.
  mutating func insert(
    _ value: DeclaredValue.Scalar, in list: LocalID, after previous: LocalID, on tape: JSONTape
  ) -> LocalID {
    switch value {
    case .null: insert(.null, in: list, after: previous)
    case .boolean(let value): insert(.boolean(value), in: list, after: previous)
    case .int(let value): insert(.int(value), in: list, after: previous)
    case .uint(let value): insert(.uint(value), in: list, after: previous)
    case .double(let value): insert(.float(value), in: list, after: previous)
    case .timestamp(let value): insert(.timestamp(value), in: list, after: previous)
    case .counter(let value): insert(.counter(value), in: list, after: previous)
    case .bytes(let bytes): insert(.bytes, bytes.span, in: list, after: previous)
    case .unknown(let code, let bytes):
      insert(ValueType(code: code), bytes.span, in: list, after: previous)
    case .canonical(let text): insert(.string, text.span, in: list, after: previous)
    case .string(let node):
      insert(.string, tape.text.span.extracting(tape.range(of: node)), in: list, after: previous)
    }
  }
}
