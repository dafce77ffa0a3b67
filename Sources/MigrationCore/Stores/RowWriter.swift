import Crypto
import Diagnostics
import Folders
import SafeFiles
import SwiftDataStores

/// Writes rows of a store's entity as the fields of lines of an interchange stream.
///
/// The storage class of each cell decides what its value is, and the declared type how that is written.
/// What is another thing than declared is written as what it is.
struct RowWriter {
  /// What was found in the rows.
  var tally: StoreTally {
    var tally = noted
    noteRounded(in: &tally)
    return tally
  }
  /// The values that are in files of their own, in the order of the rows.
  private(set) var blobs: [StoreBlob] = []

  private var noted: StoreTally
  /// How many dates of `entity` were rounded: nearly all are, so they are counted here first.
  private var roundedCount = 0
  /// How many rows there were of each kind that has one by convention.
  private var singles: [EntityKind: Int] = [:]
  let store: Store
  /// What the store calls itself; empty if it does not say.
  private let identifier: String
  /// The store, by its position.
  private let number: Int
  let identities: RowIdentities
  let kinds: EntityKinds
  private var nested = NestedJSON()
  private var types: [(pointer: [UInt8], type: StreamType)] = []
  private var entity: StoreEntity?
  private var row: Int64 = 0

  /// The most bytes that a text has which is carried as one.
  private static let longestText = 4 << 20
  /// Dates of apps lie between these, in seconds since 2001.
  private static let nearDates = -3_187_296_000.0...6_279_724_800.0

  init(_ store: Store, number: Int, _ identities: RowIdentities, of kinds: EntityKinds) {
    self.store = store
    identifier = store.uuid
    self.number = number
    self.identities = identities
    self.kinds = kinds
    noted = StoreTally(path: store.files.path)
  }

  /// Writes the line of a row; what it leads to comes in the order of the entity's links.
  ///
  /// - Parameter locates: whether to find out who the row is.
  /// - Returns: who it is and where it belongs, as a reader of its line finds out; nil if only that can
  ///   tell, or nobody asks.
  mutating func write(
    _ row: StoreRow, of entity: StoreEntity, links: [[StoreCell]],
    to writer: inout InterchangeWriter, locating locates: Bool = false
  ) throws(StoreError) -> LocatedLine? {
    if self.entity !== entity {
      noteRounded(in: &noted)
      (self.entity, roundedCount) = (entity, 0)
    }
    self.row = row.number
    types.removeAll(keepingCapacity: true)
    guard let head = entity.head else { return nil }
    if entity.isSingle { noteSeveral(of: entity) }
    // An identity that is none is refused where the line is read.
    let found = identity(of: row, entity)
    let identity = found ?? []
    writer.beginRow(head, id: identity.span, row: row.number)
    writer.json.beginObject()
    if found == nil { try writeIdentity(of: row, entity, to: &writer.json) }
    for index in entity.columns.indices where index != entity.identity {
      let column = entity.columns[index]
      writer.json.name(written: column.memberName)
      try write(row.values[index], column, to: &writer.json)
    }
    for (column, targets) in zip(entity.links, links) {
      writer.json.name(written: column.memberName)
      try write(targets, column, to: &writer.json)
    }
    writer.json.endObject()
    writer.endEntity(types: types)
    return locates && found != nil ? location(of: row, entity, identity) : nil
  }

  private func location(
    of row: StoreRow, _ entity: StoreEntity, _ text: [UInt8]
  ) -> LocatedLine? {
    guard let identity = kinds.identity(text.span, of: entity.kind),
      let place = entity.head?.place(ofRow: row.number)
    else { return nil }
    guard let date = entity.date else { return LocatedLine(entity.kind, identity, at: place) }
    guard entity.columns[date].type == .date, let cell = row.values[date].cell else { return nil }
    if case .null = cell { return LocatedLine(entity.kind, identity, at: place) }
    guard let milliseconds = StoreValue(cell, as: .date).millisecondsSince1970,
      RFC3339(milliseconds: milliseconds).isWritable
    else { return nil }
    return LocatedLine(
      entity.kind, identity, at: place, month: Month(milliseconds: milliseconds))
  }

  /// Notes rows of what there is one of by convention; one alone is as it should be.
  private mutating func noteSeveral(of entity: StoreEntity) {
    let count = (singles[entity.kind] ?? 0) + 1
    singles[entity.kind] = count
    if count > 1 { noted.note(.severalOfOne, of: entity.layout.name, count: count == 2 ? 2 : 1) }
  }

  /// Writes the value that should be an identity and is none among the fields: it is not lost there.
  private mutating func writeIdentity(
    of row: StoreRow, _ entity: StoreEntity, to json: inout JSONWriter
  ) throws(StoreError) {
    guard let index = entity.identity, let cell = row.values[index].cell, cell != .null else {
      return
    }
    let column = entity.columns[index]
    note(.noText, column, "\(cell.shown) of \(entity.layout.name)/p\(row.number)")
    json.name(written: column.memberName)
    writeAsItIs(cell, column, to: &json)
  }

  /// Returns what a row's line is known by: its identity, or a text that is none; nil if it has neither.
  private mutating func identity(of row: StoreRow, _ entity: StoreEntity) -> [UInt8]? {
    let cell = entity.telling.flatMap { row.values[$0].cell } ?? .null
    if RowIdentities.isNumbered(cell, of: entity) {
      noted.note(
        identifier.isEmpty ? .noIdentity : .rowIdentity, of: entity.layout.name,
        entity.profile.home?.rows?.key?.description ?? "")
    }
    if entity.isKnownByUUID, let index = entity.identity, case .text = cell {
      note(.otherStorage, entity.columns[index], "text")
    }
    let identity = RowIdentities.identity(
      in: cell, row: row.number, of: entity, store: identifier)
    return identity ?? (entity.identity == nil ? nil : RowIdentities.text(of: cell))
  }

  private func noteRounded(in tally: inout StoreTally) {
    guard let entity, roundedCount > 0 else { return }
    tally.note(.precisionReduced, of: entity.layout.name, count: roundedCount)
  }

  // MARK: Values

  mutating func note(
    _ fact: StoreTally.Fact, _ column: StoreEntity.Column, _ example: @autoclosure () -> String = ""
  ) {
    noted.note(fact, of: entity?.layout.name ?? "", column.layout.name, example())
  }

  private mutating func add(_ type: StreamType, _ column: StoreEntity.Column) {
    types.append((column.pointer, type))
  }

  private mutating func write(
    _ value: StoreValue, _ column: StoreEntity.Column, to json: inout JSONWriter
  ) throws(StoreError) {
    switch value {
    case .null:
      if column.isRequired { note(.requiredMissing, column) }
      return json.null()
    case .external(let data): return try write(data, column, to: &json)
    case .reference(let row, let number):
      return try write(row, number, column, to: &json)
    case .parts(let values): return try write(values, column, to: &json)
    default: break
    }
    // Where no model says that a number leads somewhere, the profile may.
    if case (.reference, .integer(let row)) = (column.type, value), target(of: column.type) != nil {
      return try write(row, nil, column, to: &json)
    }
    guard let cell = value.cell else { return json.null() }
    switch (column.type, cell) {
    case (.boolean, .integer(let value)) where value == 0 || value == 1: json.bool(value == 1)
    case (.date, .integer), (.date, .real): writeDate(cell, column, to: &json)
    case (.decimal, .integer(let value)): json.string(String(value))
    case (.decimal, .real(let value)) where value.isFinite: json.string(value.description)
    case (.double, .integer(let value)):
      if column.isPart { add(.f64, column) }
      json.number(value)
    case (.uuid, .blob(let bytes)) where bytes.count == 16,
      (.reference, .blob(let bytes)) where bytes.count == 16,
      (.string, .blob(let bytes)) where bytes.count == 16 && value.isUUID:
      json.string(RowIdentities.uuid(bytes).span)
    case (.json, .blob(let bytes)): write(bytes, column, value, to: &json)
    case (.bytes, .blob(let bytes)):
      if writeBlob(bytes, column, to: &json) { return }
      // What a stream reads as bytes needs no word about its type.
      if column.isPart { add(.bytes, column) }
      json.string(Base64.encode(bytes.span).span)
    case (.json, .text(let bytes)):
      if case .attribute(_, .binary) = column.layout.place { note(.otherStorage, column, "text") }
      if let decoded = nested.decode(bytes, column.meaning, at: column.pointer) {
        json.value(written: decoded.span)
        takeNested()
      } else {
        writeAsItIs(cell, column, to: &json)
      }
    default: writeAsItIs(cell, column, to: &json)
    }
  }

  /// Takes over what is told of the value decoded last.
  private mutating func takeNested() {
    types += nested.types
    roundedCount += nested.roundedCount
  }

  /// Writes the parts of a composite.
  private mutating func write(
    _ values: [StoreValue], _ column: StoreEntity.Column, to json: inout JSONWriter
  ) throws(StoreError) {
    json.beginObject()
    for (value, part) in zip(values, column.parts) {
      json.name(written: part.memberName)
      try write(value, part, to: &json)
    }
    json.endObject()
  }

  /// Writes a value by its own storage class.
  private mutating func writeAsItIs(
    _ cell: StoreCell, _ column: StoreEntity.Column, to json: inout JSONWriter
  ) {
    let type = column.type
    switch cell {
    case .null: json.null()
    case .integer(let value):
      noteStorage(.integer, column, "a whole number")
      json.number(value)
    case .real(let value):
      noteStorage(.real, column, "a number")
      if value.isFinite {
        if type == .decimal { add(.f64, column) }
        json.number(value)
      } else {
        add(.f64, column)
        json.string(value > 0 ? "Infinity" : "-Infinity")
      }
    case .text(let bytes):
      guard bytes.count <= Self.longestText else {
        note(.tooLong, column)
        _ = writeBlob(bytes, column, to: &json)
        return
      }
      guard bytes.span.isWellFormedUTF8 else {
        note(.invalidText, column)
        add(.bytes, column)
        json.string(Base64.encode(bytes.span).span)
        return
      }
      noteStorage(.text, column, "text")
      // What would be read as the declared type is said to be a string.
      switch type {
      case .date, .bytes, .decimal: add(.string, column)
      default: break
      }
      json.string(bytes.span)
    case .blob(let bytes):
      noteStorage(.blob, column, bytes.count.counted("byte"))
      if writeBlob(bytes, column, to: &json) { return }
      add(.bytes, column)
      json.string(Base64.encode(bytes.span).span)
    }
  }

  private mutating func noteStorage(
    _ storage: StoreEntity.Storage, _ column: StoreEntity.Column,
    _ example: @autoclosure () -> String
  ) {
    if !column.storage.contains(storage) { note(.otherStorage, column, example()) }
  }

  private mutating func writeDate(
    _ cell: StoreCell, _ column: StoreEntity.Column, to json: inout JSONWriter
  ) {
    let value = StoreValue(cell, as: .date)
    guard case .date(let seconds) = value, let milliseconds = value.millisecondsSince1970 else {
      note(.distantDate, column, cell.shown)
      return writeAsItIs(cell, column, to: &json)
    }
    if !Self.nearDates.contains(seconds) { note(.distantDate, column, "\(seconds)") }
    if StoreValue.isRounded(milliseconds, from: seconds) { roundedCount += 1 }
    let moment = RFC3339(milliseconds: milliseconds)
    if column.isPart || !moment.isWritable { add(.timestamp, column) }
    if moment.isWritable { return json.string(moment) }
    json.number(milliseconds)
  }

  private mutating func write(
    _ bytes: [UInt8], _ column: StoreEntity.Column, _ value: StoreValue, to json: inout JSONWriter
  ) {
    if value.isUUID { return json.string(RowIdentities.uuid(bytes).span) }
    if let decoded = nested.decode(bytes, column.meaning, at: column.pointer) {
      json.value(written: decoded.span)
      takeNested()
      return
    }
    noteUndecoded(bytes, column)
    if writeBlob(bytes, column, to: &json) { return }
    add(.bytes, column)
    json.string(Base64.encode(bytes.span).span)
  }

  /// What the app's own code makes of its values is no damage.
  private mutating func noteUndecoded(_ bytes: [UInt8], _ column: StoreEntity.Column) {
    if case .attribute(_, .transformable) = column.layout.place { return }
    guard column.role != .undeclared else { return }
    note(bytes.isEmpty ? .emptyBlob : .notDecoded, column)
  }

  // MARK: Files

  /// Writes a reference to bytes that are too many; false if they are not.
  private mutating func writeBlob(
    _ bytes: [UInt8], _ column: StoreEntity.Column, to json: inout JSONWriter
  ) -> Bool {
    guard bytes.count > BlobReference.largestInlineCount, let entity else { return false }
    let reference = BlobReference(ContentHash(of: bytes), byteCount: Int64(bytes.count))
    if case .attribute(let name, _) = column.layout.place {
      blobs.append(
        StoreBlob(
          reference: reference, place: .cell(entity.layout, column: name, row: row), store: number))
    }
    json.string(reference.text.span)
    return true
  }

  private mutating func write(
    _ data: ExternalData, _ column: StoreEntity.Column, to json: inout JSONWriter
  ) throws(StoreError) {
    guard let file = try store.open(data), let size = data.byteCount else {
      note(.missingFile, column, data.uuid)
      return json.string("missing:\(data.uuid)")
    }
    // What may hold a list is looked into as far as any list goes.
    let largest =
      column.type == .json ? PropertyList.maximumByteCount : BlobReference.largestInlineCount
    let (content, hash) = try Self.read(file, keeping: size <= Int64(largest))
    if size <= Int64(largest) {
      if column.type == .json,
        let decoded = nested.decode(content, column.meaning, at: column.pointer)
      {
        json.value(written: decoded.span)
        takeNested()
        return
      }
      if content.count <= BlobReference.largestInlineCount {
        add(.bytes, column)
        return json.string(Base64.encode(content.span).span)
      }
    }
    let reference = BlobReference(hash, byteCount: size)
    blobs.append(StoreBlob(reference: reference, place: .file(data), store: number))
    json.string(reference.text.span)
  }

  /// Reads a file to its end: its bytes, if they are wanted, and their hash.
  private static func read(
    _ file: FileReader, keeping keepsBytes: Bool
  ) throws(StoreError) -> ([UInt8], ContentHash) {
    var hash = SHA256()
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    do throws(FileError) {
      while true {
        let count = try file.readSome(into: &buffer, at: 0..<buffer.count)
        if count == 0 { break }
        if keepsBytes { content += buffer[..<count] }
        hash.update(buffer, 0..<count)
      }
    } catch {
      throw .file(error)
    }
    return (content, ContentHash(hash.finalize()))
  }
}
