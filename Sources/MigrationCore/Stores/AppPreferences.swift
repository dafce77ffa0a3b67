import Diagnostics
import Folders
package import Runs
import SafeFiles
import SwiftDataStores

/// The preferences of an app: a property list, binary or XML, that is a dictionary.
struct AppPreferences {
  let root: PropertyListValue

  /// Reads a file; it is bounded as every property list is.
  static func read(_ path: String, context: RunContext) throws(MigrationError) -> AppPreferences {
    let (directory, name) = try FolderAccess.openParent(ofPath: path, context: context)
    let bytes = try MigrationError.wrapping { () throws(FileError) in
      try directory.contents(of: name, limit: PropertyList.maximumByteCount)
    }
    do throws(PropertyListError) {
      let root = try PropertyList(bytes).root
      guard root.members != nil else {
        throw PropertyListError(.unexpected("dictionary"), at: root.offset)
      }
      return AppPreferences(root: root)
    } catch {
      throw .underlying(
        Diagnostic(
          .damagedInput, subject: path, problem: "cannot be read as preferences: \(error.text)",
          remedy: "give the property list that the app keeps its preferences in"))
    }
  }
}

extension RunContext {
  /// Returns the context of a run that reads the preferences of an app with its store; throws unless a
  /// store is at the place, or a directory of stores.
  package func reading(
    preferences path: String?, besideStoreAt place: String
  ) throws(MigrationError) -> RunContext {
    guard let path else { return self }
    if try !StoreSource.isStore(place, context: self) {
      var holdsStores = false
      do throws(StoreError) {
        let found = try StoreFinder.find(at: place, operations: operations)
        holdsStores = !found.isFile && !(found.stores.isEmpty && found.others.isEmpty)
      } catch {
        if case .noStore = error { throw MigrationError(error) }
        // Whoever reads it as something else tells why it cannot be read.
      }
      guard holdsStores else {
        throw .notInProfile(
          option: "--preferences",
          reason: "\(place) is no store, and only with one goes this option")
      }
    }
    var context = self
    context.preferences = path
    return context
  }
}

/// The entities that an app keeps in its preferences, each under a key of its own, in the order of the
/// keys.
struct PreferenceEntities {
  /// One entity.
  struct Entry {
    let kind: EntityKind
    /// What the places of its lines begin with.
    let entity: String
    /// Its identity, as the key has it.
    let identity: [UInt8]
    /// What the app keeps.
    let value: PropertyListValue
  }

  /// Where the preferences are.
  let path: String
  /// The entities, without those that are no dictionaries.
  private(set) var entries: [Entry] = []
  /// What cannot be read.
  private(set) var findings: [Finding] = []

  /// How many bytes a key has at most, and a value: what is longer is none of an app's.
  private static let (longestKey, largestValue) = (256, 1 << 20)
  /// How many entities there are at most.
  private static let maximumCount = 10_000

  /// Finds the entities in preferences that are read.
  init(
    _ preferences: AppPreferences, at path: String, of kinds: EntityKinds
  ) throws(MigrationError) {
    self.path = path
    let wanted: [(kind: EntityKind, entity: String, start: String)] = kinds.all.compactMap { kind in
      kinds[kind]?.home?.rows.flatMap { rows in
        rows.preferenceKeys.map { (kind, rows.names.first ?? "", $0) }
      }
    }
    guard !wanted.isEmpty else {
      throw .notInProfile(
        option: "--preferences",
        reason: "the profile \(kinds.profileName) says of no entity that it is in preferences")
    }
    guard let (keys, values) = preferences.root.members else { return }
    var found: [(key: String, entry: Entry)] = []
    for index in keys.indices {
      // Many keys may be one string, so it is copied only if it is short.
      guard keys[index].byteCount ?? .max <= Self.longestKey, let key = keys[index].text,
        let (kind, entity, start) = wanted.first(where: { key.hasPrefix($0.start) })
      else { continue }
      let identity = Array(key.utf8.dropFirst(start.utf8.count))
      let value = values[index]
      let isReadable =
        value.members != nil || value.byteCount.map { $0 <= Self.largestValue } ?? false
      guard isReadable else {
        note(key, "holds neither JSON nor a dictionary, or more than an app keeps there")
        continue
      }
      guard found.count < Self.maximumCount else {
        throw .underlying(
          Diagnostic(
            .damagedInput, subject: path,
            problem:
              "holds more than \(Self.maximumCount.counted("entity", "entities")), which no app does",
            remedy: "give the preferences of the app"))
      }
      found.append((key, Entry(kind: kind, entity: entity, identity: identity, value: value)))
    }
    entries = found.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.entry)
  }

  private mutating func note(_ key: String, _ problem: String) {
    findings.append(
      Finding(
        .unreadable, .error, path: path,
        message: "\(DisplayText.escaping(key.utf8)) \(problem): it is left out",
        next: "look at it in the app: what it keeps there is not known here"))
  }

  // MARK: Lines

  /// How many bytes all lines may have together: as many as preferences may.
  private static let largestText = PropertyList.maximumByteCount

  /// Writes the line of an entity; false, and that is told, if it is no dictionary.
  mutating func write(
    _ entry: Entry, number: Int, of kinds: EntityKinds, _ nested: inout NestedJSON,
    to writer: inout InterchangeWriter
  ) throws(StoreError) -> Bool {
    guard let profile = kinds[entry.kind],
      let head = InterchangeWriter.RowHead(entry.kind, of: kinds, entity: entry.entity)
    else { return false }
    let meaning = Self.meaning(of: profile)
    // Many keys may name one value, so all of them together have the bounds of one.
    byteCount += entry.value.byteCount ?? 0
    try requireBounds()
    let json =
      entry.value.members != nil
      ? nested.decode(entry.value, meaning)
      : entry.value.json.flatMap { nested.decode($0, meaning, at: []) }
    valueCount += nested.count
    byteCount += json?.count ?? 0
    try requireBounds()
    guard let json, json.first == UInt8(ascii: "{") else {
      note(
        "\(profile.home?.rows?.preferenceKeys ?? "")\(String(decoding: entry.identity, as: UTF8.self))",
        "holds no JSON of a dictionary")
      return false
    }
    writer.beginRow(head, id: entry.identity.span, row: Int64(number))
    writer.json.value(written: json.span)
    // A date that is declared needs no word about its type.
    let declared = Set(profile.properties.filter { $0.type == .date }.map { pointer(to: $0.name) })
    writer.endEntity(types: nested.types.filter { !declared.contains($0.pointer) })
    return true
  }

  private var byteCount = 0
  private var valueCount = 0

  private func requireBounds() throws(StoreError) {
    guard byteCount <= Self.largestText, valueCount <= PropertyList.maximumCount else {
      throw .corrupt(path: path, problem: "what it holds is longer than preferences are")
    }
  }

  /// Numbers in the place of declared dates are seconds since 2001, as Swift writes them.
  static func meaning(of profile: EntityKindProfile) -> NestedMeaning {
    NestedMeaning(
      dates: profile.properties.filter { $0.type == .date }.map {
        JSONPointer(tokens: [$0.name.bytes])
      }, sets: [])
  }

  private func pointer(to name: PropertyName) -> [UInt8] {
    JSONPointer(tokens: [name.bytes]).text
  }
}

extension PropertyListValue {
  /// The bytes of data, or of a string, that may be JSON; nil for anything else.
  var json: [UInt8]? { data ?? text.map { Array($0.utf8) } }
}
