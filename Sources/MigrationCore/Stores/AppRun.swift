import Folders
import SafeFiles
import SwiftDataStores

/// One attempt of an app to bring its data to another version, as the app wrote it down.
package struct AppRun: Hashable, Sendable {
  /// How it ended.
  package enum Outcome: String, CaseIterable, Hashable, Sendable {
    case succeeded
    case failed
    /// Nobody wrote down how it ended: it is at work, or the app died.
    case interrupted
  }

  /// The version of the data before.
  package var from: String
  /// The version that it was to have.
  package var to: String
  package var outcome: Outcome
  /// When it began, as UTC text; empty if that is not there.
  package var start = ""
  /// When it ended, as UTC text; empty if that is not there. Where the app writes down one time, it is
  /// this.
  package var end = ""
  /// How long it took, in seconds; nil if that is not there.
  package var duration: Double?
  /// How many rows there were; nil if that is not there.
  package var rowCount: Int?
  /// What it failed at, in the app's words; empty if that is not there.
  package var problem = ""
  /// What the version changed, in the app's words; empty if that is not there.
  package var change = ""
  /// The version of the system; empty if that is not there.
  package var system = ""
  /// The model of the device; empty if that is not there.
  package var device = ""

  /// The moment by which attempts are ordered.
  package var moment: String { start.isEmpty ? end : start }

  /// Takes the members of a record; nil if they do not say from which version to which, and how it
  /// ended.
  fileprivate init?(_ members: [String: Member]) {
    guard let from = members["fromVersion"]?.text, let to = members["toVersion"]?.text else {
      return nil
    }
    switch (members["status"]?.text, members["success"]?.truth) {
    case ("Succeeded"?, _), (nil, true?): outcome = .succeeded
    case ("Failed"?, _), (nil, false?): outcome = .failed
    case ("Started"?, _): outcome = .interrupted
    default: return nil
    }
    (self.from, self.to) = (from, to)
    start = members["startTime"]?.moment ?? ""
    end = (members["endTime"] ?? members["timestamp"])?.moment ?? ""
    duration = members["duration"]?.number.flatMap { (0..<1e12).contains($0) ? $0 : nil }
    rowCount = members["recordCount"]?.number.flatMap { Int(exactly: $0) }
    problem = members["error"]?.text ?? ""
    change = members["changeDescription"]?.text ?? ""
    system = members["iosVersion"]?.text ?? ""
    device = members["deviceModel"]?.text ?? ""
  }
}

/// The attempts that an app wrote down.
struct AppRunList {
  /// How many are read: an app keeps 10 or 50.
  static let maximumCount = 1000
  /// How many bytes of JSON are read.
  static let largestJSON = 1 << 20
  /// How many members a record may have, and how many bytes a text: those that are larger are none of
  /// an app's.
  private static let mostMembers = 64
  private static let longestText = 1 << 14

  /// Those that make sense, in the order in which they began if all say when, else as they are listed.
  private(set) var runs: [AppRun] = []
  /// How many others there are.
  private(set) var unreadableCount = 0
  /// How many were left out because there are too many.
  private(set) var leftOutCount = 0

  /// Reads a list of dictionaries, or JSON; nil if the value is neither.
  init?(_ value: PropertyListValue) {
    if let elements = value.elements {
      leftOutCount = max(0, elements.count - Self.maximumCount)
      for element in elements.suffix(Self.maximumCount) { add(Self.members(of: element)) }
    } else {
      guard let count = value.byteCount, count <= Self.largestJSON, let bytes = value.data else {
        return nil
      }
      var tape = JSONTape()
      // What is no JSON is told as unreadable, whatever is wrong with it.
      guard (try? tape.parse(bytes)) != nil, tape.kind(of: 0) == .array else { return nil }
      leftOutCount = max(0, tape.childCount(of: 0) - Self.maximumCount)
      var (element, skipped) = (1, leftOutCount)
      while element < tape.node(after: 0) {
        if skipped > 0 { skipped -= 1 } else { add(Self.members(of: element, tape)) }
        element = tape.node(after: element)
      }
    }
    if runs.allSatisfy({ !$0.moment.isEmpty }) {
      // As UTC text moments compare as they passed; those of one moment stay as they are listed.
      runs = runs.enumerated().sorted {
        ($0.element.moment, $0.offset) < ($1.element.moment, $1.offset)
      }.map(\.element)
    }
  }

  private mutating func add(_ members: [String: Member]?) {
    if let run = members.flatMap(AppRun.init) { runs.append(run) } else { unreadableCount += 1 }
  }

  private static func members(of record: PropertyListValue) -> [String: Member]? {
    guard let (keys, values) = record.members, keys.count <= mostMembers else { return nil }
    var members: [String: Member] = [:]
    for (key, value) in zip(keys, values) {
      guard (key.byteCount ?? 0) <= longestText, (value.byteCount ?? 0) <= longestText else {
        return nil
      }
      guard let name = key.text else { continue }
      members[name] =
        if let text = value.text {
          .text(text)
        } else if let seconds = value.secondsSince2001 {
          .date(seconds)
        } else if let number = value.real ?? value.integer.map({ Double($0) }) {
          .number(number)
        } else {
          value.boolean.map { .truth($0) }
        }
    }
    return members
  }

  private static func members(of record: Int, _ tape: JSONTape) -> [String: Member]? {
    guard tape.kind(of: record) == .object, tape.childCount(of: record) <= mostMembers else {
      return nil
    }
    var members: [String: Member] = [:]
    var name = record + 1
    while name < tape.node(after: record) {
      let value = name + 1
      guard tape.range(of: name).count <= longestText, tape.range(of: value).count <= longestText
      else { return nil }
      let text = String(decoding: tape.bytes(of: value), as: UTF8.self)
      let member: Member? =
        switch tape.kind(of: value) {
        case .string: .text(text)
        case .number: Double(text).map { .number($0) }
        case .true: .truth(true)
        case .false: .truth(false)
        case .null, .array, .object: nil
        }
      members[String(decoding: tape.bytes(of: name), as: UTF8.self)] = member
      name = tape.node(after: value)
    }
    return members
  }
}

/// What a member of a record is, in whichever form it was written.
private enum Member {
  case text(String)
  case number(Double)
  case truth(Bool)
  /// Seconds since 2001-01-01 UTC.
  case date(Double)

  var text: String? { if case .text(let text) = self { text } else { nil } }

  var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// The truth value, also of a number as old property lists have it.
  var truth: Bool? {
    switch self {
    case .truth(let value): value
    case .number(let number): number != 0
    case .text, .date: nil
    }
  }

  /// The moment as UTC text: JSON counts seconds since 2001, too. Nil if it is none that has a form.
  var moment: String? {
    switch self {
    case .date(let seconds), .number(let seconds):
      guard let whole = Int64(exactly: seconds.rounded(.down)) else { return nil }
      let (unix, isFar) = whole.addingReportingOverflow(978_307_200)
      guard !isFar, (0...253_402_300_799).contains(unix) else { return nil }
      return UTCText.long(FileTime(seconds: unix))
    case .text, .truth: return nil
    }
  }
}
