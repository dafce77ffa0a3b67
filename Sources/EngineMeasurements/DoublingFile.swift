import Automerge
import SafeFiles

/// A pattern written down, with how many there are of what it repeats.
struct DoublingFile {
  /// What no file exceeds.
  private static let mostBytes = 1_000_000

  let pattern: DoublingPattern
  let form: DoublingForm
  let count: Int
  /// Its name, which tells all of it.
  let entry: FileName

  init(_ pattern: DoublingPattern, _ form: DoublingForm, count: Int) throws {
    try self.init(named: "\(pattern.rawValue).\(form.rawValue).\(count).automerge")
  }

  /// Takes the name of such a file.
  init(named name: String) throws {
    let parts = name.split(separator: ".")
    guard parts.count == 4, let pattern = DoublingPattern(rawValue: String(parts[0])),
      let form = DoublingForm(rawValue: String(parts[1])), let count = Int(parts[2]),
      let entry = FileName(name)
    else { throw MeasurementError.wrongResult("\(name) is no file of the run") }
    self.pattern = pattern
    self.form = form
    self.count = count
    self.entry = entry
  }

  var name: String { entry.description }

  /// The same with half as many.
  func half() throws -> DoublingFile { try DoublingFile(pattern, form, count: count / 2) }

  /// Returns the bytes; nil if they are too many, or do not load.
  func bytes() -> [UInt8]? {
    // A pattern that does not load at some size has no file of it.
    guard let bytes = try? form.file(of: pattern, count), bytes.count <= Self.mostBytes,
      (try? DocumentState(loading: bytes)) != nil
    else { return nil }
    return bytes
  }
}

/// How a pattern is written down.
package enum DoublingForm: String, CaseIterable, Sendable {
  case changes
  case document

  /// Returns a file in which there are `count` of what a pattern repeats.
  package func file(of pattern: DoublingPattern, _ count: Int) throws -> [UInt8] {
    let changes = pattern.changes(count)
    return self == .changes ? changes : try DocumentState(loading: changes).encoded()
  }
}
