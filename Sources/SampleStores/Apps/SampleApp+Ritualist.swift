import SwiftDataStores

// The versions that the app shipped, counted as it counts them, and the one that its plan of a
// migration describes. The first two do not differ but in the names of the entities.
extension SampleApp {
  private static let shipped = 1...11
  private static let planned = 12...12
  /// Until then nothing was mirrored, and identities were unique.
  private static let local = 1...9
  private static let mirrored = 10...11

  /// Habits, what was done of them, and what the app makes of that.
  package static let ritualist = SampleApp(
    name: "ritualist",
    bundle: "com.vladblajovan.Ritualist",
    versions: [Version(name: "V1", number: 1, identifier: "1.0.0", suffix: "V1")]
      + (2...11).map { Version(name: "V\($0)", number: $0, identifier: "\($0).0.0") }
      + [Version(name: "plan", number: 12, identifier: "1.0.0")],
    currentVersion: "V11",
    files: [
      // What the store was called before the app had two is not told; its own backups looked for this.
      StoreFile(
        name: "Ritualist.sqlite", versions: local,
        entities: [
          "HabitCategoryModel", "HabitLogModel", "HabitModel", "OnboardingStateModel",
          "PersonalityAnalysisModel", "UserProfileModel",
        ]),
      StoreFile(
        name: "CloudKit.store", versions: mirrored,
        entities: [
          "HabitCategoryModel", "HabitLogModel", "HabitModel", "OnboardingStateModel",
          "UserProfileModel",
        ],
        mirroringTables: [
          "ANSCKDATABASEMETADATA", "ANSCKEVENT", "ANSCKMETADATAENTRY", "ANSCKRECORDMETADATA",
          "ANSCKRECORDZONEMETADATA",
        ]),
      StoreFile(
        name: "Local.store", versions: mirrored, entities: ["PersonalityAnalysisModel"]),
      StoreFile(
        name: "default.store", versions: planned,
        entities: [
          "Category", "Habit", "HabitLog", "OnboardingState", "PersonalityAnalysis", "UserProfile",
        ]),
    ],
    entities: shippedEntities + plannedEntities)

  private static let shippedEntities = [
    SampleEntity(
      name: "HabitModel", versions: shipped, unique: (["id"], local),
      properties: [
        .required("id", .uuid), .required("name", .string), .required("colorHex", .string),
        .optional("emoji", .string), .required("kindRaw", .integer64),
        .optional("unitLabel", .string), .optional("dailyTarget", .double),
        .required("scheduleData", .binary), .required("remindersData", .binary),
        .required("startDate", .date), .optional("endDate", .date),
        .required("isActive", .boolean), .required("displayOrder", .integer64),
        .optional("suggestionId", .string), .required("isPinned", .boolean, in: 3...3),
        .optional("notes", .string, in: 4...11),
        .optional("lastCompletedDate", .date, in: 5...11),
        .optional("archivedDate", .date, in: 6...11),
        .optional("locationConfigData", .binary, in: 7...11),
        .optional("lastGeofenceTriggerDate", .date, in: 7...11),
        .toMany("logs", "HabitLogModel", inverse: "habit", .cascade, in: local),
        .toMany(
          "logs", "HabitLogModel", inverse: "habit", .cascade, isOptional: true, in: mirrored),
        .toOne("category", "HabitCategoryModel", inverse: "habits"),
      ]),
    SampleEntity(
      name: "HabitLogModel", versions: shipped, unique: (["id"], local),
      properties: [
        .required("id", .uuid), .required("habitID", .uuid), .required("date", .date),
        .optional("value", .double), .required("timezone", .string),
        .toOne("habit", "HabitModel", inverse: "logs"),
      ]),
    SampleEntity(
      name: "HabitCategoryModel", versions: shipped, unique: (["id"], local),
      properties: [
        .required("id", .string), .required("name", .string), .required("displayName", .string),
        .required("emoji", .string), .required("order", .integer64),
        .required("isActive", .boolean), .required("isPredefined", .boolean),
        .toMany("habits", "HabitModel", inverse: "category", .nullify, in: local),
        .toMany(
          "habits", "HabitModel", inverse: "category", .nullify, isOptional: true, in: mirrored),
      ]),
    SampleEntity(
      name: "UserProfileModel", versions: shipped, unique: (["id"], local),
      properties: [
        .required("id", .string), .required("name", .string),
        .optional("avatarImageData", .binary), .required("appearance", .string),
        .optional("homeTimezone", .string, in: 1...8),
        .required("displayTimezoneMode", .string, in: 1...8),
        .required("subscriptionPlan", .string, in: 1...7),
        .optional("subscriptionExpiryDate", .date, in: 1...7),
        .required("currentTimezoneIdentifier", .string, in: 9...11),
        .required("homeTimezoneIdentifier", .string, in: 9...11),
        .required("displayTimezoneModeData", .binary, in: 9...11),
        .required("timezoneChangeHistoryData", .binary, in: 9...11),
        .optional("gender", .string, in: 11...11), .optional("ageGroup", .string, in: 11...11),
        .required("createdAt", .date), .required("updatedAt", .date),
      ]),
    SampleEntity(
      name: "OnboardingStateModel", versions: shipped, unique: (["id"], local),
      properties: [
        .required("id", .uuid), .required("isCompleted", .boolean),
        .optional("completedDate", .date), .optional("userName", .string),
        .required("hasGrantedNotifications", .boolean),
      ]),
    SampleEntity(
      name: "PersonalityAnalysisModel", versions: shipped, unique: (["id"], local),
      properties: [
        .required("id", .string), .required("userId", .string), .required("analysisDate", .date),
        .required("dominantTraitRawValue", .string), .required("confidenceRawValue", .string),
        .required("version", .string), .required("dataPointsAnalyzed", .integer64),
        .required("timeRangeAnalyzed", .integer64), .required("opennessScore", .double),
        .required("conscientiousnessScore", .double), .required("extraversionScore", .double),
        .required("agreeablenessScore", .double), .required("neuroticismScore", .double),
      ]),
  ]

  private static let plannedEntities = [
    SampleEntity(
      name: "Habit", versions: planned, unique: (["id"], planned),
      properties: [
        .required("id", .uuid), .required("name", .string), .required("colorHex", .string),
        .required("emoji", .string), .required("kindRaw", .integer64),
        .required("scheduleType", .string), .optional("scheduleDaysOfWeek", .transformable),
        .optional("reminderTime", .date), .toOne("category", "Category", inverse: "habits"),
      ]),
    SampleEntity(
      name: "HabitLog", versions: planned, unique: (["id"], planned),
      properties: [
        .required("id", .uuid), .required("habitID", .uuid), .required("date", .date),
        .required("value", .double), .required("timezone", .string),
      ]),
    SampleEntity(
      name: "Category", versions: planned, unique: (["id"], planned),
      properties: [
        .required("id", .string), .required("name", .string), .required("colorHex", .string),
        .required("emoji", .string), .required("isSystem", .boolean),
        .required("sortOrder", .integer64),
        .toMany("habits", "Habit", inverse: "category", .cascade),
      ]),
    SampleEntity(
      name: "UserProfile", versions: planned, unique: (["id"], planned),
      properties: [
        .required("id", .string), .required("weekStartDay", .integer64),
        .required("preferredTimeZone", .string), .required("darkModeEnabled", .boolean),
        .required("notificationsEnabled", .boolean), .required("hasSeenOnboarding", .boolean),
        .required("subscriptionStatus", .string),
      ]),
    SampleEntity(
      name: "OnboardingState", versions: planned, unique: (["id"], planned),
      properties: [
        .required("id", .uuid), .required("hasCompletedOnboarding", .boolean),
        .required("currentStep", .integer64), .required("lastUpdated", .date),
      ]),
    SampleEntity(
      name: "PersonalityAnalysis", versions: planned, unique: (["id"], planned),
      properties: [
        .required("id", .uuid), .required("userId", .string), .required("analysisDate", .date),
        .required("openness", .double), .required("conscientiousness", .double),
        .required("extraversion", .double), .required("agreeableness", .double),
        .required("neuroticism", .double), .required("confidence", .double),
        .required("habitCount", .integer64), .required("completionRate", .double),
      ]),
  ]
}
