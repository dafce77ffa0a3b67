import Folders
import SampleFolders

/// Habits of somebody who has kept them for three years, as the app's own versions store them.
struct RitualistRows: SampleRows {
  let source: SampleSource
  private let counts: [String: Int]

  let entities = [
    "UserProfileModel", "OnboardingStateModel", "HabitCategoryModel", "PersonalityAnalysisModel",
    "HabitModel", "HabitLogModel",
  ]

  private static let zones = ["Europe/Berlin", "Europe/Rome", "America/New_York", "UTC"]
  private static let names = [
    "Morning run", "Read", "Meditate", "Water the plants 🌱", "Écrire", "体操", "No phone in bed",
    "Vitamin D", "Call mum", "Push-ups",
  ]
  private static let emojis = ["🏃", "📚", "🧘", "🌱", "💧", "👩‍👩‍👧", "🛏️"]
  private static let colors = ["#007AFF", "#FF9500", "#34C759", "#AF52DE", "#FF2D55"]
  private static let categories = [
    "health", "wellness", "productivity", "social", "learning", "home",
  ]
  private static let traits = [
    "openness", "conscientiousness", "extraversion", "agreeableness", "neuroticism",
  ]

  init(_ plan: StorePlan) {
    source = SampleSource(plan: plan)
    counts = Self.counts(of: plan.rowCount, plan.device)
  }

  /// Divides rows among the entities: most are logs.
  private static func counts(of total: Int, _ device: Int) -> [String: Int] {
    var rest = total
    func take(_ count: Int) -> Int {
      let taken = min(count, rest)
      rest -= taken
      return taken
    }
    var counts = ["UserProfileModel": take(1), "OnboardingStateModel": take(1)]
    counts["HabitCategoryModel"] = take(min(8, 1 + total / 40))
    counts["PersonalityAnalysisModel"] = take(min(500, total / 200))
    counts["HabitModel"] = take(min(1000, 1 + total / 30))
    counts["HabitLogModel"] = rest
    return counts
  }

  func count(of entity: String) -> Int { counts[entity] ?? 0 }

  func row(_ index: Int, of entity: String) -> [String: SampleCell] {
    var random = source.random(index, of: entity)
    switch entity {
    case "HabitModel": return habit(index, &random)
    case "HabitLogModel": return log(index, &random)
    case "HabitCategoryModel": return category(index)
    case "UserProfileModel": return profile(index, &random)
    case "OnboardingStateModel":
      let started = source.moment(0, of: 1000, &random)
      return [
        "id": source.uuid(index, of: entity).cell, "isCompleted": .boolean(true),
        "completedDate": .real(started), "userName": .text("Zoë"),
        "hasGrantedNotifications": .boolean(random.happens(50)),
      ]
    default: return analysis(index, &random)
    }
  }

  private func habit(_ index: Int, _ random: inout SeededRandom) -> [String: SampleCell] {
    let id = source.uuid(index, of: "HabitModel")
    let start = source.moment(0, of: 40, &random).rounded(.down)
    let isNumeric = index % 3 == 1
    let categories = count(of: "HabitCategoryModel")
    let name = Self.names[index % Self.names.count] + (index < Self.names.count ? "" : " \(index)")
    var row: [String: SampleCell] = [
      "id": id.cell, "name": .text(source.isEdited(index) ? name + " (edited)" : name),
      "colorHex": .text(random.pick(Self.colors)),
      "emoji": random.happens(80) ? .text(random.pick(Self.emojis)) : .null,
      "kindRaw": .number(isNumeric ? 1 : 0), "unitLabel": isNumeric ? .text("min") : .null,
      "dailyTarget": isNumeric ? .real(Double(random.number(below: 400)) / 4) : .null,
      "startDate": .real(start), "endDate": random.happens(10) ? .real(start + 31_536_000) : .null,
      "isActive": .boolean(random.happens(85)), "displayOrder": .number(index),
      "suggestionId": random.happens(30) ? .text("suggestion-\(random.number(below: 40))") : .null,
      "isPinned": .boolean(random.happens(20)),
      "notes": random.happens(30) ? .text("after breakfast\nnot on holidays") : .null,
      "lastCompletedDate": random.happens(60) ? .real(start + 86_400.25) : .null,
      "archivedDate": random.happens(8) ? .real(start + 8_640_000.5) : .null,
    ]
    row["scheduleData"] = schedule(index, &random)
    row["remindersData"] = JSONWriter.data { json in
      json.beginArray()
      for hour in 0..<random.number(below: 3) {
        json.beginObject()
        json.name("hour")
        json.number(7 + hour * 5)
        json.name("minute")
        json.number(30)
        json.endObject()
      }
      json.endArray()
    }
    let isPlaced = index % 5 == 2
    row["locationConfigData"] = isPlaced ? location(id, &random) : .null
    row["lastGeofenceTriggerDate"] = isPlaced ? .real(start + 500_000.125) : .null
    row["category"] =
      categories > 0 && index % 6 != 5 ? .row("HabitCategoryModel", index % categories) : .null
    return row
  }

  private func schedule(_ index: Int, _ random: inout SeededRandom) -> SampleCell {
    let days = source.set(1...7, &random)
    return JSONWriter.data { json in
      json.beginObject()
      switch index % 3 {
      case 0:
        json.name("daily")
        json.beginObject()
      case 1:
        json.name("daysOfWeek")
        json.beginObject()
        json.name("_0")
        json.beginArray()
        for day in days { json.number(day) }
        json.endArray()
      default:
        json.name("timesPerWeek")
        json.beginObject()
        json.name("_0")
        json.number(3)
      }
      json.endObject()
      json.endObject()
    }
  }

  private func location(_ habit: SampleUUID, _ random: inout SeededRandom) -> SampleCell {
    let latitude = Double(random.number(below: 1_800_000)) / 10_000 - 90
    return JSONWriter.data { json in
      json.beginObject()
      json.name("habitId")
      json.string(habit.text)
      json.name("latitude")
      json.number(latitude)
      json.name("longitude")
      json.number(12.4964)
      json.name("radius")
      json.number(100)
      json.name("frequency")
      json.beginObject()
      json.name("everyEntry")
      json.beginObject()
      json.name("cooldownMinutes")
      json.number(30)
      json.endObject()
      json.endObject()
      json.name("isEnabled")
      json.bool(true)
      json.endObject()
    }
  }

  private func log(_ index: Int, _ random: inout SeededRandom) -> [String: SampleCell] {
    let habits = max(1, count(of: "HabitModel"))
    let habit = index % habits
    let date = source.moment(index, of: count(of: "HabitLogModel"), &random)
    let value = Double(random.number(below: 120)) / 4
    return [
      "id": source.uuid(index, of: "HabitLogModel").cell,
      "habitID": source.uuid(habit, of: "HabitModel").cell,
      "date": .real(index % 11 == 4 ? date.rounded(.down) : date),
      "value": habit % 3 == 1 ? .real(source.isEdited(index) ? value + 1 : value) : .real(1),
      "timezone": .text(random.happens(90) ? Self.zones[0] : random.pick(Self.zones)),
      "habit": .row("HabitModel", habit),
    ]
  }

  private func category(_ index: Int) -> [String: SampleCell] {
    let isPredefined = index < Self.categories.count
    let name = isPredefined ? Self.categories[index] : "own \(index)"
    return [
      "id": .text(
        isPredefined ? name : source.uuid(index, of: "HabitCategoryModel").text.lowercased()),
      "name": .text(name),
      "displayName": .text(source.isEdited(index) ? name.uppercased() : name),
      "emoji": .text(Self.emojis[index % Self.emojis.count]), "order": .number(index),
      "isActive": .boolean(true), "isPredefined": .boolean(isPredefined),
    ]
  }

  private func profile(_ index: Int, _ random: inout SeededRandom) -> [String: SampleCell] {
    let created = source.moment(0, of: 1000, &random)
    var row: [String: SampleCell] = [
      "id": .text(source.uuid(index, of: "UserProfileModel").text), "name": .text("Zoë"),
      "avatarImageData": .blob([0xff, 0xd8, 0xff, 0xe0] + (0..<900).map { UInt8($0 & 255) }),
      "appearance": .text(source.plan.device == 2 ? "dark" : "followSystem"),
      "homeTimezone": .text("Europe/Rome"), "displayTimezoneMode": .text("original"),
      "subscriptionPlan": .text("annual"), "subscriptionExpiryDate": .real(created + 31_536_000),
      "currentTimezoneIdentifier": .text("Europe/Berlin"),
      "homeTimezoneIdentifier": .text("Europe/Rome"), "gender": .text("preferNotToSay"),
      "ageGroup": .null, "createdAt": .real(created), "updatedAt": .real(created + 86_400.5),
    ]
    row["displayTimezoneModeData"] = JSONWriter.data { json in
      json.beginObject()
      json.name("type")
      json.string("custom")
      json.name("timezoneIdentifier")
      json.string("Europe/Rome")
      json.endObject()
    }
    row["timezoneChangeHistoryData"] = JSONWriter.data { json in
      json.beginArray()
      for change in 0..<2 {
        json.beginObject()
        json.name("fromTimezone")
        json.string(Self.zones[change])
        json.name("toTimezone")
        json.string(Self.zones[change + 1])
        json.name("timestamp")
        json.number(created + Double(change) * 86_400)
        json.endObject()
      }
      json.endArray()
    }
    return row
  }

  private func analysis(_ index: Int, _ random: inout SeededRandom) -> [String: SampleCell] {
    let date = source.moment(index, of: count(of: "PersonalityAnalysisModel"), &random)
    var row: [String: SampleCell] = [
      "id": .text(source.uuid(index, of: "PersonalityAnalysisModel").text),
      "userId": .text(source.uuid(0, of: "UserProfileModel").text), "analysisDate": .real(date),
      "dominantTraitRawValue": .text(random.pick(Self.traits)),
      "confidenceRawValue": .text(random.pick(["low", "medium", "high"])), "version": .text("1.0"),
      "dataPointsAnalyzed": .number(10 + random.number(below: 200)),
      "timeRangeAnalyzed": .number(30),
    ]
    for trait in Self.traits {
      row[trait + "Score"] = .real(Double(random.number(below: 1001)) / 1000)
    }
    return row
  }
}
