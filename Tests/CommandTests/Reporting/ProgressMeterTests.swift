import MigrationCore
import Runs
import Testing

@testable import CommandLineSupport

@Suite struct ProgressMeterTests {
  @Test func `a reading shows the rate and the time left`() {
    let reading = RunProgress(.converting, completed: 25_000, total: 100_000)
    #expect(
      ProgressMeter.line(reading, elapsed: .milliseconds(500))
        == "converting  25,000 of 100,000  50,000/s  1.50 s left")
  }

  @Test func `without a total there is no time left`() {
    let reading = RunProgress(.listing, completed: 300, total: 0)
    #expect(ProgressMeter.line(reading, elapsed: .seconds(2)) == "listing  300  150/s")
  }

  @Test func `nothing is divided by nothing`() {
    let start = RunProgress(.packing, completed: 0, total: 10)
    #expect(ProgressMeter.line(start, elapsed: .seconds(3)) == "packing  0 of 10")
    let instant = RunProgress(.packing, completed: 10, total: 10)
    #expect(ProgressMeter.line(instant, elapsed: .zero) == "packing  10 of 10")
  }
}
