import Automerge
import Diagnostics
import FolderDocuments
import Folders
import Runs

/// Which of the values of a field stays.
package enum ValueChoice: Hashable, Sendable {
  /// The one that readers see.
  case this
  /// The one that they do not see.
  case other
  /// A value as somebody has typed it: a JSON scalar, or a bare string.
  case value(String)

  /// The choice as an option says it.
  var text: String {
    switch self {
    case .this: "--keep-this"
    case .other: "--keep-other"
    case .value: "VALUE"
    }
  }
}

/// The value that a field is to have.
enum ChosenValue {
  /// One of those that it has.
  case existing(DocumentValue)
  case scalar(DraftValue)
  case string([UInt8])
  case text([UInt8])

  /// Why none is chosen: what is wrong, and what to do.
  struct Refusal: Error {
    var problem: String
    var remedy: String
  }

  /// Chooses among the values of a place.
  init(
    _ choice: ValueChoice, at place: FieldPlace, in document: DocumentState
  ) throws(Refusal) {
    let values = place.values
    guard let seen = values.last else {
      throw Refusal(problem: "has no value", remedy: "run the command again")
    }
    switch choice {
    case .this: self = .existing(seen)
    case .other:
      guard let other = Self.onlyOther(values.dropLast(), in: document) else {
        let few = values.suffix(5).reversed().map { Self.told($0, in: document) }
        throw Refusal(
          problem: "has \(values.count.counted("value")): \(few.joined(separator: ", "))"
            + (values.count > few.count ? " and others" : ""),
          remedy: "give the one to keep as VALUE")
      }
      self = .existing(other)
    case .value(let text):
      let known = values.reversed()
      // A string may look like anything, so it is what nothing else fits.
      let candidates = known.compactMap { Self.read(text, like: $0, in: document) }
      guard let read = candidates.first(where: { !$0.isBare(text) }) ?? candidates.first else {
        let few = known.prefix(5).map { Self.told($0, in: document) }
        throw Refusal(
          problem: "has values of another type than the VALUE given: "
            + few.joined(separator: ", "),
          remedy: "give a VALUE of the same type as JSON, or --keep-this or --keep-other")
      }
      self = known.first { read.isEqual(to: $0, in: document) }.map(Self.existing) ?? read
    }
  }

  /// The only value that others beside the seen one have; several of them may be equal.
  private static func onlyOther(
    _ others: ArraySlice<DocumentValue>, in document: DocumentState
  ) -> DocumentValue? {
    guard let last = others.last else { return nil }
    // What cannot be written as JSON counts as different.
    guard others.count > 1 else { return last }
    guard let text = try? document.comparableJSON(of: last) else { return nil }
    // The same holds for each of the others.
    guard others.allSatisfy({ (try? document.comparableJSON(of: $0)) == text }) else { return nil }
    // Values in conflict inside one of them are no part of that. What has such itself is not copied.
    func isWhole(_ value: DocumentValue) -> Bool {
      CopyLoss.first(in: value, of: document, countsValues: true) == nil
    }
    return !isWhole(last) || others.allSatisfy(isWhole) ? last : nil
  }

  /// A value in few words.
  static func told(_ value: DocumentValue, in document: DocumentState) -> String {
    let text: String
    switch value.content {
    case .scalar(let place): text = StateText.scalar(place, of: document)
    case .object(.text): text = StateText.quoted(document.textBytes(of: value.id)[...])
    case .object(.map): text = "an object"
    case .object(.list): text = "a list"
    }
    return text.count > 60 ? text.prefix(59) + "…" : text
  }

  // MARK: Values as typed

  private static func read(
    _ text: String, like value: DocumentValue, in document: DocumentState
  ) -> ChosenValue? {
    var tape = JSONTape()
    // What is no JSON may still be a bare string.
    let isJSON = (try? tape.parse(text.utf8)) != nil
    let kind = isJSON ? tape.kind(of: 0) : nil
    let string = kind == .string ? tape.bytes(of: 0) : Array(text.utf8)
    guard case .scalar(let place) = value.content else {
      return value.content == .object(.text) ? .text(string) : nil
    }
    let number = kind == .number ? tape.number(at: 0) : nil
    switch (place.type, kind) {
    case (.string, _): return .string(string)
    case (.null, .null): return .scalar(.null)
    case (.boolTrue, .true), (.boolFalse, .true): return .scalar(.boolean(true))
    case (.boolTrue, .false), (.boolFalse, .false): return .scalar(.boolean(false))
    case (.timestamp, .string), (.timestamp, nil):
      return RFC3339(string.span).map { .scalar(.timestamp($0.milliseconds)) }
    case (.int, .number):
      if case .int(let value) = number { return .scalar(.int(value)) }
    case (.counter, .number):
      if case .int(let value) = number { return .scalar(.counter(value)) }
    case (.uint, .number):
      if case .int(let value) = number, value >= 0 { return .scalar(.uint(UInt64(value))) }
      if case .uint(let value) = number { return .scalar(.uint(value)) }
    case (.float64, .number):
      switch number {
      case .double(let value): return .scalar(.float(value))
      case .int(let value): return Double(exactly: value).map { .scalar(.float($0)) }
      case .uint(let value): return Double(exactly: value).map { .scalar(.float($0)) }
      default: break
      }
    default: break
    }
    return nil
  }

  /// Whether it is a string that was typed without quotes.
  private func isBare(_ text: String) -> Bool {
    switch self {
    case .string(let bytes), .text(let bytes): bytes == Array(text.utf8)
    default: false
    }
  }

  private func isEqual(to value: DocumentValue, in document: DocumentState) -> Bool {
    switch (self, value.content) {
    case (.string(let bytes), .scalar(let place)):
      return place.type == .string && document.bytes(place) == bytes
    case (.text(let bytes), .object(.text)): return document.textBytes(of: value.id) == bytes
    case (.scalar(let draft), .scalar(let place)): return document.draftValue(place) == draft
    default: return false
    }
  }
}
