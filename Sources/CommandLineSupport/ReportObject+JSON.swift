import Diagnostics
import MigrationCore
import Runs

extension ReportObject {
  /// Starts a line of the machine form: the type comes first.
  init(type: String) {
    self.init()
    add("type", type)
  }

  /// Adds a string unless there is none.
  mutating func add(_ name: String, _ value: String?) {
    if let value { add(name, .string(value)) }
  }

  /// Adds an integer unless there is none.
  mutating func add(_ name: String, _ value: Int?) {
    if let value { add(name, .integer(value)) }
  }

  /// Adds the words of a command unless there is none.
  mutating func add(_ name: String, _ value: NextCommand?) {
    if let value { add(name, ReportValue(value)) }
  }

  /// Adds every member of another object that is not here yet.
  mutating func add(membersOf other: ReportObject) {
    for member in other.members where self[member.name] == nil { add(member.name, member.value) }
  }

  /// The object as one line of JSON, without its end.
  package var jsonLine: String {
    var text = ""
    append(to: &text)
    return text
  }

  fileprivate func append(to text: inout String) {
    text += "{"
    for (index, member) in members.enumerated() {
      if index > 0 { text += "," }
      text.appendJSON(member.name)
      text += ":"
      member.value.append(to: &text)
    }
    text += "}"
  }
}

extension ReportValue {
  fileprivate func append(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .boolean(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .seconds(let value): text += Self.decimals(value)
    case .string(let value): text.appendJSON(value)
    case .object(let value): value.append(to: &text)
    case .array(let values):
      text += "["
      for (index, value) in values.enumerated() {
        if index > 0 { text += "," }
        value.append(to: &text)
      }
      text += "]"
    }
  }

  /// Returns seconds with exactly three decimals.
  private static func decimals(_ seconds: Double) -> String {
    let milliseconds = Int((max(0, seconds) * 1000).rounded())
    let fraction = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }
}

extension String {
  /// Appends a string in quotes. Control and line-separating characters are escaped, so that a line
  /// stays a line for every reader and harmless on every terminal.
  fileprivate mutating func appendJSON(_ value: String) {
    self += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": self += "\\\""
      case "\\": self += "\\\\"
      case "\n": self += "\\n"
      case "\r": self += "\\r"
      case "\t": self += "\\t"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        self += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: unicodeScalars.append(scalar)
      }
    }
    self += "\""
  }
}
