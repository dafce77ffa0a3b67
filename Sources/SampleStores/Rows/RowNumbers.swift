import SampleFolders

/// The numbers of all rows of a store: the rows of one table are numbered together, in the order in
/// which they were saved, and some numbers are of rows that are gone.
struct RowNumbers {
  /// One row, by its entity and its place.
  struct Row {
    let entity: String
    let index: Int
    let number: Int64
    /// Whether it is in the log only.
    let isNewest: Bool
  }

  /// The rows of each table, ascending by number.
  private(set) var rows: [String: [Row]] = [:]
  private var numbers: [String: [Int64]] = [:]

  /// How many of the last rows are in the log only.
  private static let newestCount = 3

  init(_ plan: StorePlan, _ schema: SampleSchema, _ counts: [String: Int]) {
    let child = plan.roles.child
    for table in schema.tables {
      var random = SeededRandom(
        seed: plan.seed ^ UInt64(plan.device) << 32 ^ UInt64(table.name.utf8.count))
      var places: [(entity: String, index: Int)] = []
      var newest: [(entity: String, index: Int)] = []
      for entity in table.entities {
        let count = counts[entity] ?? 0
        numbers[entity] = [Int64](repeating: 0, count: count)
        let hasNewest = entity == child && count > 2 * Self.newestCount
        for index in 0..<count where !(entity == child && Self.isMissing(index, plan)) {
          if hasNewest && index >= count - Self.newestCount {
            newest.append((entity, index))
          } else {
            places.append((entity, index))
          }
        }
      }
      // One device saved nearly in order; the other got everything at once from the first.
      let reach = plan.device == 2 ? places.count : 8
      for index in places.indices {
        places.swapAt(index, index + random.number(below: min(reach, places.count - index)))
      }
      var rows: [Row] = []
      var number: Int64 = 0
      for (position, place) in (places + newest).enumerated() {
        number += random.happens(3) ? 2 : 1
        numbers[place.entity]?[place.index] = number
        rows.append(
          Row(
            entity: place.entity, index: place.index, number: number,
            isNewest: position >= places.count))
      }
      self.rows[table.name] = rows
    }
  }

  /// Returns the number of a row; nil if this device does not have it.
  func number(of entity: String, _ index: Int) -> Int64? {
    guard let numbers = numbers[entity], numbers.indices.contains(index), numbers[index] > 0 else {
      return nil
    }
    return numbers[index]
  }

  /// The second device lacks some rows of the first.
  private static func isMissing(_ index: Int, _ plan: StorePlan) -> Bool {
    plan.device == 2 && index % 29 == 11
  }
}
