/// One record of the JSON Lines output: an object whose members keep the order they were added in.
package struct JSONLine {
  private var text = "{"

  /// Starts a record; every record says its type first.
  package init(type: String) {
    add("type", type)
  }

  /// Adds a text member.
  package mutating func add(_ name: String, _ value: String) {
    key(name)
    quote(value)
  }

  /// Adds a text member unless there is none.
  package mutating func add(_ name: String, _ value: String?) {
    if let value { add(name, value) }
  }

  /// Adds a whole number.
  package mutating func add(_ name: String, _ value: some BinaryInteger) {
    key(name)
    text += String(value)
  }

  /// Adds a whole number unless there is none.
  package mutating func add(_ name: String, _ value: Int?) {
    if let value { add(name, value) }
  }

  /// Adds true or false.
  package mutating func add(_ name: String, _ value: Bool) {
    key(name)
    text += value ? "true" : "false"
  }

  /// Adds seconds with milliseconds.
  package mutating func add(_ name: String, _ value: Duration) {
    key(name)
    let milliseconds = value.milliseconds
    let fraction = String(milliseconds % 1000)
    text += "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  /// Adds an object of whole numbers in the order given.
  package mutating func add(_ name: String, counts: [(name: String, value: Int)]) {
    key(name)
    text += "{"
    for (index, count) in counts.enumerated() {
      if index > 0 { text += "," }
      quote(count.name)
      text += ":\(count.value)"
    }
    text += "}"
  }

  /// The whole line with its end.
  package var rendered: String { text + "}\n" }

  private mutating func key(_ name: String) {
    if text.utf8.count > 1 { text += "," }
    quote(name)
    text += ":"
  }

  private mutating func quote(_ value: String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
