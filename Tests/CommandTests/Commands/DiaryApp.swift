import Foundation

/// An app with private kinds, and with months: topics in a list, notes whose date says the month, visits
/// whose path does; a diary in files of months and moods in a map are private.
enum DiaryApp {
  static let profile = #"""
    {
      "profile": "diary", "version": 1, "lock": ".diary.lock",
      "kinds": [
        {"kind": "topic",
         "identity": {"type": "string", "property": "name"},
         "files": {"paths": ["topics.json"], "elements": "/topics"},
         "document": {"path": "topics.automerge"},
         "properties": {
           "newest": {"type": "reference", "kind": "page", "onDelete": "clear"},
           "color": {"type": "string"}}},
        {"kind": "page", "private": true,
         "identity": {"type": "uuid", "property": "id"},
         "files": {"paths": ["pages/{year}/{month}/*.json"]},
         "document": {"path": "pages/{year}-{month}.automerge"},
         "properties": {"text": {"type": "text"}, "photos": {"type": "list"}},
         "attachments": [{"property": "photos", "directories": ["photos"]}]},
        {"kind": "mood", "private": true,
         "identity": {"type": "member"},
         "files": {"paths": ["moods.json"], "members": "/moods", "stays": ["/version"]},
         "document": {"path": "moods.automerge"},
         "properties": {"value": {"type": "integer"}}},
        {"kind": "note",
         "identity": {"type": "file"},
         "files": {"paths": ["notes/*.json"]},
         "document": {"path": "notes/{year}-{month}.automerge", "month": "created",
                      "undated": "notes/undated.automerge"},
         "properties": {"created": {"type": "date"}, "text": {"type": "string"}}},
        {"kind": "visit",
         "identity": {"type": "uuid", "property": "id"},
         "files": {"paths": ["visits/{year}/{month}/*.json"]},
         "document": {"path": "visits/{year}/{month}.automerge"},
         "properties": {"place": {"type": "string"}, "photos": {"type": "list"}},
         "attachments": [
           {"property": "photos", "directories": ["visits/{year}/{month}", "photos"]}]}
      ]
    }
    """#

  static let first = "A1D1C5B7-0000-4C0C-9E43-0D8D1C5B7A01"
  static let second = "A1D1C5B7-0000-4C0C-9E43-0D8D1C5B7A02"
  static let third = "A1D1C5B7-0000-4C0C-9E43-0D8D1C5B7A03"

  /// Files of the kinds that are not private.
  static let open = [
    "topics.json":
      #"{"topics": [{"name": "Sea", "newest": "\#(first)"}, {"name": "Land", "color": "green"}]}"#,
    "notes/tide.json": #"{"created": "2024-01-31T23:30:00Z", "text": "high at noon"}"#,
    "notes/ebb.json": #"{"created": "2024-05-02T08:00:00Z", "text": "low"}"#,
    "visits/2024/01/pier.json":
      #"{"id": "\#(third)", "place": "pier", "photos": ["pier.jpg", "both.jpg"]}"#,
    "visits/2024/01/pier.jpg": "a pier",
    "photos/both.jpg": "both",
  ]

  /// Files of the private kinds.
  static let closed = [
    "pages/2024/01/storm.json":
      #"{"id": "\#(first)", "text": "we sat inside", "photos": ["storm.jpg"]}"#,
    "pages/2024/02/calm.json": #"{"id": "\#(second)", "text": "we did not"}"#,
    "moods.json":
      #"{"version": 3, "moods": {"mon": {"value": 4}, "tue": {"value": 2}, "wed": {"value": 5}}}"#,
    "photos/storm.jpg": "a storm",
  ]

  static func make() throws -> ProfiledApp {
    try ProfiledApp(profile: profile, files: open.merging(closed) { first, _ in first })
  }
}
