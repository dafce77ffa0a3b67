/// Tells code from comments and string contents, well enough for the tests in this folder.
struct CodeScanner {
  private enum Mode {
    case code(parentheses: Int)
    case string(quotes: Int, hashes: Int)
  }

  private let characters: [Character]
  private var position = 0
  private var output = ""
  private var modes: [Mode] = [.code(parentheses: 0)]

  /// Returns the text with comments and string contents replaced by spaces, line by line.
  static func code(in text: String) -> String {
    var scanner = CodeScanner(characters: Array(text))
    scanner.scan()
    return scanner.output
  }

  private init(characters: [Character]) {
    self.characters = characters
  }

  private mutating func scan() {
    while position < characters.count {
      switch modes.last {
      case .string(let quotes, let hashes): scanString(quotes: quotes, hashes: hashes)
      case .code, nil: scanCode()
      }
    }
  }

  private mutating func scanCode() {
    if matches("//") {
      while position < characters.count && characters[position] != "\n" { blank() }
    } else if matches("/*") {
      scanBlockComment()
    } else if let (quotes, hashes) = stringStart() {
      keep(quotes + hashes)
      modes.append(.string(quotes: quotes, hashes: hashes))
    } else {
      trackParentheses()
    }
  }

  private mutating func trackParentheses() {
    let character = characters[position]
    keep(1)
    guard case .code(let depth) = modes.last, modes.count > 1 else { return }
    if character == "(" { modes[modes.count - 1] = .code(parentheses: depth + 1) }
    if character == ")" {
      if depth == 1 {
        modes.removeLast()
      } else {
        modes[modes.count - 1] = .code(parentheses: depth - 1)
      }
    }
  }

  private mutating func scanString(quotes: Int, hashes: Int) {
    let marks = String(repeating: "#", count: hashes)
    if matches(String(repeating: "\"", count: quotes) + marks) {
      keep(quotes + hashes)
      modes.removeLast()
    } else if matches("\\" + marks + "(") {
      keep(hashes + 2)
      modes.append(.code(parentheses: 1))
    } else if matches("\\" + marks) {
      for _ in 0..<(hashes + 2) where position < characters.count { blank() }
    } else {
      blank()
    }
  }

  private mutating func scanBlockComment() {
    var depth = 0
    repeat {
      if matches("/*") {
        depth += 1
        blank()
      } else if matches("*/") {
        depth -= 1
        blank()
      }
      blank()
    } while depth > 0 && position < characters.count
  }

  private func stringStart() -> (quotes: Int, hashes: Int)? {
    var hashes = 0
    while position + hashes < characters.count && characters[position + hashes] == "#" {
      hashes += 1
    }
    func isQuote(_ offset: Int) -> Bool {
      position + hashes + offset < characters.count
        && characters[position + hashes + offset] == "\""
    }
    guard isQuote(0) else { return nil }
    return (isQuote(1) && isQuote(2) ? 3 : 1, hashes)
  }

  private func matches(_ text: String) -> Bool {
    characters[position...].starts(with: text)
  }

  private mutating func keep(_ count: Int) {
    for _ in 0..<count where position < characters.count {
      output.append(characters[position])
      position += 1
    }
  }

  private mutating func blank() {
    guard position < characters.count else { return }
    output.append(characters[position] == "\n" ? "\n" : " ")
    position += 1
  }
}
