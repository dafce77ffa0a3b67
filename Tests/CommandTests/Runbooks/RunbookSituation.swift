import Automerge
import Foundation

/// The situations that runbooks are followed in, by the name a page calls them.
///
/// All are made of the sample folder, by what makes them in life: the commands, the app, a sync
/// service, a kill, a disk.
enum RunbookSituation {
  typealias Preparation = @Sendable (RunbookSandbox) throws -> Void

  static let all: [String: Preparation] = [
    "a folder of JSON that nobody has migrated": { sandbox in try sandbox.copySample() },
    "a folder of an app that nothing here knows": { sandbox in try sandbox.copyGreenhouse() },
    "a folder with a record that cannot be imported": { sandbox in
      try sandbox.copySample()
      try sandbox.replace(
        "2024-03-04T07:40:15Z", by: "last monday", in: "records/2024/03/2024-03-04_084015.json")
    },
    "a migration that was killed half way": killedMigration,
    "a clean-up that was killed half way": { sandbox in
      try sandbox.copySample()
      try sandbox.prepare("migrate-folder Minuta --cleanup --layout per-record")
      let run = try sandbox.quarantineRuns().last ?? ""
      for month in 7...12 {
        let path = "records/2024/\(month < 10 ? "0" : "")\(month)"
        try sandbox.moveLegacyFiles(from: "\(run)/\(path)", to: path)
      }
    },
    "a restore that was killed half way": { sandbox in
      try migratedFolder(sandbox)
      try sandbox.prepare("pack-backup Minuta")
      try sandbox.killRestore(moved: "tags.automerge")
    },
    "a migrated folder in which two months are missing": { sandbox in
      try migratedFolder(sandbox)
      try sandbox.remove("records/2024/02.automerge")
      try sandbox.prepare("pack-backup Minuta")
      try sandbox.remove("records/2023/05.automerge")
    },
    "a migrated folder in which the user deleted a record": { sandbox in
      try migratedFolder(sandbox)
      try sandbox.edit("records/2024/03.automerge") { month in
        try month.delete(obj: .ROOT, key: RunbookSandbox.meeting)
      }
    },
    "a damaged document": { sandbox in
      try migratedFolder(sandbox)
      try sandbox.prepare("pack-backup Minuta")
      try sandbox.damage("records/2024/03.automerge")
    },
    "a damaged document that no backup holds": { sandbox in
      try migratedFolder(sandbox)
      try sandbox.damage("records/2024/03.automerge")
    },
    "a migrated folder that was edited since": editedFolder,
    "a folder with conflict copies of two devices": conflictCopies,
    "a folder that the apps of two devices have migrated": twoMigrations,
    "a folder whose JSON was changed after the migration": { sandbox in
      try sandbox.copySample()
      try sandbox.prepare("migrate-folder Minuta --layout monthly")
      try sandbox.edit("records/2024/03.automerge") { month in
        try month.set("comment", of: RunbookSandbox.meeting, to: "with the whole team")
      }
      try sandbox.replace(
        "Café au coin", by: "with Bert", in: "records/2024/03/2024-03-11_181634.json")
      try sandbox.replace(
        "회의 준비", by: "prepared", in: "records/2024/03/2024-03-31_171929.json")
    },
    "a disk that became full during a migration": { sandbox in
      try sandbox.useDisk(kilobytes: 4096)
      let sample = BuiltCommands.packageRoot.appending(path: "fixtures/sample-folder").path
      try sandbox.prepare("cp -R '\(sample)' Minuta")
      try sandbox.prepare("head -c 1500000 /dev/zero >film.mov")
    },
    "a store whose rows are gone": { sandbox in
      try sandbox.makeStore("LaundryTime", of: "laundrytime")
      try sandbox.prepare("pack-backup LaundryTime/default.store")
      try sandbox.replaceStore("LaundryTime", of: "laundrytime", damage: "emptied")
    },
    "a backup that its app restored to a place where nothing looks": { sandbox in
      try sandbox.makeStore("Old", of: "ritualist", "--rows 200")
      try sandbox.makeStore("Ritualist", of: "ritualist", "--rows 100")
      for suffix in ["", "-wal"] {
        try sandbox.prepare("mv Old/CloudKit.store\(suffix) Ritualist/Ritualist.sqlite\(suffix)")
      }
      try sandbox.prepare("rm -r Old")
      try sandbox.writePreferences(
        "ritualist.plist", ["com.ritualist.pendingRestore": "Backups/Ritualist_backup.sqlite"])
    },
    "a migration that an app did not finish": { sandbox in
      try sandbox.makeStore("LaundryTime", of: "laundrytime", "--schema-version V1")
      let attempt: [String: Any] = [
        "fromVersion": "1.0.0", "toVersion": "2.0.0", "duration": 3.5, "recordCount": 300,
        "success": false, "timestamp": Date(timeIntervalSinceReferenceDate: 800_000_000),
        "iosVersion": "18.2", "deviceModel": "iPhone",
      ]
      try sandbox.writePreferences(
        "laundrytime.plist",
        [
          "migrationMetrics": [attempt], "isMigrating": true, "lastSuccessfulVersion": "1.0.0",
        ])
    },
    "a store beside which lies the log of another one": { sandbox in
      try sandbox.makeStore("LaundryTime", of: "laundrytime", "--damage stale-wal")
    },
    "a store that is damaged": damagedStore,
    "a store that is damaged, and that a backup holds": damagedStore,
    "a folder of settings in which a plan was run": { sandbox in
      try sandbox.copySettings()
      // A step waits for a keychain, so the status is 1.
      try sandbox.prepare(
        "migrate-schema local-data.json App --app-version 1.9 --set at=2026-01-01T00:00:00Z || [ $? -eq 1 ]"
      )
    },
    "a folder in which a plan was stopped in the middle": { sandbox in
      try sandbox.copySettings()
      try sandbox.prepare(
        "migrate-schema local-data.json App --app-version 1.9 --to move-setting || [ $? -eq 1 ]")
      let state = "App/.automerge-migrate.nosync"
      try sandbox.prepare(
        "mkdir -p App/legacy && mv \(state)/schema/move-setting/1/legacy/theme.json App/legacy")
      try sandbox.prepare("sed -i.bak '$d' \(state)/schema.jsonl && rm \(state)/schema.jsonl.bak")
    },
    "documents that a plan has changed, and the app since": { sandbox in
      try sandbox.copySample()
      try sandbox.copyPlan("minuta-comments-as-texts")
      try sandbox.prepare("import-crdt Minuta -q")
      try sandbox.prepare("migrate-schema minuta-comments-as-texts.json Minuta -q")
      try sandbox.edit("records/2024/03.automerge") { month in
        try month.set("comment", of: RunbookSandbox.meeting, to: "moved to Friday")
      }
    },
    "a stream with values that a plan cannot change": { sandbox in try sandbox.writePeople() },
    "stores of the version that people have, and of a new one": { sandbox in
      try sandbox.makeStore("Old", of: "ritualist", "--schema-version V10")
      try sandbox.makeStore("New", of: "ritualist", "--schema-version V11")
    },
    "a folder with years that nobody looks at any more": migratedFolder,
    "a folder with old backups and an old quarantine": { sandbox in
      try migratedFolder(sandbox)
      for day in 1...4 {
        try sandbox.edit("records/2024/03.automerge") { month in
          try month.set("comment", of: RunbookSandbox.meeting, to: "day \(day)")
        }
        try sandbox.prepare("pack-backup Minuta")
      }
    },
  ]

  @Sendable static func migratedFolder(_ sandbox: RunbookSandbox) throws {
    try sandbox.copySample()
    try sandbox.prepare("migrate-folder Minuta --cleanup --layout monthly")
  }

  /// Everything up to a point in the middle of the import is done, and a temporary file is left.
  @Sendable private static func killedMigration(_ sandbox: RunbookSandbox) throws {
    try sandbox.copySample()
    try sandbox.prepare("migrate-folder Minuta --layout per-record")
    for path in try sandbox.documentPaths() where path >= "records/2024/03/" && path < "s" {
      try sandbox.remove(path)
    }
    try sandbox.leaveLastRunDead()
    let torn = try Data(contentsOf: sandbox.folder.appending(path: "tags.automerge")).prefix(100)
    try torn.write(
      to: sandbox.folder.appending(
        path: "records/2024/03/.2024-03-01_011500.automerge.4f0c11de91ab07c2.tmp.nosync"))
  }

  /// Two devices edited one month and the tags while they were offline; the tags of one of them
  /// had nothing new.
  @Sendable private static func conflictCopies(_ sandbox: RunbookSandbox) throws {
    try migratedFolder(sandbox)
    let month = "records/2024/03.automerge"
    try sandbox.copyDocument("tags.automerge", to: "tags 2.automerge")
    try sandbox.edit(
      month, copiedTo: "records/2024/03 (Anna's conflicted copy 2026-01-06).automerge", by: "anna"
    ) { copy in
      try copy.set("comment", of: RunbookSandbox.meeting, to: "with Bert")
      try copy.set("comment", of: RunbookSandbox.preparation, to: "at home")
    }
    try sandbox.edit(month, by: "bert") { base in
      try base.set("comment", of: RunbookSandbox.meeting, to: "with Anna")
    }
  }

  /// The app of each device made an object of its own for every record of a month, and the sync
  /// service left both documents; one device has added a comment.
  @Sendable private static func twoMigrations(_ sandbox: RunbookSandbox) throws {
    try migratedFolder(sandbox)
    let month = "records/2024/03.automerge"
    try sandbox.makeSeparately(
      month, as: "records/2024/03 (Anna's conflicted copy 2026-01-06).automerge", by: "anna"
    ) { copy in
      try copy.set("comment", of: RunbookSandbox.preparation, to: "at home")
    }
    try sandbox.makeSeparately(month, by: "bert")
  }

  /// One record was edited, one was deleted, one was added.
  @Sendable private static func editedFolder(_ sandbox: RunbookSandbox) throws {
    try migratedFolder(sandbox)
    try sandbox.edit("records/2024/03.automerge") { month in
      try month.set("comment", of: RunbookSandbox.meeting, to: "with the whole team")
      try month.delete(obj: .ROOT, key: "3FCD1557-5A15-406C-88F7-3CDD3BD269BB")
      let added = try month.putObject(
        obj: .ROOT, key: "7F1F1C4E-6E0B-4C0C-9E43-0D8D1C5B7A04", ty: .Map)
      try month.put(
        obj: added, key: "startTime",
        value: .Timestamp(Date(timeIntervalSince1970: 1_711_440_000)))
      _ = try month.putObject(obj: added, key: "images", ty: .List)
    }
  }

  private static let damagedStore: Preparation = { sandbox in
    try sandbox.makeStore("LaundryTime", of: "laundrytime")
    try sandbox.prepare("pack-backup LaundryTime/default.store")
    try sandbox.replaceStore("LaundryTime", of: "laundrytime", damage: "truncated")
  }
}
