import Diagnostics

/// Writes HTML (the WHATWG's HTML Living Standard, section 13) in which nothing that comes from outside
/// is ever more than text.
struct HTMLWriter {
  /// A name and a value of an element.
  typealias Attribute = (name: StaticString, value: String)

  /// What was written, in UTF-8.
  private(set) var bytes: [UInt8] = []
  /// What ids begin with, and how much deeper headings stand than on a page of one folder.
  private var (idPrefix, depth) = ("", 0)

  /// Creates a writer for a page.
  init() {}

  /// Creates a writer for one of several parts of a page, each of which has the same in it.
  init(partCalled id: String) { (idPrefix, depth) = ("\(id)-", 1) }

  /// Returns an id that nothing else on the page has.
  func id(_ name: StaticString) -> String { idPrefix + name.description }

  /// Writes an element with what is in it.
  mutating func element(
    _ name: StaticString, _ attributes: Attribute..., content: (inout HTMLWriter) -> Void
  ) {
    open(name, attributes)
    content(&self)
    close(name)
  }

  /// Writes an element with a text in it.
  mutating func element(_ name: StaticString, _ attributes: Attribute..., text: String) {
    open(name, attributes)
    self.text(text)
    close(name)
  }

  /// Writes a heading of a level from 1 on.
  mutating func heading(_ level: Int, _ attributes: Attribute..., text: String) {
    let names: [StaticString] = ["h1", "h2", "h3", "h4"]
    let name = names[min(level - 1 + depth, names.count - 1)]
    open(name, attributes)
    self.text(text)
    close(name)
  }

  /// Writes an element that has nothing in it, and no end.
  mutating func void(_ name: StaticString, _ attributes: Attribute...) { open(name, attributes) }

  /// Writes markup of ours as it is.
  mutating func markup(_ markup: StaticString) { bytes += Self.utf8(of: markup) }

  /// Writes a text: what has a meaning in markup stands for itself, and what would not be seen, or turn
  /// what is around it, is shown by its number.
  mutating func text(_ text: String) {
    for scalar in text.unicodeScalars { write(scalar) }
  }

  private mutating func open(_ name: StaticString, _ attributes: [Attribute]) {
    bytes.append(UInt8(ascii: "<"))
    bytes += Self.utf8(of: name)
    for (name, value) in attributes {
      bytes.append(UInt8(ascii: " "))
      bytes += Self.utf8(of: name)
      bytes += "=\"".utf8
      text(value)
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: ">"))
  }

  private mutating func close(_ name: StaticString) {
    bytes += "</".utf8
    bytes += Self.utf8(of: name)
    bytes.append(UInt8(ascii: ">"))
    // A line end would be a space to the reader, where an element stands inside of a sentence.
    if !Self.isInSentences(name) { bytes.append(UInt8(ascii: "\n")) }
  }

  private static func isInSentences(_ name: StaticString) -> Bool {
    ["a", "code", "span", "strong"].contains(name.description)
  }

  private mutating func write(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "&": bytes += "&amp;".utf8
    case "<": bytes += "&lt;".utf8
    case ">": bytes += "&gt;".utf8
    case "\"": bytes += "&quot;".utf8
    case "'": bytes += "&#39;".utf8
    case _ where DisplayText.isHarmless(scalar): bytes += String(scalar).utf8
    default:
      let digits = String(scalar.value, radix: 16, uppercase: true)
      bytes += "\u{27e8}U+".utf8
      bytes += repeatElement(UInt8(ascii: "0"), count: max(0, 4 - digits.utf8.count))
      bytes += digits.utf8
      bytes += "\u{27e9}".utf8
    }
  }

  private static func utf8(of text: StaticString) -> [UInt8] { Array(text.description.utf8) }
}
