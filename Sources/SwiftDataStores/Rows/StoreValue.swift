/// The value of one property of a row. The storage class of the cell decides, and the declared type says
/// what that means.
package enum StoreValue: Hashable, Sendable {
  /// The app sees no value.
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  /// The number as SQLite keeps it; what it says in decimal is its shortest form.
  case decimal(Double)
  /// Seconds since 2001-01-01 UTC.
  case date(Double)
  /// UTF-8 that need not be valid.
  case text([UInt8])
  /// 16 bytes.
  case uuid([UInt8])
  case bytes([UInt8])
  /// Bytes that lie in a file of their own.
  case external(ExternalData)
  /// The number of a row, and of its entity where the store says that.
  case reference(row: Int64, entity: Int64?)
  /// The values of the parts of a composite, in the order of its layout; one of them is not null.
  case parts([StoreValue])
  /// What no value of the declared type is kept as.
  case unexpected(StoreCell)

  /// Returns what a cell says as a value of a type. External data are not looked for.
  package init(_ cell: StoreCell, as type: AttributeType) {
    switch (type, cell) {
    case (_, .null): self = .null
    case (.boolean, .integer(0)): self = .boolean(false)
    case (.boolean, .integer(1)): self = .boolean(true)
    case (.integer16, .integer(let value)), (.integer32, .integer(let value)),
      (.integer64, .integer(let value)):
      self = .integer(value)
    // A number without a fraction may come back as a whole one.
    case (.double, .integer(let value)), (.float, .integer(let value)):
      self = Double(exactly: value).map { .double($0) } ?? .unexpected(cell)
    case (.double, .real(let value)), (.float, .real(let value)): self = .double(value)
    case (.decimal, .integer(let value)):
      // Above this the shortest decimal of a double is another number than the one that is kept.
      self = value.magnitude <= 1 << 53 ? .decimal(Double(value)) : .integer(value)
    case (.decimal, .real(let value)): self = .decimal(value)
    case (.date, .integer(let value)):
      self = Double(exactly: value).map { .date($0) } ?? .unexpected(cell)
    case (.date, .real(let value)): self = .date(value)
    case (.string, .text(let bytes)), (.uri, .text(let bytes)): self = .text(bytes)
    case (.uuid, .blob(let bytes)) where bytes.count == 16: self = .uuid(bytes)
    case (.binary, .blob(let bytes)), (.transformable, .blob(let bytes)): self = .bytes(bytes)
    // Nobody says what these hold.
    case (.undefined, _), (.other, _), (.objectID, _), (.composite, _):
      self =
        switch cell {
        case .null: .null
        case .integer(let value): .integer(value)
        case .real(let value): .double(value)
        case .text(let bytes): .text(bytes)
        case .blob(let bytes): .bytes(bytes)
        }
    default: self = .unexpected(cell)
    }
  }

  /// Milliseconds since 1970 of a date, as every import rounds them; nil for anything else, and where the
  /// number is none or too large.
  package var millisecondsSince1970: Int64? {
    guard case .date(let seconds) = self else { return nil }
    let since2001 = (seconds * 1000 + 0.5).rounded(.down)
    return Int64(exactly: since2001).flatMap {
      let (sum, overflow) = $0.addingReportingOverflow(Self.referenceDate)
      return overflow ? nil : sum
    }
  }

  /// Whether `millisecondsSince1970` is another moment than the date.
  ///
  /// - Parameters:
  ///   - milliseconds: what that has returned.
  ///   - seconds: of the date, since 2001.
  package static func isRounded(_ milliseconds: Int64, from seconds: Double) -> Bool {
    Double(milliseconds - referenceDate) != seconds * 1000
  }

  /// The beginning of 2001, in milliseconds since 1970.
  private static let referenceDate: Int64 = 978_307_200_000
}

/// Bytes of a property that lie in a file beside the store.
package struct ExternalData: Hashable, Sendable {
  /// The name of the file.
  package var uuid: String
  /// How many bytes it has; nil if it is not there.
  package var byteCount: Int64?

  /// Names a file.
  package init(uuid: String, byteCount: Int64?) {
    self.uuid = uuid
    self.byteCount = byteCount
  }
}
