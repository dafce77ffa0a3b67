import Diagnostics
import Testing

@testable import MigrationCore
@testable import Runs

@Suite struct FindingOrderTests {
  @Test func `a finding is told once, and by path, gravest first`() {
    let one = Finding(.damaged, .error, path: "b", message: "m")
    let other = Finding(.damaged, .error, path: "b", message: "n")
    let mild = Finding(.foreignFile, .info, path: "b", message: "m")
    let first = Finding(.foreignFile, .info, path: "a", message: "m")
    #expect([mild, one, first, other, one, mild].inReportOrder() == [first, one, other, mild])
  }
}
