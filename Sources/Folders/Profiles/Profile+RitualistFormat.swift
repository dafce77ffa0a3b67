// What the app writes where its user asks for a copy of the data. Its encoder leaves out what has no value
// and writes dates in whole seconds.
extension AppFormat {
  static let ritualist = AppFormat([
    // 10 MB, as base64.
    ("avatar", .one("profile", .member(["avatarImageData"], .bytes), limit: 10_000_000)),
    ("categories", .all("category", category, AppRule(limit: 100))),
    ("exportedAt", .now),
    (
      "habitLogs",
      .all(
        "log", log,
        AppRule(
          limit: 100_000, requires: (property: "habitID", kind: "habit"),
          notBefore: (date: "date", start: "startDate")))
    ),
    ("habits", .all("habit", habit, AppRule(limit: 1000))),
    ("profile", .one("profile", profile)),
    ("syncMetadata", .one("profile", .object([AppMember("profileId", .identity)]))),
  ])

  private static let category = AppTemplate.object([
    .same("displayName"), .same("emoji"), AppMember("id", .identity), .same("isActive"),
    .same("isPredefined"), .same("name"), .same("order"),
  ])

  private static let log = AppTemplate.object([
    AppMember("date", .member(["date"], .date)),
    // The relationship leads to the same habit, and is not written.
    AppMember("habitID", .first([.member(["habitID"], .value), .member(["habit"], .value)])),
    AppMember("id", .identity), .same("timezone"), .same("value", .leftOut),
  ])

  private static let habit = AppTemplate.object([
    AppMember("archivedDate", .member(["archivedDate"], .date), .leftOut),
    AppMember("categoryId", .member(["category"], .link("category")), .leftOut),
    .same("colorHex"), .same("dailyTarget", .leftOut), .same("displayOrder"),
    .same("emoji", .leftOut), AppMember("endDate", .member(["endDate"], .date), .leftOut),
    AppMember("id", .identity), .same("isActive"),
    .same("isPinned", .literal("false", isTold: false)),
    AppMember(
      "kind",
      .member(
        ["kindRaw"],
        .choice(
          of: nil, [("0", .literal(#"{"binary":{}}"#)), ("1", .literal(#"{"numeric":{}}"#))],
          otherwise: nil))),
    AppMember("lastCompletedDate", .member(["lastCompletedDate"], .date), .leftOut),
    AppMember("locationConfiguration", .member(["locationConfigData"], location), .leftOut),
    .same("name"), .same("notes", .leftOut),
    AppMember("reminders", .same("remindersData"), .literal("[]", isTold: true)),
    AppMember("schedule", .same("scheduleData"), .literal(#"{"daily":{}}"#, isTold: true)),
    AppMember("startDate", .member(["startDate"], .date)), .same("suggestionId", .leftOut),
    .same("unitLabel", .leftOut),
  ])

  private static let location = AppTemplate.object([
    .same("frequency"), .same("isEnabled"),
    AppMember("lastEntryTriggerDate", .member(["lastEntryTriggerDate"], .date), .leftOut),
    AppMember("lastExitTriggerDate", .member(["lastExitTriggerDate"], .date), .leftOut),
    AppMember("lastTriggerDate", .member(["lastTriggerDate"], .date), .leftOut),
    .same("latitude"), .same("locationLabel", .leftOut), .same("longitude"), .same("radius"),
    .same("triggerType"),
  ])

  private static let profile = AppTemplate.object([
    AppMember(
      "appearance",
      .member(
        ["appearance"],
        .choice(
          of: nil,
          [
            ("0", .literal("\"system\"")), ("1", .literal("\"light\"")),
            ("2", .literal("\"dark\"")), ("followSystem", .literal("\"system\"")),
          ], otherwise: .value))),
    AppMember("createdAt", .member(["createdAt"], .date)),
    AppMember(
      "currentTimezone", .same("currentTimezoneIdentifier"),
      .literal("\"UTC\"", isTold: true)),
    AppMember(
      "displayTimezoneMode", .first([.member(["displayTimezoneModeData"], mode), oldMode])),
    AppMember("homeTimezone", .member(["homeTimezoneIdentifier", "homeTimezone"], .value)),
    .same("name"),
    AppMember(
      "timezoneChangeHistory", .member(["timezoneChangeHistoryData"], .list(change)),
      .literal("[]", isTold: false)),
    AppMember("updatedAt", .member(["updatedAt"], .date)),
  ])

  /// How times are shown: a word, or the name of a zone.
  private static let mode = AppTemplate.choice(
    of: "type",
    [
      ("current", .literal("\"current\"")), ("home", .literal("\"home\"")),
      ("custom", .same("timezoneIdentifier")),
    ], otherwise: nil)
  private static let oldMode = AppTemplate.same("displayTimezoneMode")

  private static let change = AppTemplate.object([
    AppMember("changedAt", .member(["timestamp"], .date)), .same("fromTimezone"),
    .same("toTimezone"),
  ])
}
