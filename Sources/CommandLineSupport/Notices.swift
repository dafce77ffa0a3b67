import Diagnostics
import Runs

/// Shows on standard error what a run tells while it is at work. Workers may call it at the same time.
struct Notices: Sendable {
  /// In which form they are shown.
  enum Form: Sendable {
    /// Not at all.
    case hidden
    /// A line for people.
    case prose
    /// A line of JSON, where such lines are all that standard error has.
    case jsonLines
  }

  private let tool: String
  private let folder: String?
  private let form: Form
  private let meter: ProgressMeter?

  /// - Parameters:
  ///   - folder: the one that is read, if it is one of several.
  ///   - meter: what shows progress on the same stream.
  init(of tool: String, in folder: String?, as form: Form, besides meter: ProgressMeter?) {
    (self.tool, self.folder, self.form, self.meter) = (tool, folder, form, meter)
  }

  /// Shows a notice: one write, unbuffered. It is talk; if it cannot be shown, the work goes on.
  func show(_ notice: RunNotice) {
    var line: String
    switch form {
    case .hidden: return
    case .prose:
      // As a diagnostic is shown.
      line =
        Diagnostic(.busy, subject: notice.subject, problem: notice.message)
        .rendered(tool: tool).linesSafeForTerminal
      if let folder { line = "\(folder.safeForTerminal): " + line }
    case .jsonLines:
      var object = ReportObject(type: "notice")
      object.add("kind", notice.kind.rawValue)
      if !notice.subject.isEmpty { object.add("subject", notice.subject) }
      object.add("message", notice.message)
      object.add("place", folder)
      line = object.jsonLine
    }
    meter?.clear()
    _ = SystemCalls.write(Array((line + "\n").utf8), from: 0, to: Self.descriptor)
  }

  private static let descriptor: Int32 = 2
}
