import Diagnostics

// The profiles that need no file. They are written as files are.
extension Profile {
  /// All of them.
  package static var builtIn: [Profile] { builtInNames.compactMap(builtIn(named:)) }

  /// What they are called.
  package static let builtInNames = ["minuta", "ritualist", "laundrytime"]

  /// Returns the one of that name, nil if there is none; only that one is parsed.
  package static func builtIn(named name: String) -> Profile? {
    switch builtInNames.firstIndex(where: { $0.utf8.elementsEqual(name.utf8) }) {
    case 0: minuta
    case 1: ritualist
    case 2: laundryTime
    default: nil
    }
  }

  /// Minuta, a time tracker.
  ///
  /// This says where its data lies and what it is. How tags and records become documents is frozen and
  /// older than profiles: `ConvergentChanges`. So are documents of one record, directories that a sync
  /// service renamed, and dates that are numbers.
  package static let minuta = parsed(
    """
    {
      "profile": "minuta",
      "version": 1,
      "description": "Minuta, a time tracker",
      "lock": ".minuta.writelock.nosync",
      "kinds": [
        {
          "kind": "tag",
          "description": "What records are about",
          "identity": {
            "type": "uuid",
            "property": "id"
          },
          "files": {
            "paths": [
              "tags.json"
            ],
            "elements": "/tags"
          },
          "document": {
            "path": "tags.automerge"
          },
          "properties": {
            "color": {
              "type": "string",
              "required": true
            },
            "createdAt": {
              "type": "date",
              "required": true
            },
            "isArchived": {
              "type": "boolean"
            },
            "name": {
              "type": "string",
              "required": true
            }
          },
          "checks": [
            {
              "property": "color",
              "pattern": "#[0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f]"
            }
          ]
        },
        {
          "kind": "record",
          "description": "A stretch of time",
          "identity": {
            "type": "uuid",
            "property": "id"
          },
          "files": {
            "paths": [
              "records/{year}/{month}/*.json",
              "records/**/{year}-{month}*.json"
            ]
          },
          "document": {
            "path": "records/{year}/{month}.automerge"
          },
          "properties": {
            "comment": {
              "type": "string"
            },
            "endTime": {
              "type": "date",
              "description": "without it the record still runs"
            },
            "images": {
              "type": "list",
              "description": "names of files"
            },
            "startTime": {
              "type": "date",
              "required": true
            },
            "tagId": {
              "type": "reference",
              "kind": "tag"
            }
          },
          "attachments": [
            {
              "property": "images",
              "directories": [
                "records/{year}/{month}",
                "images/{year}/{month}"
              ]
            }
          ],
          "checks": [
            {
              "property": "startTime",
              "notAfter": "endTime"
            }
          ]
        }
      ]
    }

    """)

  static func parsed(_ text: String) -> Profile {
    do throws(ProfileError) {
      return try Profile(parsing: Array(text.utf8), of: "a built-in profile")
    } catch {
      preconditionFailure(error.diagnostic.problem)
    }
  }
}
