import Automerge
import Crypto
import Diagnostics
import FolderDocuments
import Folders
import Runs
import SafeFiles
import SwiftDataStores

/// Compares the cells of stores with documents, row by row as their lines are verified.
///
/// It knows what the profile says and nothing of how rows become lines, so that a mistake there shows:
/// where lines and documents are equal, cells and documents have to be.
final class StoreWitness {
  /// How many cells were compared.
  private(set) var cellCount = 0

  private let source: StoreSource
  private let kinds: EntityKinds
  private var comparison: EntityComparison
  /// The entities that may still come, in the order of their lines.
  private var rest: ArraySlice<(store: Int, entity: StoreEntity)>
  private var current: Current?
  private var lookups: [String: RowLookup] = [:]

  /// An entity whose cells are being read.
  private struct Current {
    let store: Store
    let entity: StoreEntity
    let cells: CellReader
    /// Which column each name is in, and what it is.
    let columns: [CellColumn]
    /// What has a cell for each part.
    let composites: [CompositeCells]
    /// What leads to any number of rows, which no cell of the row says.
    var links: [LinkCells]
    var row: Int64?
  }

  init(_ source: StoreSource) {
    self.source = source
    kinds = source.kinds
    comparison = EntityComparison(kinds)
    var entities: [(store: Int, entity: StoreEntity)] = []
    for (number, store) in source.stores.enumerated() {
      entities += store.entities.sorted { $0.kind < $1.kind }.map { (number, $0) }
    }
    rest = entities[...]
  }

  /// Compares the cells of the row that a line came from with what documents show of its entity.
  func check(
    _ entity: LegacyEntity, of batch: EntityBatch, in documents: GroupDocuments, path: String
  ) throws(MigrationError) -> [Finding] {
    guard let place = batch.tape.member("place", of: 0) else { return [] }
    let parts = String(decoding: batch.tape.bytes(of: place), as: UTF8.self).split(separator: "/")
    guard parts.count == 2, let row = Int64(parts[1].dropFirst()) else { return [] }
    if let entries = source.preferences?.entries,
      let entry = Int(exactly: row).flatMap({
        entries.indices.contains($0 - 1) ? entries[$0 - 1] : nil
      }),
      entry.kind == entity.kind
    {
      return check(entry, as: entity, of: batch, in: documents, path: path)
    }
    do throws(StoreError) {
      guard try find(row, of: String(parts[0])) else {
        return [
          Finding(
            .missingEntity, .error, path: path,
            message: "\(batch.title(of: entity)) is in no row that the cells have")
        ]
      }
      return try findings(
        about: entity, of: batch, in: documents, path: path,
        saying: "the store's cells say", report: "the store"
      ) { map, document throws(StoreError) in try differences(with: map, of: document) }
    } catch {
      throw MigrationError(error)
    }
  }

  /// Compares what the app keeps in its preferences with what documents show.
  private func check(
    _ entry: PreferenceEntities.Entry, as entity: LegacyEntity, of batch: EntityBatch,
    in documents: GroupDocuments, path: String
  ) -> [Finding] {
    let properties = kinds[entry.kind]?.properties
    let meaning = NestedMeaning(
      dates: (properties?.filter { $0.type == .date } ?? []).map {
        JSONPointer(tokens: [$0.name.bytes])
      }, sets: [])
    let raw: RawValue? =
      if let bytes = entry.value.data ?? entry.value.text.map({ Array($0.utf8) }) {
        RawValue.decoded(bytes, meaning)
      } else {
        RawValue.decoded(entry.value, meaning)
      }
    return findings(
      about: entity, of: batch, in: documents, path: path,
      saying: "the preferences say", report: "the preferences"
    ) { map, document in
      guard case .map(let members)? = raw else { return [] }
      cellCount += members.count
      return members.filter { name, raw in
        let value = document.value(of: map, key: name)
        if raw.isShown(by: value, of: document) { return false }
        // Upper case, as all UUIDs are written.
        guard case .text(let text) = raw, let uuid = Identity(text.span) else { return true }
        return !RawValue.text(uuid.canonicalBytes).isShown(by: value, of: document)
      }.keys.map { DisplayText.escaping($0) }.sorted()
    }
  }

  /// Tells of each document that shows an entity the fields that differ there from what its line came
  /// from. What differs from the line, too, is told already.
  ///
  /// - Parameters:
  ///   - source: what a message says before the fields.
  ///   - reported: what a person should report.
  ///   - differences: returns the fields that differ from what a map of a document shows.
  private func findings<E>(
    about entity: LegacyEntity, of batch: EntityBatch, in documents: GroupDocuments, path: String,
    saying source: String, report reported: String,
    _ differences: (OpID, DocumentState) throws(E) -> [String]
  ) throws(E) -> [Finding] {
    var findings: [Finding] = []
    for place in documents.places(of: entity.identity) {
      let loaded = documents.documents[place.document]
      let found = documents.entity(at: place)
      guard found.valueCount > 0, let map = found.map else { continue }
      _ = comparison.compare(
        entity, of: batch, with: map, of: loaded.document, ignoresID: found.key == nil)
      let told = Set(comparison.differences)
      let differing = try differences(map, loaded.document).filter { !told.contains($0) }
      guard !differing.isEmpty else { continue }
      findings.append(
        Finding(
          .fieldDiffers, .error, path: path,
          message: "\(batch.title(of: entity)): \(source) another "
            + "\(differing.joined(separator: ", ")) than its document",
          next: "report this with \(reported), if you can: the document was made wrong"))
    }
    return findings
  }

  // MARK: Rows

  /// Goes to a row; false if the entity has none of this number, or others came before.
  private func find(_ row: Int64, of name: String) throws(StoreError) -> Bool {
    if current?.entity.layout.name != name || current?.row ?? 0 > row {
      current = nil
      while current == nil, let (number, entity) = rest.popFirst() {
        if entity.layout.name == name { current = try begin(entity, source.stores[number].store) }
      }
    }
    while current?.row.map({ $0 < row }) ?? true {
      guard let next = try current?.cells.next() else { return false }
      current?.row = next
    }
    return current?.row == row
  }

  private func begin(_ entity: StoreEntity, _ store: Store) throws(StoreError) -> Current {
    let cells = try store.cells(of: entity.layout)
    let columns = CellColumn.all(
      of: entity, in: store, among: cells.columns, kinds.profile)
    var links: [LinkCells] = []
    for column in entity.links {
      if let cells = try LinkCells(column, of: entity.layout, in: store) { links.append(cells) }
    }
    return Current(
      store: store, entity: entity, cells: cells, columns: columns,
      composites: entity.columns.compactMap { CompositeCells($0, among: cells.columns) },
      links: links)
  }

  /// The names of what a row's cells and a document say differently.
  private func differences(
    with map: OpID, of document: DocumentState
  ) throws(StoreError) -> [String] {
    guard let current else { return [] }
    var names: [[UInt8]] = []
    for column in current.columns {
      let cell = try current.cells.cell(at: column.position)
      let value = document.value(of: map, key: column.name)
      cellCount += 1
      let raws = try rawValues(of: cell, column, current)
      let isShown = raws.contains { $0.isShown(by: value, of: document) }
      if !isShown { names.append(column.name) }
    }
    for composite in current.composites {
      let value = document.value(of: map, key: composite.name)
      let isShown = try self.isShown(composite.content, by: value, of: document, current)
      if !isShown { names.append(composite.name) }
    }
    for index in current.links.indices {
      guard let row = current.row,
        let targets = try self.current?.links[index].targets(of: row)
      else { continue }
      let (name, target) = (current.links[index].name, current.links[index].target)
      cellCount += targets.count
      var expected: [[UInt8]] = []
      for row in targets { expected.append(try identity(ofRow: row, of: target, current)) }
      expected.sort { ByteOrder.precedes($0, $1) }
      let shown = document.identities(linkedBy: document.value(of: map, key: name))
      if shown != expected { names.append(name) }
    }
    let known = Set(current.links.map(\.name)).union(current.columns.map(\.name))
      .union(current.composites.map(\.name))
    document.forEachKey(of: map) { key, group in
      guard let value = document.winner(in: group), !value.isNull else { return }
      let name = Array(document.pool[key])
      if !known.contains(name) { names.append(name) }
    }
    return names.map { DisplayText.escaping($0) }
  }

  // MARK: Cells

  /// Returns whether readers of a document see what cells say: a map of all parts, and nothing where no
  /// cell says something.
  private func isShown(
    _ content: CompositeCells.Content, by value: DocumentValue?, of document: DocumentState,
    _ current: Current
  ) throws(StoreError) -> Bool {
    switch content {
    case .cell(let column):
      cellCount += 1
      let raws = try rawValues(
        of: try current.cells.cell(at: column.position), column, current)
      return raws.contains { $0.isShown(by: value, of: document) }
    case .composite(let parts):
      guard let value, !value.isNull else {
        for part in parts where try !isShown(part.content, by: nil, of: document, current) {
          return false
        }
        return true
      }
      guard case .object(.map) = value.content else { return false }
      var count = 0
      document.forEachKey(of: value.id) { _, group in
        if document.isVisible(group) { count += 1 }
      }
      var isSaid = false
      for part in parts {
        let shown = document.value(of: value.id, key: part.name)
        guard try isShown(part.content, by: shown, of: document, current) else { return false }
        if let shown, !shown.isNull { isSaid = true }
      }
      return isSaid && count == parts.count
    }
  }

  /// What a cell may say: one thing, but for bytes that may begin with a mark of the store's own.
  private func rawValues(
    of cell: StoreCell, _ column: CellColumn, _ current: Current
  ) throws(StoreError) -> [RawValue] {
    let property = column.property
    let type = property?.type ?? .json
    switch (type, cell) {
    case (_, .null): return [.nothing]
    case (_, .integer(let row)) where column.target != nil:
      return [.text(try identity(ofRow: row, of: column.target, current))]
    case (.boolean, .integer(0)): return [.boolean(false)]
    case (.boolean, .integer(1)): return [.boolean(true)]
    case (.date, .integer(let seconds)):
      guard let exact = Double(exactly: seconds) else { return [.integer(seconds)] }
      return [RawValue.moment(secondsSince2001: exact) ?? .double(exact)]
    case (.date, .real(let seconds)):
      return [RawValue.moment(secondsSince2001: seconds) ?? .double(seconds)]
    case (.decimal, .integer(let value)): return [.decimal(String(value))]
    case (.decimal, .real(let value)) where value.isFinite: return [.decimal(value.description)]
    case (.double, .integer(let value)):
      return [Double(exactly: value).map { .double($0) } ?? .integer(value)]
    case (.uuid, .text(let text)), (.reference, .text(let text)):
      // Upper case, as all UUIDs are written.
      let uuid = Identity(text.span).map { RawValue.text($0.canonicalBytes) }
      return (uuid.map { [$0] } ?? []) + [.text(text)]
    case (.json, .text(let text)):
      if let decoded = RawValue.decoded(text, property?.nested ?? NestedMeaning()) {
        return [decoded]
      }
      // A text that is none, or too long for one, is bytes.
      return String(validating: text, as: UTF8.self) == nil
        ? [.bytes(text)] : [.text(text), .bytes(text)]
    case (_, .integer(let value)): return [.integer(value)]
    case (_, .real(let value)): return [.double(value)]
    case (_, .text(let text)):
      let isText = String(validating: text, as: UTF8.self) != nil
      return [isText ? .text(text) : .bytes(text), .bytes(text)]
    case (_, .blob(let bytes)): return try rawValues(of: bytes, property, current)
    }
  }

  private func rawValues(
    of bytes: [UInt8], _ property: Property?, _ current: Current
  ) throws(StoreError) -> [RawValue] {
    let type = property?.type ?? .json
    var raws: [RawValue] = []
    if bytes.count == 38, bytes[0] == 2, bytes[37] == 0 {
      raws += try external(String(decoding: bytes[1..<37], as: UTF8.self), property, current)
    }
    let contents = [bytes] + (bytes.first == 1 ? [Array(bytes.dropFirst())] : [])
    for content in contents {
      if type == .json, let decoded = RawValue.decoded(content, property?.nested ?? NestedMeaning())
      {
        raws.append(decoded)
      } else {
        raws.append(.bytes(content))
      }
    }
    let isIdentity = if case .reference = type { true } else { type == .uuid || type == .string }
    if bytes.count == 16, isIdentity || type == .json { raws.append(.uuid(bytes)) }
    return raws
  }

  /// A file beside the store, by what is in it.
  private func external(
    _ uuid: String, _ property: Property?, _ current: Current
  ) throws(StoreError) -> [RawValue] {
    let file: FileReader?
    do throws(StoreError) {
      file = try current.store.open(ExternalData(uuid: uuid, byteCount: 0))
    } catch {
      guard case .file(.missing) = error else { throw error }
      file = nil
    }
    guard let file else { return [.text(Array("missing:\(uuid)".utf8))] }
    var hash = SHA256()
    var content: [UInt8] = []
    var count: Int64 = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    do throws(FileError) {
      while true {
        let length = try file.readSome(into: &buffer, at: 0..<buffer.count)
        if length == 0 { break }
        hash.update(buffer, 0..<length)
        count += Int64(length)
        if property?.type == .json, count <= Int64(PropertyList.maximumByteCount) {
          content += buffer[..<length]
        }
      }
    } catch {
      throw .file(error)
    }
    let decoded = RawValue.decoded(content, property?.nested ?? NestedMeaning())
    return [.digest(ContentHash(hash.finalize()), byteCount: count)] + (decoded.map { [$0] } ?? [])
  }

  /// The identity of a row that another one leads to, read from its cell; where the row has none, what
  /// stands for it.
  private func identity(
    ofRow row: Int64, of entity: EntityLayout?, _ current: Current
  ) throws(StoreError) -> [UInt8] {
    guard let entity else { return Array(String(row).utf8) }
    let layout = current.store.layout
    let lost = Array("\(entity.name)/p\(row)".utf8)
    guard let found = try lookup(entity, nil, current).row(row), let number = found.entity,
      let own = layout.entity(numbered: number), own.table == entity.table,
      let kind = kinds.profile.kinds.first(where: { $0.home?.rows?.holds(own.name) ?? false })
    else { return lost }
    let uuid = current.store.uuid
    let numbered = uuid.isEmpty ? lost : Array("\(uuid)/\(own.name)/p\(row)".utf8)
    let key = kind.home?.rows?.key
    func cell(of name: PropertyName) throws(StoreError) -> StoreCell? {
      try lookup(own, "Z" + name.description.uppercased(), current).row(row)?.cell
    }
    switch kind.identity {
    case .singleton: return Array("singleton".utf8)
    case .row:
      guard let key, case .integer(let value)? = try cell(of: key) else { return numbered }
      return Array(String(value).utf8)
    case .uuid(let name), .string(let name):
      switch try cell(of: name) {
      case .null? where key != nil: return numbered
      case .blob(let bytes)? where bytes.count == 16: return RawValue.uuidText(bytes)
      case .text(let text)? where !text.isEmpty && String(validating: text, as: UTF8.self) != nil:
        guard case .uuid = kind.identity else { return text }
        return Identity(text.span)?.canonicalBytes ?? lost
      default: return lost
      }
    case .member, .file: return lost
    }
  }

  private func lookup(
    _ entity: EntityLayout, _ column: String?, _ current: Current
  ) throws(StoreError) -> RowLookup {
    let key = "\(current.store.files.path) \(entity.name) \(column ?? "")"
    if let known = lookups[key] { return known }
    let lookup = try current.store.lookup(in: entity, column: column)
    lookups[key] = lookup
    return lookup
  }
}
