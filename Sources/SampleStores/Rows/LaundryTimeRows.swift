import Folders
import SampleFolders

/// Pets and their laundry.
struct LaundryTimeRows: SampleRows {
  private let source: SampleSource
  private let counts: [String: Int]

  let entities = ["AppSettings", "Pet", "Statistics", "Achievement", "LaundryTask"]

  private static let names = ["Socks", "Mr. Bubbles", "Fluffy", "Søren", "泡泡", "Lady Lint"]
  private static let states = ["happy", "neutral", "sad", "verySad", "dead"]
  private static let stages = [
    "cycle", "washing", "washComplete", "drying", "dryComplete", "completed",
  ]

  init(_ plan: StorePlan) {
    source = SampleSource(plan: plan)
    var rest = plan.rowCount
    func take(_ count: Int) -> Int {
      let taken = min(count, rest)
      rest -= taken
      return taken
    }
    var counts = ["AppSettings": take(1)]
    let pets = take(min(10_000, 1 + plan.rowCount / 10))
    counts["Pet"] = pets
    let isLater = plan.version.number >= 3
    counts["Statistics"] = isLater ? take(pets) : 0
    counts["Achievement"] = isLater ? take(pets / 2) : 0
    counts["LaundryTask"] = rest
    self.counts = counts
  }

  func count(of entity: String) -> Int { counts[entity] ?? 0 }

  func row(_ index: Int, of entity: String) -> [String: SampleCell] {
    var random = source.random(index, of: entity)
    switch entity {
    case "AppSettings":
      return [
        "notificationsEnabled": .boolean(true), "soundEnabled": .boolean(false),
        "hapticsEnabled": .boolean(true),
        "appearanceMode": .text(source.plan.device == 2 ? "dark" : "system"),
      ]
    case "Pet": return pet(index, &random)
    case "Statistics":
      let total = random.number(below: 400)
      return [
        "petID": pet(of: index), "totalCycles": .number(total), "currentStreak": .number(total / 9),
        "longestStreak": .number(total / 3),
      ]
    case "Achievement":
      return [
        "id": source.uuid(index, of: entity).cell, "type": .text("first-load"),
        "unlockedDate": .real(source.moment(index, of: count(of: entity), &random)),
        "petID": pet(of: index),
      ]
    default: return task(index, &random)
    }
  }

  private func pet(of index: Int) -> SampleCell {
    source.uuid(index % max(1, count(of: "Pet")), of: "Pet").cell
  }

  private func pet(_ index: Int, _ random: inout SeededRandom) -> [String: SampleCell] {
    let created = source.moment(0, of: 40, &random)
    let total = random.number(below: 300)
    let health = random.number(below: 101)
    let name = Self.names[index % Self.names.count] + (index < Self.names.count ? "" : " \(index)")
    let told = source.set(1...4, &random).sorted()
    return [
      "id": source.uuid(index, of: "Pet").cell,
      "name": .text(source.isEdited(index) ? name + "!" : name), "createdDate": .real(created),
      "currentState": .text(Self.states[min(4, (100 - health) / 25)]),
      "lastLaundryDate": random.happens(80) ? .real(created + 864_000.75) : .null,
      "health": random.happens(90) ? .number(health) : .null,
      "lastHealthUpdate": random.happens(90) ? .real(created + 950_000) : .null,
      "sentHealthNotifications": random.happens(50)
        ? .blob(SamplePropertyList.array(told.map { .integer(Int64($0 * 25)) }).bytes) : .null,
      "totalCyclesCompleted": .number(total), "currentStreak": .number(total / 10),
      "longestStreak": .number(total / 4), "cycleFrequencyDays": .number(1 + index % 30),
      "washDurationMinutes": .number(45), "dryDurationMinutes": .number(60),
      "isActive": .boolean(random.happens(90)),
      "colorTheme": random.happens(50) ? .text("mint") : .null,
      "characterType": random.happens(50) ? .text("sock") : .null,
      "lastSyncDate": .real(created + 1_000_000), "deviceID": .text("device-\(source.plan.device)"),
    ]
  }

  private func task(_ index: Int, _ random: inout SeededRandom) -> [String: SampleCell] {
    let start = source.moment(index, of: count(of: "LaundryTask"), &random)
    let stage = index % 4 == 3 ? random.number(below: 6) : 5
    func when(_ stageNeeded: Int, _ minutes: Double) -> SampleCell {
      stage >= stageNeeded ? .real(start + minutes * 60) : .null
    }
    let extra = random.happens(20)
    return [
      "id": source.uuid(index, of: "LaundryTask").cell, "petID": pet(of: index),
      "startDate": .real(start), "currentStage": .text(Self.stages[stage]),
      "isCompleted": .boolean(stage == 5), "washStartTime": when(1, 0),
      "washEndTime": when(2, 45), "dryStartTime": when(3, 50), "dryEndTime": when(4, 110),
      "foldCompletedTime": when(5, source.isEdited(index) ? 130 : 120),
      "washDurationMinutes": .number(45), "dryDurationMinutes": .number(60),
      "additionalDryMinutes": extra ? .number(15) : .null, "lastSyncDate": .real(start + 9000),
    ]
  }
}
