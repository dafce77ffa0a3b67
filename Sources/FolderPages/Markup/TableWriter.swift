/// A column of a table.
struct TableColumn {
  let title: String
  /// Whether it holds numbers, which stand at the right.
  let isNumeric: Bool

  static func text(_ title: String) -> TableColumn { TableColumn(title: title, isNumeric: false) }
  static func number(_ title: String) -> TableColumn { TableColumn(title: title, isNumeric: true) }
}

extension HTMLWriter {
  /// Writes a table that says what it is about; wide ones scroll by themselves.
  ///
  /// - Parameters:
  ///   - headings: how many columns at the beginning say what a row is about.
  ///   - links: the ids that the first cells of the rows lead to; none where they lead nowhere.
  ///   - rows: a text for each column.
  mutating func table(
    _ caption: String, _ columns: [TableColumn], headings: Int = 1, links: [String] = [],
    _ rows: [[String]]
  ) {
    element(
      "div", ("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", caption)
    ) { html in
      html.element("table") { html in
        html.element("caption", text: caption)
        html.element("thead") { html in
          html.element("tr") { html in
            for column in columns {
              html.element(
                "th", ("scope", "col"), ("class", column.isNumeric ? "number" : "text"),
                text: column.title)
            }
          }
        }
        html.element("tbody") { html in
          for (index, row) in rows.enumerated() {
            html.row(row, columns, headings, link: links.isEmpty ? nil : links[index])
          }
        }
      }
    }
  }

  private mutating func row(
    _ cells: [String], _ columns: [TableColumn], _ headings: Int, link: String?
  ) {
    element("tr") { html in
      for (index, (cell, column)) in zip(cells, columns).enumerated() {
        if index == 0, let link {
          html.element("th", ("scope", "row")) { html in
            html.element("a", ("href", "#\(link)"), text: cell)
          }
        } else if index < headings {
          html.element("th", ("scope", "row"), text: cell)
        } else {
          html.element("td", ("class", column.isNumeric ? "number" : "text"), text: cell)
        }
      }
    }
  }
}
