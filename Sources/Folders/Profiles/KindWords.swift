package import Diagnostics

/// What messages call things of an app.
package struct KindWords: Sendable {
  /// A noun.
  package struct Noun: Sendable {
    /// One of them.
    package let one: String
    /// More than one.
    package let many: String
    /// One of them, which was not named yet.
    package let indefinite: String

    fileprivate init(_ article: String, _ one: String, _ many: String) {
      self.one = one
      self.many = many
      indefinite = "\(article) \(one)"
    }

    /// Returns a number of them.
    package func counted(_ count: Int) -> String { count.counted(one, many) }
  }

  /// An entity that may name files beside the data, and may have a month.
  package let entity: Noun
  /// A file beside the data.
  package let file: Noun
  /// What is named by one entity and by several, behind their number.
  package let refers: (one: String, many: String)
  /// What tells that something is named that is nowhere.
  package let danglingCode: FindingCode
  /// Who does not know a field that is unknown.
  package let knower: String
  /// What makes a file one that nobody takes for a copy.
  package let nameOfItsOwn: String

  static let minuta = KindWords(
    entity: Noun("a", "record", "records"), file: Noun("an", "image", "images"),
    refers: ("record names it", "records name it"), danglingCode: .danglingTag,
    knower: "this version",
    nameOfItsOwn: "give it a name of its own that ends with .json: so nobody reads it")

  static let declared = KindWords(
    entity: Noun("an", "entity", "entities"), file: Noun("a", "file", "files"),
    refers: ("entity refers to it", "entities refer to it"), danglingCode: .danglingReference,
    knower: "the profile",
    nameOfItsOwn: "give it a name that the profile has for its kind: so nobody reads it")
}

extension EntityKinds {
  /// Whether reports of kinds of some names are older than profiles, and still what programs read: they
  /// have a member for each kind beside `kinds`, called like several of its entities.
  package static func haveOlderReports(_ names: [String]) -> Bool { names == minuta.names }

  /// What messages call things of the app.
  package var words: KindWords { mapping == .frozen ? .minuta : .declared }

  /// Returns what a kind is called in reports of files and documents; empty where these tell it.
  package func reportedName(of kind: EntityKind) -> String {
    mapping == .frozen || kind == .other ? "" : name(of: kind)
  }
}
