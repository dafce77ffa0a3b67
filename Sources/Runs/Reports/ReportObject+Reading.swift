import Folders

extension ReportObject {
  /// Reads an object from a line of JSON, as `jsonBytes` writes it; nil if it is none.
  package init?(jsonLine bytes: some Sequence<UInt8>) {
    var tape = JSONTape()
    // What is wrong with it matters to nobody: others may have written the line.
    guard (try? tape.parse(bytes)) != nil, tape.kind(of: 0) == .object,
      case .object(let object) = ReportValue(0, of: tape)
    else { return nil }
    self = object
  }

  /// Returns a member that is a string.
  package func text(_ name: String) -> String? {
    if case .string(let text)? = self[name] { text } else { nil }
  }

  /// Returns a member that is an integer.
  package func integer(_ name: String) -> Int? {
    if case .integer(let number)? = self[name] { number } else { nil }
  }
}

extension ReportValue {
  /// Takes a value of JSON; a number that is no integer counts seconds.
  fileprivate init(_ node: Int, of tape: JSONTape) {
    switch tape.kind(of: node) {
    case .null: self = .null
    case .true: self = .boolean(true)
    case .false: self = .boolean(false)
    case .string: self = .string(tape.string(at: node))
    case .number:
      let literal = tape.string(at: node)
      // Anybody can write to the file: what is no duration stays text.
      let seconds = Double(literal).flatMap { (0..<1e12).contains($0) ? $0 : nil }
      self = Int(literal).map { .integer($0) } ?? seconds.map { .seconds($0) } ?? .string(literal)
    case .array:
      var values: [ReportValue] = []
      var element = node + 1
      while element < tape.node(after: node) {
        values.append(ReportValue(element, of: tape))
        element = tape.node(after: element)
      }
      self = .array(values)
    case .object:
      var object = ReportObject()
      var member = node + 1
      while member < tape.node(after: node) {
        object.add(tape.string(at: member), ReportValue(member + 1, of: tape))
        member = tape.node(after: member + 1)
      }
      self = .object(object)
    }
  }
}

extension JSONTape {
  fileprivate func string(at node: Int) -> String {
    String(decoding: text[range(of: node)], as: UTF8.self)
  }
}
