package import SafeFiles

/// What a change of a step in a document is (convergent-import.md, Steps).
package enum StepLabel: CaseIterable, Hashable, Sendable {
  /// It changes what the document shows as a step says; without operations it takes the step as done.
  case step
  /// It gives back what a step has changed.
  case undo

  /// The label as it is hashed; frozen like those of the import.
  package var text: StaticString {
    switch self {
    case .step: "automerge-migrate/1/step"
    case .undo: "automerge-migrate/1/undo"
    }
  }
}

/// The message of such a change, which is the record of the step: its name, a space, its checksum.
package struct StepNote: Hashable, Sendable {
  /// What names the step.
  package let id: String
  /// What tells it from every other step of this name.
  package let checksum: ContentHash

  /// Creates the note of a step.
  package init(id: String, checksum: ContentHash) {
    self.id = id
    self.checksum = checksum
  }

  /// Reads a message; nil if it is none of a step.
  package init?(message: [UInt8]) {
    guard let space = message.lastIndex(of: UInt8(ascii: " ")), space > 0,
      let id = String(validating: message[..<space], as: UTF8.self),
      let checksum = ContentHash(hexDigits: message[(space + 1)...])
    else { return nil }
    self.init(id: id, checksum: checksum)
  }

  /// The message, in UTF-8.
  package var message: [UInt8] { Array("\(id) \(checksum)".utf8) }
}
