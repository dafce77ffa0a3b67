/// Columns with their specifications, in the order they are put down.
struct ForgedColumnList {
  struct Column {
    var specification: UInt64
    var bytes: [UInt8]
    /// The length the metadata claims, if not the true one.
    var claimedLength: UInt64?
  }

  var columns: [Column]

  /// Keeps the columns that have bytes, as a writer does.
  init(_ columns: KeyValuePairs<UInt64, [UInt8]>) {
    self.columns = columns.filter { !$0.value.isEmpty }.map {
      Column(specification: $0.key, bytes: $0.value)
    }
  }

  /// The bytes of a column. Setting replaces it, removes it (nil), or adds it in ascending order.
  subscript(_ specification: UInt64) -> [UInt8]? {
    get { columns.first { $0.specification == specification }?.bytes }
    set {
      if let index = columns.firstIndex(where: { $0.specification == specification }) {
        if let newValue { columns[index].bytes = newValue } else { columns.remove(at: index) }
      } else if let newValue {
        let place = columns.firstIndex { $0.specification > specification } ?? columns.count
        columns.insert(Column(specification: specification, bytes: newValue), at: place)
      }
    }
  }

  /// Sets the deflate bit of a column and replaces its bytes by `deflated`.
  mutating func deflate(_ specification: UInt64, to deflated: [UInt8]) {
    guard let index = columns.firstIndex(where: { $0.specification == specification }) else {
      return
    }
    columns[index] = Column(specification: specification | 8, bytes: deflated)
  }

  mutating func claim(_ length: UInt64, for specification: UInt64) {
    guard let index = columns.firstIndex(where: { $0.specification == specification }) else {
      return
    }
    columns[index].claimedLength = length
  }

  var metadata: [UInt8] {
    ForgedNumber.uleb(UInt64(columns.count))
      + columns.flatMap {
        ForgedNumber.uleb($0.specification)
          + ForgedNumber.uleb($0.claimedLength ?? UInt64($0.bytes.count))
      }
  }

  var data: [UInt8] { columns.flatMap(\.bytes) }
}
