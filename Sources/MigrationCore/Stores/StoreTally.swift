import Diagnostics
import Folders

/// What is worth telling about the rows of a store: once for all rows that it is true of.
struct StoreTally: Sendable {
  /// What was found in a value.
  enum Fact: Int, Hashable, Comparable {
    case rowIdentity
    case noIdentity
    case severalOfOne
    case noText
    case requiredMissing
    case otherStorage
    case invalidText
    case tooLong
    case notDecoded
    case emptyBlob
    case missingFile
    case danglingReference
    case otherEntity
    case distantDate
    case precisionReduced

    static func < (left: Fact, right: Fact) -> Bool { left.rawValue < right.rawValue }
  }

  private struct Key: Hashable {
    var fact: Fact
    var entity: String
    /// Empty where it is about no property.
    var property: String
  }

  private var counts: [Key: (count: Int, example: String)] = [:]
  private let path: String

  init(path: String) { self.path = path }

  /// Notes a fact about a value, or several, with the first as an example.
  mutating func note(
    _ fact: Fact, of entity: String, _ property: String = "",
    _ example: @autoclosure () -> String = "", count: Int = 1
  ) {
    let key = Key(fact: fact, entity: entity, property: property)
    if let known = counts[key] {
      counts[key] = (known.count + count, known.example)
    } else {
      counts[key] = (count, example())
    }
  }

  /// Adds what was noted of rows behind these.
  mutating func add(_ other: StoreTally) {
    counts.merge(other.counts) { ($0.count + $1.count, $0.example) }
  }

  /// One finding for each fact, entity and property.
  var findings: [Finding] {
    counts.sorted { left, right in
      let (one, other) = (left.key, right.key)
      if one.entity != other.entity { return one.entity < other.entity }
      return one.property == other.property
        ? one.fact < other.fact : one.property < other.property
    }.map { key, found in finding(key, found.count, found.example) }
  }

  private func finding(_ key: Key, _ count: Int, _ example: String) -> Finding {
    let place = key.property.isEmpty ? key.entity : "\(key.entity).\(key.property)"
    let values = count.counted("value")
    func told(
      _ code: Finding.Code, _ severity: Severity, _ message: String, _ next: String? = nil
    ) -> Finding {
      Finding(code, severity, path: path, message: message, next: next)
    }
    let seen = example.isEmpty ? "" : ", such as \(example)"
    let lacking =
      key.property.isEmpty ? "" : ", which \(count == 1 ? "has" : "have") no \(key.property),"
    return switch key.fact {
    case .rowIdentity:
      told(
        .rowIdentity, .warning,
        "nothing but their rows tells the \(count.counted("row")) of \(key.entity)\(lacking) apart: "
          + "another device's are others")
    case .noIdentity:
      told(
        .rowIdentity, .error,
        "nothing but their rows tells the \(count.counted("row")) of \(key.entity)\(lacking) apart, and the "
          + "store has no identifier: rows of another such store would be the same, so they are not imported",
        "bring the metadata of the store back with an older copy of it, or name a property that "
          + "identifies the rows with --profile FILE")
    case .severalOfOne:
      told(
        .unexpectedValue, .warning,
        "there are \(count.counted("row")) of \(key.entity), and the app expects one: each is kept, and "
          + "which of them the app takes nobody knows",
        "decide in the app which is right")
    case .noText:
      told(
        .invalidValue, .error,
        "\(values) of \(place), by which rows are known, \(count == 1 ? "is" : "are") no such text\(seen): "
          + "lines have \(count == 1 ? "it" : "them") among their fields, and no import takes these rows",
        "look at the same rows on another device")
    case .requiredMissing:
      told(
        .requiredMissing, .warning,
        "\(count.counted("row")) of \(key.entity) \(count == 1 ? "has" : "have") no "
          + "\(key.property), which the model says is always there")
    case .otherStorage:
      told(
        .otherStorage, .warning,
        "\(values) of \(place) \(count == 1 ? "is" : "are") kept as something else than declared\(seen)"
      )
    case .invalidText:
      told(.otherStorage, .warning, "\(values) of \(place) are no valid text, and carried as bytes")
    case .tooLong:
      told(
        .otherStorage, .warning, "\(values) of \(place) are carried in files: too long for a text")
    case .notDecoded:
      told(
        .otherStorage, .warning,
        "\(values) of \(place) \(count == 1 ? "is" : "are") neither JSON nor a property list of "
          + "values, and carried as bytes")
    case .emptyBlob:
      told(
        .emptyBlob, .warning,
        "\(values) of \(place) \(count == 1 ? "is" : "are") empty, and something was expected there: "
          + "the app could not write it", "look at the same entity on another device")
    case .missingFile:
      told(
        .missingFile, .error, "the files of \(values) of \(place) are not beside the store\(seen)",
        "fetch the store's folder again, with what is hidden in it")
    case .danglingReference:
      told(
        .danglingReference, .warning,
        "\(values) of \(place) \(count == 1 ? "leads" : "lead") to no row, or to one without an "
          + "identity\(seen): carried as they are")
    case .otherEntity:
      told(
        .unexpectedValue, .warning,
        "\(values) of \(place) \(count == 1 ? "leads" : "lead") to a row of another entity than is said "
          + "beside \(count == 1 ? "it" : "them")\(seen): the row that is there counts")
    case .distantDate:
      told(
        .unexpectedValue, .warning,
        "\(values) of \(place) \(count == 1 ? "is" : "are") before 1900 or after 2200\(seen)")
    case .precisionReduced:
      told(
        .precisionReduced, .info,
        "\(count.counted("date")) of \(key.entity) \(count == 1 ? "is" : "are") rounded to "
          + "milliseconds")
    }
  }
}
