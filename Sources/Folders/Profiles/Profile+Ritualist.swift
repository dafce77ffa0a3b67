extension Profile {
  /// Ritualist, a habit tracker that keeps its data in SwiftData stores.
  ///
  /// Versions are those of its schemas: 2 is the first that apps have, 11 the newest, 12 has nothing new.
  /// The snapshot of a plan has other properties under the same names, and is told apart by them. It is a
  /// version of its own, and no profile: its stores, those of the app, and documents of both are of one
  /// person's habits. That it lacks properties of the app is said by a branch, because `until` would give
  /// the values of every other version other places.
  package static let ritualist = parsed(
    """
    {
      "profile": "ritualist",
      "version": 13,
      "description": "Ritualist, a habit tracker; version 13 is the snapshot of a plan, which no app has",
      "identifiers": [
        "1.0.0",
        "2.0.0",
        "3.0.0",
        "4.0.0",
        "5.0.0",
        "6.0.0",
        "7.0.0",
        "8.0.0",
        "9.0.0",
        "10.0.0",
        "11.0.0",
        "12.0.0",
        "1.0.0"
      ],
      "branches": [
        {
          "version": 13,
          "name": "plan",
          "tables": [
            {
              "kind": "habit",
              "properties": [
                "category",
                "colorHex",
                "emoji",
                "kindRaw",
                "name",
                "reminderTime",
                "scheduleDaysOfWeek",
                "scheduleType"
              ]
            },
            {
              "kind": "log",
              "properties": [
                "date",
                "habitID",
                "timezone",
                "value"
              ]
            },
            {
              "kind": "category",
              "properties": [
                "colorHex",
                "emoji",
                "isSystem",
                "name",
                "sortOrder"
              ]
            },
            {
              "kind": "profile",
              "properties": [
                "darkModeEnabled",
                "hasSeenOnboarding",
                "notificationsEnabled",
                "preferredTimeZone",
                "subscriptionStatus",
                "weekStartDay"
              ]
            },
            {
              "kind": "onboarding",
              "properties": [
                "currentStep",
                "hasCompletedOnboarding",
                "lastUpdated"
              ]
            },
            {
              "kind": "personality",
              "properties": [
                "agreeableness",
                "analysisDate",
                "completionRate",
                "confidence",
                "conscientiousness",
                "extraversion",
                "habitCount",
                "neuroticism",
                "openness",
                "userId"
              ]
            }
          ]
        }
      ],
      "kinds": [
        {
          "kind": "habit",
          "description": "What is to be done, and when",
          "identity": {
            "type": "uuid",
            "property": "id"
          },
          "rows": {
            "names": [
              "HabitModel",
              "Habit"
            ],
            "uniqueUntil": 10
          },
          "document": {
            "path": "habits.automerge"
          },
          "properties": {
            "archivedDate": {
              "type": "date",
              "since": 6
            },
            "category": {
              "type": "reference",
              "kind": "category",
              "onDelete": "clear"
            },
            "colorHex": {
              "type": "string"
            },
            "dailyTarget": {
              "type": "double"
            },
            "displayOrder": {
              "type": "integer"
            },
            "emoji": {
              "type": "string"
            },
            "endDate": {
              "type": "date"
            },
            "isActive": {
              "type": "boolean"
            },
            "isPinned": {
              "type": "boolean",
              "since": 3,
              "until": 4
            },
            "kindRaw": {
              "type": "integer",
              "description": "0 done or not, 1 a number"
            },
            "lastCompletedDate": {
              "type": "date",
              "since": 5
            },
            "lastGeofenceTriggerDate": {
              "type": "date",
              "since": 7
            },
            "locationConfigData": {
              "type": "json",
              "since": 7,
              "dates": [
                "/lastTriggerDate"
              ]
            },
            "name": {
              "type": "string"
            },
            "notes": {
              "type": "string",
              "since": 4
            },
            "reminderTime": {
              "type": "date",
              "since": 13
            },
            "remindersData": {
              "type": "json"
            },
            "scheduleData": {
              "type": "json",
              "sets": [
                "/daysOfWeek/_0"
              ]
            },
            "scheduleDaysOfWeek": {
              "type": "json",
              "since": 13
            },
            "scheduleType": {
              "type": "string",
              "since": 13
            },
            "startDate": {
              "type": "date"
            },
            "suggestionId": {
              "type": "string"
            },
            "unitLabel": {
              "type": "string"
            }
          },
          "checks": [
            {
              "property": "name",
              "present": true
            },
            {
              "property": "colorHex",
              "present": true
            },
            {
              "property": "kindRaw",
              "present": true
            },
            {
              "property": "name",
              "maximumLength": 200
            },
            {
              "property": "notes",
              "maximumLength": 10000
            },
            {
              "property": "unitLabel",
              "maximumLength": 50
            },
            {
              "property": "colorHex",
              "pattern": "#[0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f][0-9A-Fa-f]"
            },
            {
              "property": "kindRaw",
              "minimum": 0,
              "maximum": 1
            },
            {
              "property": "dailyTarget",
              "minimum": 0,
              "maximum": 1000000
            },
            {
              "property": "displayOrder",
              "minimum": 0,
              "maximum": 100000
            },
            {
              "property": "remindersData",
              "maximumCount": 24
            },
            {
              "property": "locationConfigData",
              "at": "/latitude",
              "minimum": -90,
              "maximum": 90
            },
            {
              "property": "locationConfigData",
              "at": "/longitude",
              "minimum": -180,
              "maximum": 180
            },
            {
              "property": "locationConfigData",
              "at": "/radius",
              "minimum": 50,
              "maximum": 500
            },
            {
              "property": "locationConfigData",
              "at": "/frequency/everyEntry/cooldownMinutes",
              "minimum": 1,
              "maximum": 1440
            },
            {
              "property": "startDate",
              "notAfter": "endDate"
            }
          ]
        },
        {
          "kind": "log",
          "description": "What was done on a day",
          "identity": {
            "type": "uuid",
            "property": "id"
          },
          "rows": {
            "names": [
              "HabitLogModel",
              "HabitLog"
            ],
            "uniqueUntil": 10
          },
          "document": {
            "path": "logs/{year}/{month}.automerge",
            "month": "date",
            "undated": "logs/undated.automerge"
          },
          "properties": {
            "date": {
              "type": "date"
            },
            "habit": {
              "type": "reference",
              "kind": "habit",
              "onDelete": "delete"
            },
            "habitID": {
              "type": "reference",
              "kind": "habit",
              "description": "the same again, as a value"
            },
            "timezone": {
              "type": "string"
            },
            "value": {
              "type": "double"
            }
          },
          "checks": [
            {
              "property": "habit",
              "present": true
            },
            {
              "property": "habitID",
              "present": true
            },
            {
              "property": "date",
              "present": true
            },
            {
              "property": "timezone",
              "present": true
            },
            {
              "property": "habitID",
              "sameAs": "habit"
            },
            {
              "property": "timezone",
              "timeZone": true
            }
          ]
        },
        {
          "kind": "category",
          "description": "What habits are about",
          "identity": {
            "type": "string",
            "property": "id"
          },
          "rows": {
            "names": [
              "HabitCategoryModel",
              "Category"
            ],
            "uniqueUntil": 10
          },
          "document": {
            "path": "categories.automerge"
          },
          "properties": {
            "colorHex": {
              "type": "string",
              "since": 13
            },
            "displayName": {
              "type": "string"
            },
            "emoji": {
              "type": "string"
            },
            "isActive": {
              "type": "boolean"
            },
            "isPredefined": {
              "type": "boolean"
            },
            "isSystem": {
              "type": "boolean",
              "since": 13
            },
            "name": {
              "type": "string"
            },
            "order": {
              "type": "integer"
            },
            "sortOrder": {
              "type": "integer",
              "since": 13
            }
          },
          "checks": [
            {
              "property": "name",
              "present": true
            },
            {
              "property": "name",
              "maximumLength": 200
            },
            {
              "property": "order",
              "minimum": 0,
              "maximum": 100000
            }
          ]
        },
        {
          "kind": "profile",
          "description": "Who uses the app",
          "identity": {
            "type": "string",
            "property": "id"
          },
          "rows": {
            "names": [
              "UserProfileModel",
              "UserProfile"
            ],
            "single": true,
            "uniqueUntil": 10
          },
          "document": {
            "path": "profile.automerge"
          },
          "properties": {
            "ageGroup": {
              "type": "string",
              "since": 11
            },
            "appearance": {
              "type": "string"
            },
            "avatarImageData": {
              "type": "bytes"
            },
            "createdAt": {
              "type": "date"
            },
            "currentTimezoneIdentifier": {
              "type": "string",
              "since": 9
            },
            "darkModeEnabled": {
              "type": "boolean",
              "since": 13
            },
            "displayTimezoneMode": {
              "type": "string",
              "until": 9
            },
            "displayTimezoneModeData": {
              "type": "json",
              "since": 9
            },
            "gender": {
              "type": "string",
              "since": 11
            },
            "hasSeenOnboarding": {
              "type": "boolean",
              "since": 13
            },
            "homeTimezone": {
              "type": "string",
              "until": 9
            },
            "homeTimezoneIdentifier": {
              "type": "string",
              "since": 9
            },
            "name": {
              "type": "string"
            },
            "notificationsEnabled": {
              "type": "boolean",
              "since": 13
            },
            "preferredTimeZone": {
              "type": "string",
              "since": 13
            },
            "subscriptionExpiryDate": {
              "type": "date",
              "until": 8
            },
            "subscriptionPlan": {
              "type": "string",
              "until": 8
            },
            "subscriptionStatus": {
              "type": "string",
              "since": 13
            },
            "timezoneChangeHistoryData": {
              "type": "json",
              "since": 9,
              "dates": [
                "/*/timestamp"
              ]
            },
            "updatedAt": {
              "type": "date"
            },
            "weekStartDay": {
              "type": "integer",
              "since": 13
            }
          },
          "checks": [
            {
              "property": "name",
              "maximumLength": 200
            },
            {
              "property": "currentTimezoneIdentifier",
              "timeZone": true
            },
            {
              "property": "homeTimezone",
              "timeZone": true
            },
            {
              "property": "homeTimezoneIdentifier",
              "timeZone": true
            },
            {
              "property": "preferredTimeZone",
              "timeZone": true
            }
          ]
        },
        {
          "kind": "onboarding",
          "description": "How far the first steps went",
          "identity": {
            "type": "uuid",
            "property": "id"
          },
          "rows": {
            "names": [
              "OnboardingStateModel",
              "OnboardingState"
            ],
            "single": true,
            "uniqueUntil": 10
          },
          "document": {
            "path": "onboarding.automerge"
          },
          "properties": {
            "completedDate": {
              "type": "date"
            },
            "currentStep": {
              "type": "integer",
              "since": 13
            },
            "hasCompletedOnboarding": {
              "type": "boolean",
              "since": 13
            },
            "hasGrantedNotifications": {
              "type": "boolean"
            },
            "isCompleted": {
              "type": "boolean"
            },
            "lastUpdated": {
              "type": "date",
              "since": 13
            },
            "userName": {
              "type": "string"
            }
          }
        },
        {
          "kind": "personality",
          "description": "What the app made of the habits; it never leaves the device by itself",
          "private": true,
          "identity": {
            "type": "string",
            "property": "id"
          },
          "rows": {
            "names": [
              "PersonalityAnalysisModel",
              "PersonalityAnalysis"
            ],
            "uniqueUntil": 10
          },
          "document": {
            "path": "personality.automerge"
          },
          "properties": {
            "agreeableness": {
              "type": "double",
              "since": 13
            },
            "agreeablenessScore": {
              "type": "double"
            },
            "analysisDate": {
              "type": "date"
            },
            "completionRate": {
              "type": "double",
              "since": 13
            },
            "confidence": {
              "type": "double",
              "since": 13
            },
            "confidenceRawValue": {
              "type": "string"
            },
            "conscientiousness": {
              "type": "double",
              "since": 13
            },
            "conscientiousnessScore": {
              "type": "double"
            },
            "dataPointsAnalyzed": {
              "type": "integer"
            },
            "dominantTraitRawValue": {
              "type": "string"
            },
            "extraversion": {
              "type": "double",
              "since": 13
            },
            "extraversionScore": {
              "type": "double"
            },
            "habitCount": {
              "type": "integer",
              "since": 13
            },
            "neuroticism": {
              "type": "double",
              "since": 13
            },
            "neuroticismScore": {
              "type": "double"
            },
            "openness": {
              "type": "double",
              "since": 13
            },
            "opennessScore": {
              "type": "double"
            },
            "timeRangeAnalyzed": {
              "type": "integer"
            },
            "userId": {
              "type": "string"
            },
            "version": {
              "type": "string"
            }
          }
        }
      ]
    }

    """)
}
