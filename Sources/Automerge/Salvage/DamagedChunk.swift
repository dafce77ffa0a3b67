/// A chunk that does not verify, read as far as it makes sense.
struct DamagedChunk {
  private let header: ChunkHeader
  private let limits: LoadLimits
  private let operationLimit: Int

  /// The actors of apps have this many bytes.
  private static let actorByteCount: UInt8 = 16
  /// How far to look for the author of a change whose dependencies are damaged.
  private static let mostDependencies = 64

  init(_ header: ChunkHeader, inputByteCount: Int, limits: LoadLimits) {
    self.header = header
    self.limits = limits
    operationLimit = limits.operationCount(forInputOf: inputByteCount)
  }

  /// Whether the body begins like one of its kind: with what stands before the columns, and the
  /// description of all columns that none with operations lacks.
  var isPlausible: Bool {
    switch header.kind {
    case .document: lists(header.body) != nil
    case .change: Fields(header.body, limits) != nil
    case .compressedChange: Fields(inflated(to: 1 << 16), limits) != nil
    case .bundle: false
    }
  }

  /// Appends what can be read.
  func read(into loose: inout LooseOperations) {
    switch header.kind {
    case .document: readDocument(into: &loose)
    case .change: readChange(header.body, into: &loose)
    case .compressedChange: readChange(inflated(to: limits.inflatedByteCount), into: &loose)
    case .bundle: break
    }
  }

  // MARK: Changes

  /// What stands in front of the columns of a change, and the columns.
  private struct Fields {
    let change: ChangeHeader
    let others: [ActorId]
    let layout: ColumnLayout
    let columns: ByteReader

    /// Nil where this makes no sense.
    ///
    /// - Parameters:
    ///   - hasDependencies: whether the dependencies come first.
    ///   - isWhole: whether all columns must be there that a change cannot do without.
    init?(
      _ body: ByteReader, _ limits: LoadLimits, hasDependencies: Bool = true, isWhole: Bool = true
    ) {
      var body = body
      let parser = ChangeParser(limits: limits, inputByteCount: 0)
      do throws(FormatError) {
        change =
          hasDependencies
          ? try parser.readHeader(&body, limits: limits)
          : try parser.readHeader(&body, after: [], limits: limits)
        _ = try parser.readMessage(&body)
        others = try body.readActors(limits: limits)
        layout = try ColumnLayout(&body, allowsDeflate: false, isCut: true)
      } catch {
        return nil
      }
      guard !isWhole || layout.hasAll(Self.neededColumns) else { return nil }
      columns = body
    }

    private static let neededColumns: [ColumnSpec] = [
      .insert, .action, .valueMetadata, .predecessorGroup,
    ]
  }

  private func inflated(to byteCount: Int) -> ByteReader {
    var budget = byteCount
    // An inflater that cannot be set up finds nothing.
    let body = (try? Compression.inflate(header.body, budget: &budget, keepsBeginning: true)) ?? []
    return ByteReader(body, standingAt: header.body.offset)
  }

  private func readChange(_ body: ByteReader, into loose: inout LooseOperations) {
    // A change whose author or start makes no sense has no operations that could be named.
    guard
      let fields = Fields(body, limits) ?? searchFields(from: body)
        ?? Fields(body, limits, isWhole: false)
    else { return }
    var budget = limits.inflatedByteCount
    var reader = fields.columns
    let columns = LooseColumns(fields.layout, &reader, budget: &budget)
    let actors = LooseActors([fields.change.author] + fields.others, &loose)
    var rows = LooseOperationReader(.change, columns, actors: actors, limit: operationLimit)
    rows.readChange(
      author: loose.intern(fields.change.author), startCounter: fields.change.startCounter,
      into: &loose)
  }

  /// Looks for the author behind dependencies that are damaged, which nothing here needs.
  private func searchFields(from start: ByteReader) -> Fields? {
    var reader = start
    let count = min(start.remaining, 1 + Self.mostDependencies * ChangeHash.byteCount)
    for _ in 0..<count {
      if reader.bytes[reader.position] == Self.actorByteCount,
        let fields = Fields(reader, limits, hasDependencies: false)
      {
        return fields
      }
      // There is a byte: fewer steps are taken than remain.
      _ = try? reader.readByte()
    }
    return nil
  }

  // MARK: Documents

  /// Returns the actors and where the tables are, if the lists in front of these are whole.
  private func lists(_ body: ByteReader) -> (actors: [ActorId], tables: DamagedTables)? {
    var body = body
    // What is no list leads to no tables.
    guard let actors = try? body.readActors(limits: limits), !actors.isEmpty,
      (try? body.readHashes(limits: limits)) != nil, let tables = DamagedTables(body)
    else { return nil }
    return (actors, tables)
  }

  private func readDocument(into loose: inout LooseOperations) {
    if let (actors, tables) = lists(header.body) {
      _ = read(tables, LooseActors(actors, &loose), into: &loose)
      return
    }
    var body = header.body
    // A list that cannot be read is looked past, as far as the tables.
    let actors = try? body.readActors(limits: limits)
    let isAtHeads = actors?.isEmpty == false
    let start = isAtHeads ? body : header.body
    if let tables = DamagedTables.search(from: start) ?? DamagedTables.search(from: header.body) {
      // Between a list of actors that is whole and the tables are heads.
      let gap = tables.position - start.position
      let isTrusted = isAtHeads && gap > 0 && gap % ChangeHash.byteCount == 1
      let numbers = isTrusted ? actors.map { LooseActors($0, &loose) } : nil
      _ = read(tables, numbers ?? .lost, into: &loose)
      return
    }
    // So is the description of the changes, if that of the operations is whole.
    let heads = isAtHeads ? try? body.readHashes(limits: limits) : nil
    let numbers =
      heads?.isEmpty == false ? actors.map { LooseActors($0, &loose) } ?? .lost : .lost
    for tables in DamagedTables.searchOperations(from: header.body)
    where read(tables, numbers, into: &loose, isChecked: true) { return }
    // What is left of a description may still do.
    if heads != nil, let tables = DamagedTables(body, isWhole: false) {
      _ = read(tables, numbers, into: &loose)
    }
  }

  /// Reads the operations of a document.
  ///
  /// - Parameter isChecked: whether to read only columns that hold as many rows each.
  /// - Returns: whether the columns were read.
  private func read(
    _ tables: DamagedTables, _ actors: LooseActors, into loose: inout LooseOperations,
    isChecked: Bool = false
  ) -> Bool {
    var budget = limits.inflatedByteCount
    var data = tables.data
    let columns = LooseColumns(tables.operations, &data, budget: &budget)
    var rows = LooseOperationReader(.document, columns, actors: actors, limit: operationLimit)
    guard !isChecked || rows.isConsistent(limit: operationLimit) else { return false }
    rows.readDocument(into: &loose)
    return true
  }
}
