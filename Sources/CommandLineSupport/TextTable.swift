/// Rows of cells with aligned columns, numbers to the right.
package struct TextTable {
  private var rows: [[String]]

  /// Creates a table with a heading row.
  package init(heading: [String]) {
    rows = [heading]
  }

  /// Whether there is nothing below the heading.
  package var isEmpty: Bool { rows.count < 2 }

  /// Adds a row of as many cells as the heading has.
  package mutating func add(_ cells: [String]) {
    rows.append(cells)
  }

  /// The lines of the table, each indented by two spaces and without trailing spaces.
  package var lines: [String] {
    guard let heading = rows.first else { return [] }
    let widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    let areNumbers = heading.indices.map { column in
      rows.dropFirst().allSatisfy { Self.isNumber($0[column]) }
    }
    return rows.map { row in
      var line = ""
      for column in heading.indices {
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        line += "  " + (areNumbers[column] ? padding + row[column] : row[column] + padding)
      }
      while line.last == " " { line.removeLast() }
      return line
    }
  }

  private static func isNumber(_ cell: String) -> Bool {
    cell.isEmpty || cell.allSatisfy { $0.isWholeNumber || $0 == "," }
  }
}
