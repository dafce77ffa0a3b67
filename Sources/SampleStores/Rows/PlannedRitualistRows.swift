import SampleFolders

/// The same habits as the plan of a migration would have stored them.
struct PlannedRitualistRows: SampleRows {
  private let shipped: RitualistRows

  private static let shippedNames = [
    "UserProfile": "UserProfileModel", "OnboardingState": "OnboardingStateModel",
    "Category": "HabitCategoryModel", "PersonalityAnalysis": "PersonalityAnalysisModel",
    "Habit": "HabitModel", "HabitLog": "HabitLogModel",
  ]

  let entities = [
    "UserProfile", "OnboardingState", "Category", "PersonalityAnalysis", "Habit", "HabitLog",
  ]

  init(_ plan: StorePlan) { shipped = RitualistRows(plan) }

  func count(of entity: String) -> Int { shipped.count(of: Self.shippedNames[entity] ?? "") }

  func row(_ index: Int, of entity: String) -> [String: SampleCell] {
    var row = shipped.row(index, of: Self.shippedNames[entity] ?? "")
    var random = shipped.source.random(index, of: entity)
    switch entity {
    case "Habit":
      if row["emoji"] == .null { row["emoji"] = .text("") }
      row["scheduleType"] = .text(index % 3 == 0 ? "daily" : "daysOfWeek")
      let days = shipped.source.set(1...7, &random)
      row["scheduleDaysOfWeek"] =
        index % 3 == 0
        ? .null : .blob(SamplePropertyList.array(days.map { .integer(Int64($0)) }).bytes)
      row["reminderTime"] = row["startDate"]
      if case .row(_, let category)? = row["category"] {
        row["category"] = .row("Category", category)
      }
    case "Category":
      row["colorHex"] = .text("#34C759")
      row["isSystem"] = row["isPredefined"]
      row["sortOrder"] = row["order"]
    case "UserProfile":
      row["weekStartDay"] = .number(2)
      row["preferredTimeZone"] = .text("Europe/Berlin")
      row["darkModeEnabled"] = .boolean(shipped.source.plan.device == 2)
      row["notificationsEnabled"] = .boolean(true)
      row["hasSeenOnboarding"] = .boolean(true)
      row["subscriptionStatus"] = .text("free")
    case "OnboardingState":
      row["hasCompletedOnboarding"] = .boolean(true)
      row["currentStep"] = .number(5)
      row["lastUpdated"] = row["completedDate"]
    case "PersonalityAnalysis":
      row["id"] = shipped.source.uuid(index, of: entity).cell
      for (name, value) in row where name.hasSuffix("Score") {
        row[String(name.dropLast(5))] = value
      }
      row["confidence"] = .real(0.5)
      row["habitCount"] = .number(shipped.count(of: "HabitModel"))
      row["completionRate"] = .real(0.75)
    default: break
    }
    return row
  }
}
