import Folders
import SafeFiles

/// Makes up the data folder of somebody who has tracked time for a while.
///
/// Every state a healthy folder can be in occurs: records with and without each optional member,
/// `null`, empty comments, running timers, text in composed and decomposed form, dates with
/// fractions and offsets, two records in one second, records whose month in UTC is another one,
/// images beside the records and under `images`, members of a newer app, and files of others.
/// Nothing in it is an error, so it migrates without findings of that severity.
package struct SampleFolder: SampleFiles {
  /// The user lives an hour east of UTC: file names and months are in that time.
  private static let zone: Int64 = 3_600_000

  private let plan: SamplePlan

  /// Creates the folder of a plan whose `problem` is `nil`.
  package init(_ plan: SamplePlan) { self.plan = plan }

  /// Calls `body` with each file, directory by directory.
  package func forEachFile<Failure>(
    _ body: (SampleFile) throws(Failure) -> Void
  ) throws(Failure) {
    var random = SeededRandom(seed: plan.seed)
    let tags = (0..<plan.tagCount).map { SampleTag(number: $0, identity: identity(&random)) }
    try body(file("tags.json", tagsFile(tags)))
    try body(file(".DS_Store", SampleText.finderState))
    try body(file("notes.txt", Array(SampleText.notes.utf8)))
    var number = 0
    var month = Month(year: plan.firstYear, month: 1)
    for index in 0..<plan.monthCount {
      guard let current = month else { return }
      let last = plan.recordCount * (index + 1) / plan.monthCount
      try records(number..<last, in: current, tags, &random, body)
      number = last
      month = current.next
    }
  }

  // MARK: Records

  private func records<Failure>(
    _ numbers: Range<Int>, in month: Month, _ tags: [SampleTag], _ random: inout SeededRandom,
    _ body: (SampleFile) throws(Failure) -> Void
  ) throws(Failure) {
    guard !numbers.isEmpty else { return }
    let begin = start(of: month)
    let length = ((month.next.map(start(of:)) ?? begin) - begin) / 1000
    let slot = max(1, Int(length) / numbers.count)
    var previous: [UInt8] = []
    var images: [SampleFile] = []
    for number in numbers {
      let position = number - numbers.lowerBound
      // The first record of a month begins after local midnight, which is another month in UTC.
      let second =
        position * slot + (position == 0 ? min(900, slot - 1) : random.number(below: slot))
      let local = begin + Int64(second) * 1000
      var record = record(number, start: local - Self.zone, tags, &random)
      var stem = RFC3339(milliseconds: local).utcName ?? []
      if position == 1, month.month == 5 {
        // Two timers that were started in one second; the second name needs something more.
        record.start = begin + Int64(min(900, slot - 1)) * 1000 - Self.zone
        stem = previous + Array("_2".utf8)
      }
      previous = stem
      addImages(to: &record, number, month, &images)
      let directory = "records/\(month.yearName)/\(month.monthName)/"
      let path = Array(directory.utf8) + stem + Array(".json".utf8)
      try body(file(path, record.file(), record.start))
    }
    for image in images { try body(image) }
  }

  private func record(
    _ number: Int, start: Int64, _ tags: [SampleTag], _ random: inout SeededRandom
  ) -> SampleRecord {
    let identity = identity(&random)
    let minutes = Int64(5 + random.number(below: 236))
    let isRunning = number == plan.recordCount - 1 || number == plan.recordCount - 3
    var record = SampleRecord(
      identity: identity, start: start,
      end: isRunning
        ? (number == plan.recordCount - 1 ? .absent : .null) : .value(start + minutes * 60_000),
      tag: tags.isEmpty || random.happens(10) ? .absent : .value(random.pick(tags).identity),
      comment: .absent, images: .value([]))
    if random.happens(3) { record.tag = .null }
    switch random.number(below: 100) {
    case ..<60: record.comment = .value(random.pick(SampleText.comments))
    case ..<66: record.comment = .value("")
    case ..<70: record.comment = .null
    default: break
    }
    if random.happens(20) { record.images = random.happens(25) ? .null : .absent }
    switch random.number(below: 100) {
    case ..<6: record.dateForm = .fraction(Int64(1 + random.number(below: 999)))
    case ..<10: record.dateForm = .offset
    default: break
    }
    record.hasUnknownMembers = number % 97 == 13
    record.isEdited = number % 149 == 7
    return record
  }

  private func addImages(
    to record: inout SampleRecord, _ number: Int, _ month: Month, _ files: inout [SampleFile]
  ) {
    guard plan.imageInterval > 0, number % plan.imageInterval == plan.imageInterval - 1 else {
      return
    }
    let place = "\(month.yearName)/\(month.monthName)/"
    let directory = number / plan.imageInterval % 5 == 4 ? "images/" : "records/"
    var names: [String] = []
    for index in 0...number / plan.imageInterval % 3 {
      let isPNG = index == 1
      let name = "\(record.identity)_\(index).\(isPNG ? "png" : "jpg")"
      let bytes = isPNG ? SampleImage.png : SampleImage.jpeg(comment: name)
      files.append(file(Array((directory + place + name).utf8), bytes, record.start))
      names.append(name)
    }
    record.images = .value(names)
  }

  // MARK: Pieces

  private func start(of month: Month) -> Int64 {
    RFC3339("\(month)-01T00:00:00Z")?.milliseconds ?? 0
  }

  private func identity(_ random: inout SeededRandom) -> Identity {
    Identity(randomOfVersion4: &random)
  }

  private func tagsFile(_ tags: [SampleTag]) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.name("tags")
    json.beginArray()
    for tag in tags { tag.write(to: &json) }
    json.endArray()
    json.endObject()
    return json.bytes
  }

  private func file(_ path: String, _ bytes: [UInt8]) -> SampleFile {
    let created = RFC3339("\(plan.firstYear)-01-01T00:00:00Z")?.milliseconds ?? 0
    return file(Array(path.utf8), bytes, created)
  }

  private func file(_ path: [UInt8], _ bytes: [UInt8], _ milliseconds: Int64) -> SampleFile {
    guard let path = RelativePath(path) else { preconditionFailure("a path made of checked parts") }
    return SampleFile(
      path: path, bytes: bytes,
      modified: FileTime(seconds: milliseconds / 1000))
  }
}

/// What a sample folder is to hold. Equal plans give equal bytes.
package struct SamplePlan: Hashable, Sendable {
  /// How many time records.
  package var recordCount = 300
  /// How many tags.
  package var tagCount = 12
  /// Over how many months the records are spread evenly.
  package var monthCount = 24
  /// The year whose January is the first month.
  package var firstYear = 2023
  /// Every how many records one has images; 0 means none has.
  package var imageInterval = 12
  /// What all that is random depends on.
  package var seed: UInt64 = 1

  /// Creates the plan of the folder under `fixtures/sample-folder`.
  package init() {}

  /// What makes the plan impossible, if something does.
  package var problem: String? {
    // Bounds before sums: any number can be asked for.
    if recordCount < 0 || tagCount < 0 || imageInterval < 0 { return "counts must not be negative" }
    if monthCount < 1 { return "the records need at least one month" }
    let years = 1971...9998
    if !years.contains(firstYear) || (monthCount - 1) / 12 >= years.upperBound - firstYear {
      return "the months must lie between 1971 and 9998"
    }
    if recordCount / monthCount > 1_000_000 { return "at most a million records fit into a month" }
    if tagCount > 1_000_000 { return "at most a million tags are made" }
    return nil
  }
}
