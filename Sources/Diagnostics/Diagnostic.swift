/// One failure in the shape every command shows: subject, problem, place, cause and remedy.
package struct Diagnostic: Hashable, Sendable {
  /// What went wrong in general; the command layer turns it into an exit status.
  package enum Kind: String, CaseIterable, Hashable, Sendable {
    /// The command was called wrongly.
    case usage
    /// Input is not what it should be.
    case damagedInput
    /// Input is not there.
    case missingInput
    /// Something this build or this platform cannot do.
    case featureAbsent
    /// A mistake in the program.
    case internalError
    /// The operating system refused something that should work.
    case systemCallFailed
    /// Output cannot be created, or exists with other bytes.
    case cannotCreate
    /// Reading or writing failed, the disk full included.
    case inputOutput
    /// Somebody else is at work; trying again can help.
    case busy
    /// The permissions do not allow it.
    case permissionDenied
    /// The options conflict with the data.
    case conflictsWithData
  }

  /// What went wrong in general.
  package var kind: Kind
  /// The path or stream it is about, in display form.
  package var subject: String
  /// The byte offset inside the subject, where one is known.
  package var offset: Int?
  /// What happened, in lower case without a trailing stop.
  package var problem: String
  /// What the reader can do about it.
  package var remedy: String?
  /// The command that the remedy tells to run, where it tells one that needs nothing to be filled in.
  package var command: NextCommand?
  /// The text of the error below this one.
  package var cause: String?

  /// Creates a diagnostic from its parts.
  package init(
    _ kind: Kind, subject: String, offset: Int? = nil, problem: String, remedy: String? = nil,
    command: NextCommand? = nil, cause: String? = nil
  ) {
    self.kind = kind
    self.subject = subject
    self.offset = offset
    self.problem = problem
    self.remedy = remedy
    self.command = command
    self.cause = cause
  }

  /// Returns the lines for a terminal or a log: `tool: subject: problem`, then `  next: remedy`.
  package func rendered(tool: String) -> String {
    var text = tool
    if !subject.isEmpty { text += ": " + DisplayText.subject(subject) }
    text += ": " + problem
    if let cause { text += ": " + cause }
    if let offset { text += " (offset \(offset))" }
    if let remedy { text += "\n  next: " + remedy }
    return text
  }
}

/// An error that can say what happened, where, and what to do about it.
package protocol DiagnosableError: Error {
  /// The error in the shape every command shows.
  var diagnostic: Diagnostic { get }
}
