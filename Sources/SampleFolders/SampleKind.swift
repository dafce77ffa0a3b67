import Folders
import SafeFiles

/// The months over which a sample folder is spread.
struct SampleMonths {
  let first: Month
  let count: Int

  /// Returns one of the months; the last one for any number behind it.
  subscript(number: Int) -> Month {
    let months = first.year * 12 + first.month - 1 + min(max(number, 0), count - 1)
    return Month(year: months / 12, month: months % 12 + 1) ?? first
  }
}

/// One kind of a profile in a sample folder: which files its entities are in, and what they are called.
///
/// All of that is a function of their numbers, so that others can refer to an entity that is made later.
struct SampleKind {
  /// How much room the patterns give.
  private enum Room {
    /// A file for each pattern.
    case fixed
    /// A file for each pattern and month.
    case monthly
    /// Any number of files.
    case free
  }

  let profile: EntityKindProfile
  let home: EntityHome
  /// The number of the kind in its profile.
  let number: Int
  /// How many entities there are.
  var count = 0
  /// How many entities go into one file.
  var largestFile = 1
  private let plan: SamplePlan
  private let months: SampleMonths
  private let room: Room
  private let patterns: [PathPattern]

  /// The elements of a list or map that is one of many.
  private static let elementsOfFile = 100

  init?(_ profile: EntityKindProfile, number: Int, _ plan: SamplePlan) {
    guard let home = profile.home, home.rows == nil,
      let first = Month(year: plan.firstYear, month: 1)
    else {
      return nil
    }
    self.profile = profile
    self.home = home
    self.number = number
    self.plan = plan
    months = SampleMonths(first: first, count: plan.monthCount)
    // The patterns with the most room have room for all.
    let free = home.paths.filter(\.hasWildcard)
    let monthly = home.paths.filter(\.hasMonth)
    (room, patterns) =
      free.isEmpty ? monthly.isEmpty ? (.fixed, home.paths) : (.monthly, monthly) : (.free, free)
  }

  /// Whether a file holds a list or map of entities.
  var isShared: Bool {
    switch home.content {
    case .entity, .value: false
    case .elements, .members: true
    }
  }

  /// The most entities that there is room for.
  var capacity: Int {
    if profile.identity == .singleton { return 1 }
    switch room {
    case .fixed: return patterns.count * largestFile
    case .monthly: return patterns.count * months.count * largestFile
    case .free: return .max
    }
  }

  /// How many entities it gets beside those of other kinds.
  var weight: Int {
    if case .fixed = room { return 1 }
    return 50
  }

  // MARK: Files

  /// How many files there are.
  var fileCount: Int {
    switch room {
    case .fixed: return min(count, patterns.count)
    case .monthly: return min(count, patterns.count * months.count)
    case .free:
      let size = min(largestFile, Self.elementsOfFile)
      return isShared ? (count + size - 1) / size : count
    }
  }

  /// Returns the entities of a file.
  func entities(of file: Int) -> Range<Int> {
    count * file / fileCount..<count * (file + 1) / fileCount
  }

  /// Returns the file of an entity.
  func file(of entity: Int) -> Int { ((entity + 1) * fileCount - 1) / count }

  /// Returns the month of an entity: that of its file, if the file has one.
  func month(of entity: Int) -> Month {
    pathMonth(of: entity) ?? months[entity * months.count / max(1, count)]
  }

  /// Returns the month that the file of an entity says.
  func pathMonth(of entity: Int) -> Month? {
    let place = place(of: file(of: entity))
    return place.pattern.hasMonth ? place.month : nil
  }

  /// Returns the path of a file.
  func path(of file: Int) -> RelativePath {
    let (pattern, month) = place(of: file)
    var random = random(file, for: 1)
    let star = UInt8(ascii: "*")
    let parts = month.filling(pattern.text).split(separator: UInt8(ascii: "/"))
    let named = parts.lastIndex { $0.contains(star) }
    var names: [[UInt8]] = []
    for (index, part) in parts.enumerated() {
      let name = Array("\(random.pick(SampleText.places))-\(file + 1)".utf8)
      if Array(part) == [star, star] {
        let others = (0..<random.number(below: 3)).map { _ in random.pick(SampleText.places) }
        names += index == named ? [name] : others.map { Array($0.utf8) }
      } else if let last = part.lastIndex(of: star) {
        let word = index == named ? name : Array(random.pick(SampleText.places).utf8)
        names.append(part[..<last].filter { $0 != star } + word + part[(last + 1)...])
      } else {
        names.append(Array(part))
      }
    }
    guard let path = RelativePath(Array(names.joined(separator: [UInt8(ascii: "/")]))) else {
      preconditionFailure("a path made of the parts of a pattern")
    }
    return path
  }

  /// Files are spread evenly over what there is room for.
  private func place(of file: Int) -> (pattern: PathPattern, month: Month) {
    switch room {
    case .fixed: return (patterns[file], months[0])
    case .monthly:
      let slot = file * patterns.count * months.count / fileCount
      return (patterns[slot % patterns.count], months[slot / patterns.count])
    case .free: return (patterns[file % patterns.count], months[file * months.count / fileCount])
    }
  }

  // MARK: Identities

  /// Returns the text of an entity's identity.
  func identity(of entity: Int) -> [UInt8] {
    switch profile.identity {
    case .uuid:
      var random = random(entity, for: 2)
      return Identity(randomOfVersion4: &random).canonicalBytes
    case .string, .member:
      let names = SampleText.tags
      let name = names[entity % names.count]
      return Array(
        (entity < names.count ? name : "\(name) \(entity / names.count + 1)").utf8)
    case .file: return path(of: file(of: entity)).identity
    // No kind of a folder has rows.
    case .row, .singleton: return IdentityRule.singletonBytes
    }
  }

  /// Returns what decides about one thing of an entity or a file.
  func random(_ item: Int, for purpose: UInt64) -> SeededRandom {
    var random = SeededRandom(seed: plan.seed ^ (UInt64(number) << 40 | purpose << 56))
    return SeededRandom(seed: random.bits() &+ UInt64(item) &* 0xd134_2543_de82_ef95)
  }
}

extension Identity {
  /// A random UUID of version 4.
  init(randomOfVersion4 random: inout SeededRandom) {
    self.init(
      high: random.bits() & ~0xf000 | 0x4000, low: random.bits() & (.max >> 2) | 1 << 63)
  }
}
