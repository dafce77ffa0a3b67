/// Where an app keeps a value: a name in a place.
public struct StorageKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The place: a folder of files, the preferences, a keychain, as the storage calls it.
  public let domain: String
  /// The name there.
  public let name: String

  /// Creates a key.
  public init(_ domain: String, _ name: String) {
    self.domain = domain
    self.name = name
  }

  /// The place and the name, as errors and results say them.
  public var description: String { "\(domain):\(name)" }

  /// Whether what is here is at another place, or a part of that, as `a.json#/b` is of `a.json`.
  package func isPart(of other: StorageKey) -> Bool { self == other || whole == other }

  /// What this is a part of; nil if it is none.
  var whole: StorageKey? {
    name.firstRange(of: "#/").map { StorageKey(domain, String(name[..<$0.lowerBound])) }
  }

  public static func < (left: StorageKey, right: StorageKey) -> Bool {
    (left.domain, left.name) < (right.domain, right.name)
  }
}

/// What names a step, for good: a step that does something else gets another one.
public struct MigrationID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// The name.
  public let rawValue: String

  /// Creates a name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Creates a name.
  public init(stringLiteral value: String) { rawValue = value }

  /// The name.
  public var description: String { rawValue }
}

/// What a step takes its value from.
public struct MigrationSource: Hashable, Sendable {
  /// Where it is.
  public let key: StorageKey
  /// Who wrote it: the app, an older one, a library.
  public let owner: String
  /// What it is.
  public let description: String

  /// Creates a source.
  public init(_ key: StorageKey, owner: String = "", description: String = "") {
    self.key = key
    self.owner = owner
    self.description = description
  }
}

/// What a step does to data that an older version of the app still reads.
public enum MigrationRisk: String, Hashable, Sendable, CaseIterable {
  /// Something new beside what is there.
  case additive
  /// What is there in another form, from which it can be had back.
  case transformative
  /// Something is gone afterwards but for the copy that is kept aside.
  case destructive
}
