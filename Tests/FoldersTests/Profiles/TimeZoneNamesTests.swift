import Testing

@testable import Folders

/// Which texts are names of time zones.
@Suite struct TimeZoneNamesTests {
  @Test(arguments: [
    "Europe/Berlin", "UTC", "GMT", "Zulu", "CET", "America/Argentina/Buenos_Aires",
    "Africa/Abidjan",
    "Etc/GMT+5", "US/Pacific", "Asia/Kolkata", "GMT+2", "GMT-0330", "GMT+05:30", "GMT+0200",
    "GMT-12",
  ])
  func `a name of the database or of an offset is one`(name: String) {
    let bytes = Array(name.utf8)
    let isOne = TimeZoneNames.contains(bytes.span)
    #expect(isOne)
  }

  @Test(arguments: [
    "", "Mars/Olympus_Mons", "europe/berlin", "Europe/Berlin ", "Europe", "Berlin", "GMT+",
    "GMT+19",
    "GMT+0260", "GMT+020", "GMT+1:5", "GMT+00200", "GMT+2h", "UTC+2", ".", ":", "Europe/",
    "\u{1F30D}",
  ])
  func `anything else is none`(name: String) {
    let bytes = Array(name.utf8)
    let isOne = TimeZoneNames.contains(bytes.span)
    #expect(!isOne)
  }
}
