import Diagnostics
import Fleets
import Testing

@Suite struct FleetTaskTests {
  @Test(arguments: [
    [], ["--layout", "monthly"], ["", "a b", "{}", "it's", "é", "%", ",", "\n"],
  ])
  func `options go through a shell and a scheduler as they are`(options: [String]) throws {
    let task = FleetTask(.migrateFolder, options: options)
    let plain = task.encoded.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || [0x2c, 0x2d, 0x25].contains(byte)
    }
    #expect(plain, "\(task.encoded)")
    #expect(FleetTask(encoded: task.encoded) == task)
  }

  @Test(arguments: [
    "", "rm", "migrate-folder,%", "migrate-folder,%f", "migrate-folder,%zz", "migrate-folder,%ff",
    "restore-backup",
  ])
  func `what is no task is refused`(text: String) {
    #expect(FleetTask(encoded: text) == nil)
  }

  @Test func `the folder is the last word`() {
    let task = FleetTask(.migrateSchema, options: ["plan.json", "--dry-run"])
    #expect(
      task.command(for: "/srv/a").words == ["migrate-schema", "plan.json", "--dry-run", "/srv/a"])
  }
}
