/// One thing worth telling about a run: what, how bad, where, and what to do next.
package struct Finding: Hashable, Sendable {
  /// The kind of finding; see `FindingCode`.
  package typealias Code = FindingCode

  /// The stable name of the kind of finding.
  package var code: Code
  /// How much it matters.
  package var severity: Severity
  /// The place in display form, relative to the folder; empty if there is none.
  package var path: String
  /// What was found, as a sentence fragment without a trailing stop.
  package var message: String
  /// What the reader can do about it.
  package var next: String?
  /// The command that `next` tells to run, where it tells one that needs nothing to be filled in; of
  /// several the first.
  package var command: NextCommand?
  /// The byte offset inside the file, where one is known.
  package var offset: Int?

  /// Creates a finding from its parts; a command without a text beside it is what to do next.
  package init(
    _ code: Code, _ severity: Severity, path: String = "", message: String, next: String? = nil,
    command: NextCommand? = nil, offset: Int? = nil
  ) {
    self.code = code
    self.severity = severity
    self.path = path
    self.message = message
    self.next = next ?? command?.shellText
    self.command = command
    self.offset = offset
  }
}

extension Finding {
  /// What a file is that was there when the folder was listed, and is not any more.
  package static let gone = Finding(
    .changedWhileRead, .error, message: "is gone since the folder was listed",
    next: "wait until the app and the sync service are done, then run again")

  /// What a file is that is not as it was when it was read first.
  package static let changedSince = Finding(
    .changedWhileRead, .error, message: "changed while this command ran",
    next: "wait until the app and the sync service are done, then run again")
}
