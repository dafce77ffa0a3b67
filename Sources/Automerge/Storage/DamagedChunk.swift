/// A chunk that does not verify, read as far as it makes sense.
struct DamagedChunk {
  private let header: ChunkHeader
  private let limits: LoadLimits
  private let operationLimit: Int

  /// How far to look for the column tables of a document whose lists of actors or heads are damaged.
  private static let searchByteCount = 1 << 16

  init(_ header: ChunkHeader, inputByteCount: Int, limits: LoadLimits) {
    self.header = header
    self.limits = limits
    operationLimit = limits.operationCount(forInputOf: inputByteCount)
  }

  /// Appends what can be read.
  func read(into loose: inout LooseOperations) {
    switch header.kind {
    case .document: readDocument(into: &loose)
    case .change: readChange(header.body, into: &loose)
    case .compressedChange:
      var budget = limits.inflatedByteCount
      // An inflater that cannot be set up finds nothing.
      let body =
        (try? Compression.inflate(header.body, budget: &budget, keepsBeginning: true)) ?? []
      readChange(ByteReader(body, standingAt: header.body.offset), into: &loose)
    case .bundle: break
    }
  }

  // MARK: Changes

  private func readChange(_ body: ByteReader, into loose: inout LooseOperations) {
    var body = body
    // A change whose first fields make no sense has no operations that could be named.
    guard let (change, others, layout) = try? readFields(&body) else { return }
    var budget = limits.inflatedByteCount
    let columns = LooseColumns(layout, &body, budget: &budget)
    let actors = LooseActors([change.author] + others, &loose)
    var reader = LooseOperationReader(.change, columns, actors: actors, limit: operationLimit)
    reader.readChange(
      author: loose.intern(change.author), startCounter: change.startCounter, into: &loose)
  }

  /// Reads what stands in front of the columns of a change.
  private func readFields(
    _ body: inout ByteReader
  ) throws(FormatError) -> (ChangeHeader, others: [ActorId], ColumnLayout) {
    let parser = ChangeParser(limits: limits, inputByteCount: 0)
    let change = try parser.readHeader(&body, limits: limits)
    _ = try parser.readMessage(&body)
    let others = try body.readActors(limits: limits)
    return (change, others, try ColumnLayout(&body, allowsDeflate: false, isCut: true))
  }

  // MARK: Documents

  private func readDocument(into loose: inout LooseOperations) {
    var body = header.body
    // Damaged lists are looked past, as far as the tables.
    let actors = try? body.readActors(limits: limits)
    if actors == nil { body = header.body }
    let start = body
    // As above.
    let heads = try? body.readHashes(limits: limits)
    guard let tables = (heads == nil ? nil : Tables(body)) ?? search(from: start) else { return }
    var data = tables.data
    var budget = limits.inflatedByteCount
    for (_, byteCount) in tables.changes.columns {
      // Not more than what remains, so this cannot fail.
      _ = try? data.readPart(min(byteCount, data.remaining))
    }
    let columns = LooseColumns(tables.operations, &data, budget: &budget)
    let numbers = actors.map { LooseActors($0, &loose) } ?? .lost
    var reader = LooseOperationReader(.document, columns, actors: numbers, limit: operationLimit)
    reader.readDocument(into: &loose)
  }

  /// The descriptions of the two tables of a document, and what follows them.
  private struct Tables {
    let changes: ColumnLayout
    let operations: ColumnLayout
    let data: ByteReader

    /// Nil where there are none.
    init?(_ reader: ByteReader) {
      var reader = reader
      do throws(FormatError) {
        changes = try Self.layout(&reader)
        operations = try Self.layout(&reader)
      } catch {
        return nil
      }
      data = reader
    }

    /// More columns than any version has are not looked at: the search would cost its square.
    private static func layout(_ reader: inout ByteReader) throws(FormatError) -> ColumnLayout {
      var ahead = reader
      guard try ahead.readULEB() <= 64 else { throw reader.error(.integerTooLarge) }
      return try ColumnLayout(&reader, allowsDeflate: true, isCut: true)
    }

    /// Whether both tables have the columns that no document with operations lacks.
    var isPlausible: Bool {
      func has(_ spec: ColumnSpec, _ layout: ColumnLayout) -> Bool {
        layout.columns.contains { $0.spec.normalized == spec.raw }
      }
      return [ColumnSpec.changeActor, .changeSequence, .changeMaxCounter, .dependencyGroup]
        .allSatisfy { has($0, changes) }
        && [ColumnSpec.idActor, .idCounter, .insert, .action, .valueMetadata, .successorGroup]
          .allSatisfy { has($0, operations) }
    }
  }

  private func search(from start: ByteReader) -> Tables? {
    var reader = start
    for _ in 0..<min(Self.searchByteCount, start.remaining) {
      if let tables = Tables(reader), tables.isPlausible { return tables }
      // There is a byte: fewer steps are taken than remain.
      _ = try? reader.readByte()
    }
    return nil
  }
}
