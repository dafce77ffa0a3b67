public import Automerge

extension Document {
  /// Prints the document as an indented tree, for debugging.
  public func walk() throws {
    for line in try outline() { print(line) }
  }

  /// Returns the document as an indented tree, line by line.
  package func outline() throws -> [String] {
    // A stack of its own: how deep documents are is up to those who wrote them.
    var lines: [String] = []
    var stack: [OutlineStep] = [.value(label: "", .Object(.ROOT, .Map), indent: 0)]
    while let step = stack.popLast() {
      switch step {
      case .line(let line): lines.append(line)
      case .value(let label, let value, let indent):
        let margin = String(repeating: "  ", count: indent)
        switch value {
        case .Scalar(let scalar): lines.append("\(margin)\(label)\(scalar)")
        case .Object(let object, .Text):
          lines.append("\(margin)\(label)Text(\(try text(obj: object).debugDescription))")
        case .Object(let object, .List):
          lines.append("\(margin)\(label)[")
          stack.append(.line("\(margin)]"))
          stack += try values(obj: object).reversed().map {
            .value(label: "", $0, indent: indent + 1)
          }
        case .Object(let object, .Map):
          lines.append("\(margin)\(label){")
          stack.append(.line("\(margin)}"))
          stack += try mapEntries(obj: object).reversed().map {
            .value(label: "\($0.0.debugDescription): ", $0.1, indent: indent + 1)
          }
        }
      }
    }
    return lines
  }
}

/// What is still to be written of a tree.
private enum OutlineStep {
  case line(String)
  case value(label: String, Value, indent: Int)
}
