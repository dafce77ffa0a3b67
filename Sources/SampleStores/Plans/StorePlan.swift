/// What the stores of a sample app are to hold. Equal plans give equal bytes.
package struct StorePlan: Sendable {
  /// The app.
  package var app: SampleApp
  /// The version of its data.
  package var version: SampleApp.Version
  /// How many rows all entities have together, on the first device.
  package var rowCount = 300
  /// Which of two devices: the second has other row numbers, another identifier, and its own edits.
  package var device = 1
  /// What all that is random depends on.
  package var seed: UInt64 = 1
  /// What is wrong with the app's first store.
  package var damages: Set<StoreDamage> = []

  /// Plans the stores of a version of an app; nil if it has no version with this name.
  package init?(_ app: SampleApp, version: String? = nil) {
    guard let version = app.version(named: version ?? app.currentVersion) else { return nil }
    self.app = app
    self.version = version
  }

  /// What makes the plan impossible, if something does.
  package var problem: String? {
    if rowCount < 0 { return "the number of rows must not be negative" }
    if rowCount > 10_000_000 { return "at most 10,000,000 rows are made" }
    if device != 1 && device != 2 { return "there are two devices, 1 and 2" }
    for damage in damages.sorted(by: { $0.rawValue < $1.rawValue }) {
      if let problem = damage.problem(in: self) {
        return "the damage \(damage.rawValue) is not possible: \(problem)"
      }
    }
    if damages.filter(\.isOfDatabaseFile).count > 1 {
      return "a database can be damaged as a whole in one way only"
    }
    if damages.filter(\.isOfLog).count > 1 { return "a log can be damaged in one way only" }
    return nil
  }

  /// Who is who in the version.
  var roles: SampleRoles {
    switch app.name {
    case SampleApp.ritualist.name where version.name == "plan":
      SampleRoles(
        parent: "Habit", child: "HabitLog", date: "date", reference: nil,
        json: ("Habit", "scheduleDaysOfWeek"), singleton: "UserProfile", zone: "timezone")
    case SampleApp.ritualist.name:
      SampleRoles(
        parent: "HabitModel", child: "HabitLogModel", date: "date", reference: "habit",
        json: ("HabitModel", "scheduleData"), singleton: "UserProfileModel", zone: "timezone")
    case SampleApp.laundryTime.name:
      SampleRoles(
        parent: "Pet", child: "LaundryTask", date: "startDate", reference: nil, json: nil,
        singleton: "AppSettings")
    default:
      SampleRoles(
        parent: "Author", child: "Book", date: "addedAt", reference: "author",
        json: ("Book", "extra"), singleton: nil)
    }
  }
}

/// The entities that damages are about.
struct SampleRoles {
  /// What the child leads to.
  let parent: String
  /// What there is most of.
  let child: String
  /// A date of the child.
  let date: String
  /// The relationship of the child that leads to the parent; nil where only an identity does.
  let reference: String?
  /// A column that holds bytes with a meaning.
  let json: (entity: String, property: String)?
  /// What there is one of.
  let singleton: String?
  /// The time zone of the child; nil where it has none.
  var zone: String?
}
