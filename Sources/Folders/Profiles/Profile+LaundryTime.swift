extension Profile {
  /// LaundryTime, which keeps its data in a SwiftData store without versions.
  ///
  /// Tasks have the identity of their pet as a plain value, so what a deletion does to them is said here.
  package static let laundryTime = parsed(
    """
    {
      "profile": "laundrytime",
      "version": 5,
      "description": "LaundryTime, laundry as pets; version 1 is the shipped app, 2 to 5 are V1 to V4 of its plan",
      "identifiers": [
        "1.0.0",
        "1.0.0",
        "2.0.0",
        "3.0.0",
        "4.0.0"
      ],
      "kinds": [
        {
          "kind": "pet",
          "description": "A pile of laundry, as a pet",
          "identity": {
            "type": "uuid",
            "property": "id"
          },
          "rows": {
            "names": [
              "Pet"
            ]
          },
          "document": {
            "path": "pets.automerge"
          },
          "properties": {
            "characterType": {
              "type": "string",
              "since": 3
            },
            "colorTheme": {
              "type": "string",
              "since": 3
            },
            "createdDate": {
              "type": "date"
            },
            "currentState": {
              "type": "string"
            },
            "currentStreak": {
              "type": "integer"
            },
            "cycleFrequencyDays": {
              "type": "integer"
            },
            "deviceID": {
              "type": "string",
              "since": 5
            },
            "dryDurationMinutes": {
              "type": "integer"
            },
            "health": {
              "type": "integer"
            },
            "isActive": {
              "type": "boolean",
              "since": 2
            },
            "lastHealthUpdate": {
              "type": "date"
            },
            "lastLaundryDate": {
              "type": "date"
            },
            "lastSyncDate": {
              "type": "date",
              "since": 5
            },
            "longestStreak": {
              "type": "integer"
            },
            "name": {
              "type": "string"
            },
            "sentHealthNotifications": {
              "type": "json",
              "until": 2
            },
            "totalCyclesCompleted": {
              "type": "integer"
            },
            "washDurationMinutes": {
              "type": "integer"
            }
          },
          "checks": [
            {
              "property": "name",
              "present": true
            },
            {
              "property": "createdDate",
              "present": true
            },
            {
              "property": "currentState",
              "present": true
            },
            {
              "property": "name",
              "notBlank": true
            },
            {
              "property": "name",
              "maximumLength": 30
            },
            {
              "property": "health",
              "minimum": 0,
              "maximum": 100
            },
            {
              "property": "totalCyclesCompleted",
              "minimum": 0
            },
            {
              "property": "currentStreak",
              "minimum": 0
            },
            {
              "property": "longestStreak",
              "minimum": 0
            },
            {
              "property": "currentStreak",
              "atMost": "longestStreak"
            },
            {
              "property": "cycleFrequencyDays",
              "minimum": 0,
              "maximum": 365
            },
            {
              "property": "washDurationMinutes",
              "minimum": 1,
              "maximum": 120
            },
            {
              "property": "dryDurationMinutes",
              "minimum": 1,
              "maximum": 180
            },
            {
              "property": "createdDate",
              "past": true
            },
            {
              "property": "lastLaundryDate",
              "past": true
            },
            {
              "property": "lastHealthUpdate",
              "past": true
            },
            {
              "property": "createdDate",
              "notAfter": "lastLaundryDate"
            }
          ]
        },
        {
          "kind": "task",
          "description": "One load of laundry",
          "identity": {
            "type": "uuid",
            "property": "id"
          },
          "rows": {
            "names": [
              "LaundryTask"
            ]
          },
          "document": {
            "path": "tasks/{year}/{month}.automerge",
            "month": "startDate",
            "undated": "tasks/undated.automerge"
          },
          "properties": {
            "additionalDryMinutes": {
              "type": "integer"
            },
            "currentStage": {
              "type": "string"
            },
            "dryDurationMinutes": {
              "type": "integer"
            },
            "dryEndTime": {
              "type": "date"
            },
            "dryStartTime": {
              "type": "date"
            },
            "foldCompletedTime": {
              "type": "date"
            },
            "isCompleted": {
              "type": "boolean"
            },
            "lastSyncDate": {
              "type": "date",
              "since": 5
            },
            "petID": {
              "type": "reference",
              "kind": "pet",
              "onDelete": "delete"
            },
            "startDate": {
              "type": "date"
            },
            "washDurationMinutes": {
              "type": "integer"
            },
            "washEndTime": {
              "type": "date"
            },
            "washStartTime": {
              "type": "date"
            }
          },
          "checks": [
            {
              "property": "petID",
              "present": true
            },
            {
              "property": "startDate",
              "present": true
            },
            {
              "property": "currentStage",
              "present": true
            },
            {
              "property": "foldCompletedTime",
              "present": true,
              "when": "isCompleted"
            },
            {
              "property": "startDate",
              "notAfter": "foldCompletedTime"
            },
            {
              "property": "washStartTime",
              "notAfter": "washEndTime"
            },
            {
              "property": "dryStartTime",
              "notAfter": "dryEndTime"
            },
            {
              "property": "washDurationMinutes",
              "minimum": 1,
              "maximum": 120
            },
            {
              "property": "dryDurationMinutes",
              "minimum": 1,
              "maximum": 180
            },
            {
              "property": "startDate",
              "past": true
            },
            {
              "property": "washStartTime",
              "past": true
            },
            {
              "property": "washEndTime",
              "past": true
            },
            {
              "property": "dryStartTime",
              "past": true
            },
            {
              "property": "dryEndTime",
              "past": true
            },
            {
              "property": "foldCompletedTime",
              "past": true
            },
            {
              "property": "additionalDryMinutes",
              "minimum": 0
            }
          ]
        },
        {
          "kind": "settings",
          "description": "How the app behaves; one by convention",
          "identity": {
            "type": "singleton"
          },
          "rows": {
            "names": [
              "AppSettings"
            ]
          },
          "document": {
            "path": "settings.automerge"
          },
          "properties": {
            "appearanceMode": {
              "type": "string"
            },
            "hapticsEnabled": {
              "type": "boolean"
            },
            "notificationsEnabled": {
              "type": "boolean"
            },
            "soundEnabled": {
              "type": "boolean"
            }
          }
        },
        {
          "kind": "achievement",
          "description": "What a pet was given for",
          "identity": {
            "type": "uuid",
            "property": "id"
          },
          "rows": {
            "names": [
              "Achievement"
            ]
          },
          "document": {
            "path": "achievements.automerge"
          },
          "properties": {
            "petID": {
              "type": "reference",
              "kind": "pet",
              "onDelete": "delete",
              "since": 4
            },
            "type": {
              "type": "string",
              "since": 4
            },
            "unlockedDate": {
              "type": "date",
              "since": 4
            }
          }
        },
        {
          "kind": "statistics",
          "description": "What a pet's loads add up to",
          "identity": {
            "type": "uuid",
            "property": "petID"
          },
          "rows": {
            "names": [
              "Statistics"
            ]
          },
          "document": {
            "path": "statistics.automerge"
          },
          "properties": {
            "currentStreak": {
              "type": "integer",
              "since": 4
            },
            "longestStreak": {
              "type": "integer",
              "since": 4
            },
            "totalCycles": {
              "type": "integer",
              "since": 4
            }
          },
          "checks": [
            {
              "property": "currentStreak",
              "atMost": "longestStreak"
            }
          ]
        },
        {
          "kind": "timer",
          "description": "What runs for a pet; the app keeps it in its preferences",
          "identity": {
            "type": "uuid",
            "property": "id"
          },
          "rows": {
            "names": [
              "pet_timer"
            ],
            "preferences": "pet_timer_"
          },
          "document": {
            "path": "timers.automerge"
          },
          "properties": {
            "endTime": {
              "type": "date"
            },
            "petID": {
              "type": "reference",
              "kind": "pet",
              "onDelete": "delete"
            },
            "timerType": {
              "type": "string"
            }
          },
          "checks": [
            {
              "property": "petID",
              "present": true
            },
            {
              "property": "endTime",
              "present": true
            },
            {
              "property": "timerType",
              "present": true
            }
          ]
        }
      ]
    }

    """)
}
