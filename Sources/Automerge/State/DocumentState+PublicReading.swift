#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The public reads, now or at a point in history.
extension DocumentState {
  // MARK: Objects

  /// Returns an object of one of the kinds that are wanted.
  func resolve(
    _ object: ObjId, where isWanted: (ObjectKind) -> Bool = { _ in true }
  ) throws(DocError) -> OpID {
    guard let id = id(of: object), let kind = kind(of: id) else {
      throw DocError(reason: .unknownObject)
    }
    guard isWanted(kind) else { throw DocError(reason: .wrongObjectType) }
    return id
  }

  func kind(of object: ObjId) -> ObjectKind? { id(of: object).flatMap { kind(of: $0) } }

  private func id(of object: ObjId) -> OpID? {
    guard let actor = object.actor else { return .root }
    // Numbers of actors stay, so the one an id was made with is nearly always right.
    let hint = Int(object.actorHint)
    if hint < actors.count, actors[hint] == actor {
      return OpID(counter: object.counter, actor: object.actorHint)
    }
    return actors.index(of: actor).map { OpID(counter: object.counter, actor: UInt32($0)) }
  }

  func publicID(_ id: OpID) -> ObjId {
    id.isRoot
      ? .ROOT
      : ObjId(
        counter: id.counter, actor: actors[id.actor],
        actorHint: UInt32(truncatingIfNeeded: id.actor))
  }

  /// Returns what reads at `heads` need; nil for the present, which needs no walk through the
  /// history.
  func view(at heads: Set<ChangeHash>?) -> HistoricalView? {
    guard let heads, transaction != nil || heads != Set(self.heads) else { return nil }
    return view(at: Array(heads))
  }

  // MARK: Values

  func value(_ object: ObjId, key: String, at view: HistoricalView?) throws -> Value? {
    let id = try resolve(object) { $0 == .map }
    guard let value = value(of: id, key: [UInt8](key.utf8), at: view) else { return nil }
    return convert(value)
  }

  func values(_ object: ObjId, key: String, at view: HistoricalView?) throws -> [Value] {
    let id = try resolve(object) { $0 == .map }
    guard let group = group(of: id, key: [UInt8](key.utf8)) else { return [] }
    return values(in: group, at: view).map { convert($0) }
  }

  func value(_ object: ObjId, index: UInt64, at view: HistoricalView?) throws -> Value? {
    guard let group = try group(object, index: index, at: view),
      let winner = winner(in: group, at: view)
    else { return nil }
    return convert(winner)
  }

  func values(_ object: ObjId, index: UInt64, at view: HistoricalView?) throws -> [Value] {
    guard let group = try group(object, index: index, at: view) else { return [] }
    return values(in: group, at: view).map { convert($0) }
  }

  private func group(
    _ object: ObjId, index: UInt64, at view: HistoricalView?
  ) throws -> ValueGroup? {
    let id = try resolve(object) { $0.isSequence }
    guard let index = Int(exactly: index) else { return nil }
    return element(of: id, at: index, view).map { ValueGroup(rows: $0.group) }
  }

  /// Returns the element that an index falls on, and its own index. Linear in the pages for the
  /// present, in the rows for the past.
  func element(
    of object: OpID, at index: Int, _ view: HistoricalView?
  ) -> (group: OpSet.Group, index: Int)? {
    guard let view else {
      return operations.winner(at: index, of: object).map {
        (operations.group(around: $0.place), index - $0.offset)
      }
    }
    var position = 0
    var found: (OpSet.Group, Int)?
    forEachWinner(of: object, at: view) { group, _, width in
      if found == nil, index < position + width { found = (group, position) }
      position += width
    }
    return found
  }

  /// Calls `body` with each element of a list or text that readers see, the row they see and its
  /// width.
  func forEachWinner<E>(
    of object: OpID, at view: HistoricalView?,
    _ body: (OpSet.Group, OpSet.Place, Int) throws(E) -> Void
  ) throws(E) {
    try operations.forEachGroup(of: object) { group throws(E) in
      guard let winner = operations.winner(in: group, at: view?.clock) else { return }
      try body(group, winner, Int(operations[winner].width))
    }
  }

  // MARK: Whole objects

  func keys(_ object: ObjId, at view: HistoricalView?) -> [String] {
    guard let id = id(of: object), let kind = kind(of: id) else { return [] }
    var keys: [String] = []
    if kind.isSequence {
      forEachElement(of: id, at: view) { element, _ in
        keys.append("\(element.counter)@\(actors[element.actor].bytes.hexDigits)")
      }
    } else {
      forEachKey(of: id) { name, group in
        guard isVisible(group, at: view) else { return }
        keys.append(String(decoding: pool[name], as: UTF8.self))
      }
    }
    return keys
  }

  func values(_ object: ObjId, at view: HistoricalView?) throws -> [Value] {
    let id = try resolve(object)
    var values: [Value] = []
    // No closure: one would take along the whole state, reference by reference, for each object.
    var place = operations.start(of: id)
    while let group = operations.group(at: place, of: id) {
      place = group.end
      guard let winner = operations.winner(in: group, at: view?.clock) else { continue }
      values.append(convert(value(at: winner, in: group, view?.clock)))
    }
    return values
  }

  func entries(_ object: ObjId, at view: HistoricalView?) throws -> [(String, Value)] {
    try entries(object, at: view, upTo: .max) ?? []
  }

  /// Returns the keys of a map with their values; nil if there are more than so many.
  func entries(
    _ object: ObjId, at view: HistoricalView?, upTo limit: Int
  ) throws -> [(String, Value)]? {
    let id = try resolve(object) { $0 == .map }
    var entries: [(String, Value)] = []
    // No closure, as above.
    var place = operations.start(of: id)
    while let group = operations.group(at: place, of: id) {
      place = group.end
      guard let winner = operations.winner(in: group, at: view?.clock) else { continue }
      guard entries.count < limit else { return nil }
      let name = operations[group.start].name.range
      entries.append(
        (
          String(decoding: pool[name], as: UTF8.self),
          convert(value(at: winner, in: group, view?.clock))
        ))
    }
    return entries
  }

  func length(_ object: ObjId, at view: HistoricalView?) -> UInt64 {
    guard let id = id(of: object), kind(of: id) != nil else { return 0 }
    return UInt64(length(of: id, at: view))
  }

  func length(of object: OpID, at view: HistoricalView?) -> Int {
    guard view != nil else { return operations.length(of: object) }
    var length = 0
    forEachWinner(of: object, at: view) { _, _, width in length += width }
    return length
  }

  func text(_ object: ObjId, at view: HistoricalView?) throws -> String {
    let id = try resolve(object) { $0 == .text }
    return String(decoding: textBytes(of: id, at: view), as: UTF8.self)
  }

  // MARK: Paths

  func path(_ object: ObjId) throws -> [PathElement] { path(of: try resolve(object), at: nil) }

  /// Returns the way from the root to an object. An element that readers do not see is where it
  /// would be.
  func path(of object: OpID, at view: HistoricalView?) -> [PathElement] {
    var path: [PathElement] = []
    var id = object
    while !id.isRoot, let entry = operations.objects[id] {
      path.append(PathElement(obj: publicID(entry.parent), prop: prop(of: entry, at: view)))
      id = entry.parent
    }
    return path.reversed()
  }

  private func prop(of object: ObjectTable.Entry, at view: HistoricalView?) -> Prop {
    guard kind(of: object.parent)?.isSequence == true else {
      return .Key(String(decoding: pool[object.name.range], as: UTF8.self))
    }
    return .Index(UInt64(position(ofElement: object.element, in: object.parent, at: view) ?? 0))
  }

  /// Returns how many units of a list or text come before an element; nil for no element of it.
  func position(ofElement element: OpID, in object: OpID, at view: HistoricalView?) -> Int? {
    guard let place = operations.scannedPlace(of: element, in: object) else { return nil }
    guard view != nil else { return operations.width(of: object, before: place) }
    var position = 0
    forEachWinner(of: object, at: view) { group, _, width in
      if group.start < place { position += width }
    }
    return position
  }

  // MARK: Conversion

  func convert(_ value: DocumentValue) -> Value {
    switch value.content {
    case .object(let kind): .Object(publicID(value.id), ObjType(kind))
    case .scalar(let place): .Scalar(scalar(place))
    }
  }

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
    case .timestamp: .Timestamp(Date(timeIntervalSince1970: Double(signed(place)) / 1000))
    default: .Unknown(typeCode: place.type.code, data: Data(bytes(place)))
    }
  }
}
