/// The description of the operation columns of a damaged document, and where they are.
struct DamagedTables {
  /// Where the description of the tables begins.
  let position: Int
  let operations: ColumnLayout
  /// The data of the operation columns and what follows; empty if only their length is known.
  let data: ByteReader

  /// How far to look for tables of a document whose lists of actors or heads are damaged: beyond
  /// the actors of the greatest months.
  private static let searchByteCount = 1 << 20
  /// More columns than any version has are not looked at: the search would cost its square.
  private static let mostColumns: UInt64 = 64
  /// The most heads whose places behind the columns are looked past.
  private static let mostHeads = 16

  /// Reads the descriptions of both tables; nil where there are none.
  ///
  /// - Parameter isWhole: whether all columns must be there that a document cannot do without.
  init?(_ reader: ByteReader, isWhole: Bool = true) {
    var reader = reader
    position = reader.position
    do throws(FormatError) {
      let changes = try Self.layout(&reader)
      operations = try Self.layout(&reader)
      let hasAll =
        changes.hasAll(Self.changeColumns) && operations.hasAll(Self.operationColumns)
      guard hasAll || !isWhole else { return nil }
      for (_, byteCount) in changes.columns {
        _ = try reader.readPart(min(byteCount, reader.remaining))
      }
    } catch {
      return nil
    }
    data = reader
  }

  private init(_ operations: ColumnLayout, _ data: ByteReader, position: Int) {
    self.operations = operations
    self.data = data
    self.position = position
  }

  /// Returns the first tables behind damaged lists, nil if there are none.
  static func search(from start: ByteReader) -> DamagedTables? {
    find(from: start, beginsWith: [ColumnSpec.changeActor.raw]) { DamagedTables($0) }
  }

  /// Returns where the operation columns can be if only their description is whole: in front of the
  /// places of the heads, of which there may be any number, and the end of the chunk.
  static func searchOperations(from start: ByteReader) -> [DamagedTables] {
    // Whatever an operation is on, one of these comes first.
    let specs: [ColumnSpec] = [.objectActor, .keyActor, .keyString, .idActor]
    let found = find(from: start, beginsWith: specs.map(\.raw)) { place -> DamagedTables? in
      var reader = place
      // What is no description is passed over.
      guard let layout = try? layout(&reader), layout.hasAll(operationColumns) else { return nil }
      return DamagedTables(layout, reader, position: place.position)
    }
    guard let found else { return [] }
    let byteCount = found.operations.columns.reduce(0) { $0 + $1.byteCount }
    return (0...mostHeads).compactMap { heads in
      let begin = found.data.end - heads - byteCount
      guard begin >= found.data.position else { return nil }
      return DamagedTables(
        found.operations, ByteReader(found.data.bytes, begin..<found.data.end),
        position: found.position)
    }
  }

  private static func find(
    from start: ByteReader, beginsWith specs: [UInt32], _ read: (ByteReader) -> DamagedTables?
  ) -> DamagedTables? {
    var reader = start
    for _ in 0..<max(0, min(searchByteCount, start.remaining - 1)) {
      // Most places are passed over by a look at two bytes.
      let (count, spec) = (reader.bytes[reader.position], reader.bytes[reader.position + 1])
      if (4...UInt8(mostColumns)).contains(count),
        specs.contains(ColumnSpec(UInt32(spec)).normalized), let tables = read(reader)
      {
        return tables
      }
      // There is a byte: fewer steps are taken than remain.
      _ = try? reader.readByte()
    }
    return nil
  }

  private static func layout(_ reader: inout ByteReader) throws(FormatError) -> ColumnLayout {
    var ahead = reader
    guard try ahead.readULEB() <= mostColumns else { throw reader.error(.integerTooLarge) }
    return try ColumnLayout(&reader, allowsDeflate: true, isCut: true)
  }

  // The columns that no table with rows lacks.

  private static let changeColumns: [ColumnSpec] = [
    .changeActor, .changeSequence, .changeMaxCounter, .dependencyGroup,
  ]
  private static let operationColumns: [ColumnSpec] = [
    .idActor, .idCounter, .insert, .action, .valueMetadata, .successorGroup,
  ]
}

extension ColumnLayout {
  /// Whether all of some columns are there, deflated or not.
  func hasAll(_ specs: [ColumnSpec]) -> Bool {
    specs.allSatisfy { spec in columns.contains { $0.spec.normalized == spec.raw } }
  }
}
