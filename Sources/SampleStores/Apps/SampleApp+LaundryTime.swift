import SwiftDataStores

// The shipped app has no versions of its model. Those that follow are a plan; of what its fourth adds
// only the subject is known, and the names of these properties are made up.
extension SampleApp {
  private static let planned = 1...4

  /// Pets that want their laundry done.
  package static let laundryTime = SampleApp(
    name: "laundrytime",
    bundle: "com.laundrypet.LaundryPets",
    versions: [Version(name: "shipped", number: 0, identifier: "1.0.0")]
      + planned.map { Version(name: "V\($0)", number: $0, identifier: "\($0).0.0") },
    currentVersion: "shipped",
    files: [
      StoreFile(
        name: "default.store", versions: 0...4,
        entities: ["Achievement", "AppSettings", "LaundryTask", "Pet", "Statistics"])
    ],
    entities: [
      SampleEntity(
        name: "Pet",
        properties: [
          .required("id", .uuid), .required("name", .string), .required("createdDate", .date),
          .required("currentState", .string), .optional("lastLaundryDate", .date),
          .optional("health", .integer64), .optional("lastHealthUpdate", .date),
          .optional("sentHealthNotifications", .transformable, in: 0...0),
          .required("totalCyclesCompleted", .integer64), .required("currentStreak", .integer64),
          .required("longestStreak", .integer64), .required("cycleFrequencyDays", .integer64),
          .required("washDurationMinutes", .integer64),
          .required("dryDurationMinutes", .integer64),
          .required("isActive", .boolean, in: planned),
          .optional("colorTheme", .string, in: 2...4),
          .optional("characterType", .string, in: 2...4),
          .optional("lastSyncDate", .date, in: 4...4), .optional("deviceID", .string, in: 4...4),
        ]),
      SampleEntity(
        name: "LaundryTask",
        properties: [
          .required("id", .uuid), .required("petID", .uuid), .required("startDate", .date),
          .required("currentStage", .string), .required("isCompleted", .boolean),
          .optional("washStartTime", .date), .optional("washEndTime", .date),
          .optional("dryStartTime", .date), .optional("dryEndTime", .date),
          .optional("foldCompletedTime", .date), .required("washDurationMinutes", .integer64),
          .required("dryDurationMinutes", .integer64),
          .optional("additionalDryMinutes", .integer64),
          .optional("lastSyncDate", .date, in: 4...4),
        ]),
      SampleEntity(
        name: "AppSettings",
        properties: [
          .required("notificationsEnabled", .boolean), .required("soundEnabled", .boolean),
          .required("hapticsEnabled", .boolean), .required("appearanceMode", .string),
        ]),
      SampleEntity(
        name: "Achievement", versions: 3...4,
        properties: [
          .required("id", .uuid), .required("type", .string), .required("unlockedDate", .date),
          .required("petID", .uuid),
        ]),
      SampleEntity(
        name: "Statistics", versions: 3...4,
        properties: [
          .required("petID", .uuid), .required("totalCycles", .integer64),
          .required("currentStreak", .integer64), .required("longestStreak", .integer64),
        ]),
    ])
}
