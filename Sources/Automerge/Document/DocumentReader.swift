#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Answers the public reads of a document, now or at a point in its history.
struct DocumentReader {
  private let state: DocumentState
  private let view: HistoricalView?

  init(_ state: DocumentState, _ heads: Set<ChangeHash>?) {
    self.state = state
    // Reads of the present need no walk through the history.
    view = heads.flatMap { $0 == Set(state.heads) ? nil : state.view(at: $0) }
  }

  // MARK: Objects

  func kind(_ object: ObjId) -> ObjectKind? {
    id(object).flatMap { state.kind(of: $0) }
  }

  /// Returns an object of one of the kinds that are wanted.
  private func resolve(_ object: ObjId, where isWanted: (ObjectKind) -> Bool) throws -> OpID {
    guard let id = id(object), let kind = state.kind(of: id) else {
      throw DocError(reason: .unknownObject)
    }
    guard isWanted(kind) else { throw DocError(reason: .wrongObjectType) }
    return id
  }

  private func id(_ object: ObjId) -> OpID? {
    guard let actor = object.actor else { return .root }
    return state.actors.index(of: actor).map {
      OpID(counter: object.counter, actor: UInt32($0))
    }
  }

  private func publicID(_ id: OpID) -> ObjId {
    id.isRoot ? .ROOT : ObjId(counter: id.counter, actor: state.actors[id.actor])
  }

  // MARK: Values

  func value(_ object: ObjId, key: String) throws -> Value? {
    let id = try resolve(object) { $0 == .map }
    return state.value(of: id, key: [UInt8](key.utf8), at: view).map(convert)
  }

  func values(_ object: ObjId, key: String) throws -> [Value] {
    let id = try resolve(object) { $0 == .map }
    guard let group = state.group(of: id, key: [UInt8](key.utf8)) else { return [] }
    return state.values(in: group, at: view).map(convert)
  }

  func value(_ object: ObjId, index: UInt64) throws -> Value? {
    try group(object, index: index)
      .flatMap { state.winner(in: $0, at: view) }.map(convert)
  }

  func values(_ object: ObjId, index: UInt64) throws -> [Value] {
    guard let group = try group(object, index: index) else { return [] }
    return state.values(in: group, at: view).map(convert)
  }

  private func group(_ object: ObjId, index: UInt64) throws -> ValueGroup? {
    let id = try resolve(object) { $0.isSequence }
    var position: UInt64 = 0
    var found: ValueGroup?
    state.forEachElement(of: id, at: view) { _, group in
      if position == index { found = group }
      position += 1
    }
    return found
  }

  func keys(_ object: ObjId) -> [String] {
    guard let id = id(object), let kind = state.kind(of: id) else { return [] }
    var keys: [String] = []
    if kind.isSequence {
      state.forEachElement(of: id, at: view) { element, _ in
        keys.append("\(element.counter)@\(state.actors[element.actor].bytes.hexDigits)")
      }
    } else {
      state.forEachKey(of: id) { name, group in
        guard state.isVisible(group, at: view) else { return }
        keys.append(String(decoding: state.pool[name], as: UTF8.self))
      }
    }
    return keys
  }

  func values(_ object: ObjId) throws -> [Value] {
    let id = try resolve(object) { _ in true }
    var values: [Value] = []
    if state.kind(of: id)?.isSequence == true {
      state.forEachElement(of: id, at: view) { _, group in
        if let winner = state.winner(in: group, at: view) { values.append(convert(winner)) }
      }
    } else {
      values = try entries(object).map(\.1)
    }
    return values
  }

  func entries(_ object: ObjId) throws -> [(String, Value)] {
    let id = try resolve(object) { $0 == .map }
    var entries: [(String, Value)] = []
    state.forEachKey(of: id) { name, group in
      guard let winner = state.winner(in: group, at: view) else { return }
      entries.append((String(decoding: state.pool[name], as: UTF8.self), convert(winner)))
    }
    return entries
  }

  func length(_ object: ObjId, _ encoding: TextEncoding) -> UInt64 {
    guard let id = id(object), let kind = state.kind(of: id) else { return 0 }
    guard kind == .text else { return UInt64(keys(object).count) }
    var length: UInt64 = 0
    state.forEachElement(of: id, at: view) { _, group in
      guard case .scalar(let place) = state.winner(in: group, at: view)?.content,
        place.type == .string
      else {
        length += encoding == .utf8 ? 3 : 1
        return
      }
      length += UInt64(encoding.width(of: String(decoding: state.pool[place.range], as: UTF8.self)))
    }
    return length
  }

  func text(_ object: ObjId) throws -> String {
    let id = try resolve(object) { $0 == .text }
    return String(decoding: state.textBytes(of: id, at: view), as: UTF8.self)
  }

  func path(_ object: ObjId) throws -> [PathElement] {
    var id = try resolve(object) { _ in true }
    var path: [PathElement] = []
    while !id.isRoot {
      guard let (parent, prop) = place(of: id) else { throw DocError(reason: .unknownObject) }
      path.append(PathElement(obj: publicID(parent), prop: prop))
      id = parent
    }
    return path.reversed()
  }

  /// Returns the container that an object was made in, and where it is there. Linear.
  private func place(of id: OpID) -> (OpID, Prop)? {
    let operations = state.operations
    guard let maker = operations.operations.first(where: { $0.id == id }) else { return nil }
    if maker.isMapOperation {
      let key = String(decoding: operations.pool[maker.key.range], as: UTF8.self)
      return (maker.object, .Key(key))
    }
    var index: UInt64 = 0
    var found: UInt64?
    state.forEachElement(of: maker.object, at: view) { element, _ in
      if element == maker.ownElement { found = index }
      index += 1
    }
    return (maker.object, .Index(found ?? 0))
  }

  // MARK: Conversion

  private func convert(_ value: DocumentValue) -> Value {
    switch value.content {
    case .object(let kind): .Object(publicID(value.id), ObjType(kind))
    case .scalar(let place): .Scalar(state.scalar(place))
    }
  }
}

extension DocumentState {
  /// Returns a scalar as the public API shows it.
  package func scalar(_ place: ScalarPlace) -> ScalarValue {
    switch place.type {
    case .null: .Null
    case .boolFalse: .Boolean(false)
    case .boolTrue: .Boolean(true)
    case .uint: .Uint(unsigned(place))
    case .int: .Int(signed(place))
    case .float64: .F64(double(place))
    case .string: .String(String(decoding: pool[place.range], as: UTF8.self))
    case .bytes: .Bytes(Data(bytes(place)))
    case .counter: .Counter(place.counter)
    case .timestamp:
      .Timestamp(Date(timeIntervalSince1970: Double(signed(place)) / 1000))
    default: .Unknown(typeCode: place.type.code, data: Data(bytes(place)))
    }
  }
}

extension TextEncoding {
  /// The number of units of one text element (format.md 5.7).
  func width(of string: String) -> Int {
    switch self {
    case .graphemeCluster: string.count
    case .unicodeScalar: string.unicodeScalars.count
    case .utf8: string.utf8.count
    case .utf16: string.utf16.count
    }
  }
}
