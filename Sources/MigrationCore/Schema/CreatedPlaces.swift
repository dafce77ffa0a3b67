import Folders
import SafeFiles
import SchemaMigrations

/// Where entities belong that steps make: no file or row holds them yet.
struct CreatedPlaces {
  private let kinds: EntityKinds
  private var places: [EntityKind: DerivedPlaces] = [:]
  /// Paths that are taken, as file systems that ignore case compare them.
  private var taken: Set<String>

  /// - Parameter paths: those of files that are there.
  init(_ kinds: EntityKinds, besides paths: some Sequence<RelativePath> = []) {
    self.kinds = kinds
    taken = Set(paths.map(Self.folded))
  }

  /// Returns the place of an entity; nil if no file of its kind could be it.
  mutating func place(of entity: ChangingEntity) -> EntityPlace? {
    if kinds.hasLayouts {
      return kinds.hasMonths(entity.kind) ? datedPlace(of: entity) : .common
    }
    guard let places = places[entity.kind] ?? DerivedPlaces(entity.kind, of: kinds) else {
      return nil
    }
    self.places[entity.kind] = places
    let identity = kinds.bytes(of: entity.identity, entity.kind)
    let month = entity.month(of: kinds) ?? places.month(of: identity)
    let place = places.place(of: identity, month: month) { [taken] in
      taken.contains(Self.folded($0))
    }
    guard let place else { return nil }
    if place.isMadeUp { taken.insert(Self.folded(place.path)) }
    return .file(kinds.place(of: entity.kind, in: place.path, identity: identity, element: nil))
  }

  /// The app calls a file by the moment of what is in it.
  private mutating func datedPlace(of entity: ChangingEntity) -> EntityPlace? {
    guard let moment = entity.moment(of: kinds), let name = moment.utcName else { return nil }
    let month = Month(milliseconds: moment.milliseconds)
    let place = EntityPlace.dated(month, name: name)
    if taken.insert(Self.folded(place.legacyPath)).inserted { return place }
    let longer = name + [UInt8(ascii: "_")] + entity.identity.canonicalBytes.prefix(8)
    return .dated(month, name: longer)
  }

  private static func folded(_ path: RelativePath) -> String {
    String(decoding: path.bytes, as: UTF8.self).lowercased()
  }
}

extension ChangingEntity {
  /// The month that the entity's own date says.
  func month(of kinds: EntityKinds) -> Month? {
    moment(of: kinds).map { Month(milliseconds: $0.milliseconds) }
  }

  fileprivate func moment(of kinds: EntityKinds) -> RFC3339? {
    kinds.dateOfNewFiles(of: kind).flatMap { fields.text($0.bytes, of: tape) }
      .flatMap { RFC3339($0) }
  }
}
