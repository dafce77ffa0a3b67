import Folders
package import Runs

/// One line of a folder's history that makes sense.
package struct RunHistoryLine {
  /// The name of the run.
  package let run: String
  /// Everything the line says, in its order.
  package let members: ReportObject

  /// Reads a line; nil if it is torn, or was written by somebody else.
  package init?(_ bytes: some Sequence<UInt8>) {
    var tape = JSONTape()
    // A line that cannot be read is skipped: the history only informs.
    guard (try? tape.parse(bytes)) != nil, tape.kind(of: 0) == .object,
      case .object(let members) = ReportValue(0, of: tape),
      members["schema"] == .string(RunRecord.schema), case .string(let run)? = members["run"]
    else { return nil }
    self.run = run
    self.members = members
  }

  /// Returns a member that is a string.
  package func text(_ name: String) -> String? {
    if case .string(let text)? = members[name] { text } else { nil }
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
