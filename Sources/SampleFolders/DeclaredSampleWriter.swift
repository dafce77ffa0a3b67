import Folders
import SafeFiles

/// Writes the files of the kinds of a profile.
struct DeclaredSampleWriter {
  let plan: SamplePlan
  let profile: Profile
  let kinds: [SampleKind]
  var json = JSONWriter()
  var random = SeededRandom(seed: 0)
  /// The files that the entities written so far name.
  var attached: [(path: RelativePath, bytes: [UInt8])] = []

  init(_ plan: SamplePlan, _ profile: Profile, _ kinds: [SampleKind]) {
    self.plan = plan
    self.profile = profile
    self.kinds = kinds
  }

  /// Returns the bytes of a file with some entities of a kind.
  mutating func file(of entities: Range<Int>, _ kind: SampleKind) -> [UInt8] {
    // Some editor put a byte order mark in front and a line feed behind.
    let isEdited = !kind.isShared && entities.lowerBound % 149 == 7
    if isEdited { json.bytes = [0xef, 0xbb, 0xbf] }
    write(entities, kind, at: [])
    if isEdited { json.bytes.append(UInt8(ascii: "\n")) }
    return json.bytes
  }

  /// Writes what is at a place of the file: the entities, what stays, or the way to them.
  private mutating func write(_ entities: Range<Int>, _ kind: SampleKind, at place: [[UInt8]]) {
    let pointer = kind.home.content.pointer ?? JSONPointer()
    let stays = kind.home.stays
    if pointer.tokens == place { return write(entities, kind) }
    if stays.contains(where: { $0.tokens == place }) { return json.number(1) }
    var names: [[UInt8]] = []
    for tokens in (stays + [pointer]).map(\.tokens)
    where tokens.starts(with: place) && !names.contains(tokens[place.count]) {
      names.append(tokens[place.count])
    }
    json.beginObject()
    for name in names {
      json.name(name.span)
      write(entities, kind, at: place + [name])
    }
    json.endObject()
  }

  private mutating func write(_ entities: Range<Int>, _ kind: SampleKind) {
    switch kind.home.content {
    case .entity, .value: for entity in entities { write(entity, kind) }
    case .elements:
      json.beginArray()
      for entity in entities { write(entity, kind) }
      json.endArray()
    case .members(let pointer):
      json.beginObject()
      for stay in kind.home.stays where pointer.contains(stay) {
        let name = stay.tokens.last ?? []
        json.name(name.span)
        json.number(1)
      }
      for entity in entities {
        let identity = kind.identity(of: entity)
        json.name(identity.span)
        write(entity, kind)
      }
      json.endObject()
    }
  }

  // MARK: Entities

  private mutating func write(_ entity: Int, _ kind: SampleKind) {
    random = kind.random(entity, for: 3)
    let dates = SampleDates(of: kind, entity, &random)
    let missing = missingValues(of: kind, entity)
    let names = attach(to: entity, kind, unless: missing)
    json.beginObject()
    if let name = kind.profile.identity.property {
      json.name(name.bytes.span)
      let identity = kind.identity(of: entity)
      json.string(identity.span)
    }
    for property in kind.profile.properties where missing[property.name] != .absent {
      json.name(property.name.bytes.span)
      if missing[property.name] == .null {
        json.null()
      } else if let names = names[property.name] {
        write(names: names, as: property.type)
      } else {
        write(property, of: kind, dates)
      }
    }
    if entity % 97 == 13 { writeUndeclaredMembers(of: kind.profile) }
    json.endObject()
  }

  /// How a value is missing.
  private enum Missing {
    case absent
    case null
  }

  /// Returns the properties that have no value in an entity.
  private mutating func missingValues(
    of kind: SampleKind, _ entity: Int
  ) -> [PropertyName: Missing] {
    var missing: [PropertyName: Missing] = [:]
    for property in kind.profile.properties where !property.isAlwaysThere {
      let leadsNowhere = property.type.target?.kind.map { target(named: $0)?.count ?? 0 == 0 }
      let namesNothing =
        property.type == .string && !hasFiles(entity)
        && kind.profile.attachments.contains { $0.property == property.name }
      // What only some versions of the app write is often not there.
      let isOld = property.since > 1 || property.until != nil
      if random.happens(isOld ? 50 : 15) || leadsNowhere ?? false || namesNothing {
        missing[property.name] = .absent
      } else if random.happens(4) {
        missing[property.name] = .null
      }
    }
    return missing
  }

  private mutating func writeUndeclaredMembers(of kind: EntityKindProfile) {
    for name in ["x-revision", "x-device"] as [PropertyName]
    where kind.properties[name] == nil && kind.identity.property != name {
      json.name(name.bytes.span)
      if name == "x-revision" {
        json.number(UInt64.max - UInt64(random.number(below: 1000)))
        continue
      }
      json.beginObject()
      json.name("name")
      json.string("Zoë's iPhone")
      json.name("os")
      json.beginArray()
      json.number(18)
      json.number(2.5)
      json.endArray()
      json.name("carrier")
      json.null()
      json.endObject()
    }
  }

  func target(named name: String) -> SampleKind? { kinds.first { $0.profile.name == name } }

  // MARK: Attached files

  private func hasFiles(_ entity: Int) -> Bool {
    plan.imageInterval > 0 && entity % plan.imageInterval == plan.imageInterval - 1
  }

  /// Makes the files of one entity; returns their names for each property that has some.
  private mutating func attach(
    to entity: Int, _ kind: SampleKind, unless missing: [PropertyName: Missing]
  ) -> [PropertyName: [String]] {
    var names: [PropertyName: [String]] = [:]
    for (number, attachment) in kind.profile.attachments.enumerated() {
      guard let property = kind.profile.properties[attachment.property],
        missing[attachment.property] == nil
      else { continue }
      if property.type == .list || !property.isAlwaysThere { names[attachment.property] = [] }
      guard hasFiles(entity) else { continue }
      let directories = attachment.directories.compactMap {
        $0.path(in: month(of: entity, kind, unless: missing))
      }
      guard !directories.isEmpty else { continue }
      let directory = directories[entity % directories.count]
      let count = property.type == .string ? 1 : 1 + random.number(below: 3)
      for index in 0..<count {
        let stem = "\(kind.profile.name)-\(entity + 1)-\(number)\(index)"
        let isPNG = index == 1
        let name = stem + (isPNG ? ".png" : ".jpg")
        guard let path = RelativePath(name).map({ directory.appending($0) }), isFree(path) else {
          continue
        }
        attached.append((path, isPNG ? SampleImage.png : SampleImage.jpeg(comment: name)))
        names[attachment.property, default: []].append(name)
      }
    }
    return names
  }

  /// The month of the document, as far as the entity or its path says one.
  private func month(
    of entity: Int, _ kind: SampleKind, unless missing: [PropertyName: Missing]
  ) -> Month? {
    switch kind.home.document {
    case .one: nil
    case .monthly(_, of: .path, _): kind.pathMonth(of: entity)
    case .monthly(_, of: .date(let name), _): missing[name] == nil ? kind.month(of: entity) : nil
    }
  }

  /// Whether no kind would take a file for its own.
  private func isFree(_ path: RelativePath) -> Bool {
    kinds.allSatisfy { $0.home.match(path.bytes.span) == nil }
  }

  private mutating func write(names: [String], as type: PropertyType) {
    if type == .string {
      guard let name = names.first else { return json.null() }
      return json.string(name)
    }
    json.beginArray()
    for name in names { json.string(name) }
    json.endArray()
  }
}

/// When the dates of one entity are: in the order that the checks of its kind expect, that of the month
/// in it.
struct SampleDates {
  private var moments: [PropertyName: Int64] = [:]

  init(of kind: SampleKind, _ entity: Int, _ random: inout SeededRandom) {
    let day: Int64 = 86_400_000
    let start = kind.month(of: entity).start
    let base = start + Int64(random.number(below: 28 * 86_400)) * 1000
    var ranks: [PropertyName: Int64] = [:]
    // An order of n dates is known after n rounds at most; one that goes round has none.
    for _ in kind.profile.checks {
      for case .order(let earlier, notAfter: let later) in kind.profile.checks {
        let least = ranks[earlier, default: 0] + 1
        if least <= kind.profile.checks.count {
          ranks[later] = max(ranks[later, default: 0], least)
        }
      }
    }
    var middle: Int64 = 0
    if case .monthly(_, of: .date(let name), _) = kind.home.document {
      middle = ranks[name, default: 0]
    }
    for property in kind.profile.properties where property.type == .date {
      moments[property.name] = base + (ranks[property.name, default: 0] - middle) * day
    }
  }

  /// Returns when a date is, in milliseconds since 1970.
  subscript(name: PropertyName) -> Int64 { moments[name] ?? 0 }
}
