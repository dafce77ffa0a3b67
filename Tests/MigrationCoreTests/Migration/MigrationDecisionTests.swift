import Diagnostics
import Folders
import Runs
import Testing

@testable import MigrationCore

/// What follows from where a folder stands, without a folder.
@Suite struct MigrationDecisionTests {
  private func decision(
    _ layouts: [DocumentLayout] = [], asked: DocumentLayout? = nil, evident: DocumentLayout? = nil,
    cleansUp: Bool = true, status: FolderStatus = .migrating
  ) -> MigrationDecision {
    var decision = MigrationDecision(status: status)
    decision.layouts = layouts
    decision.layout = asked
    decision.evidentLayout = evident
    decision.cleansUp = cleansUp
    return decision
  }

  @Test func `only a folder with legacy files is migrated`() {
    let migrated = FolderStatus.allCases.filter { decision(status: $0).migrates }
    #expect(Set(migrated) == [.legacy, .migrating, .migrated, .mixed])
    #expect(decision(status: .cleaned).refusal(of: "F") == nil)
  }

  @Test func `documents are read only where a clean-up depends on them`() {
    #expect(decision([.monthly]).needsEvidence)
    #expect(!decision([.monthly], cleansUp: false).needsEvidence)
    #expect(!decision([.monthly], asked: .monthly).needsEvidence)
    #expect(!decision([.perRecord], evident: .perRecord).needsEvidence)
    #expect(!decision([.monthly, .perRecord]).needsEvidence)
  }

  @Test func `where the profile says where documents lie there is no layout to choose`() {
    var decision = decision()
    decision.hasOneLayout = true
    #expect(decision.isLayoutKnown && !decision.needsEvidence)
    #expect(decision.refusal(of: "F") == nil)
    for layout in DocumentLayout.allCases {
      decision.layout = layout
      #expect(decision.refusal(of: "F")?.diagnostic.kind == .usage)
    }
  }

  @Test func `a clean-up needs a layout that somebody has chosen`() {
    #expect(decision().refusal(of: "F")?.diagnostic.kind == .conflictsWithData)
    #expect(decision([.monthly]).refusal(of: "F")?.diagnostic.kind == .conflictsWithData)
    #expect(decision([.monthly], evident: .monthly).refusal(of: "F") == nil)
    #expect(decision(asked: .perRecord).refusal(of: "F") == nil)
    #expect(decision(cleansUp: false).refusal(of: "F") == nil)
  }

  @Test(arguments: DocumentLayout.allCases, DocumentLayout.allCases)
  func `documents of another layout than the one asked for are read by nobody`(
    there: DocumentLayout, asked: DocumentLayout
  ) {
    #expect(decision([there], asked: asked).unread == (there == asked ? nil : there))
    let refusal = decision([there], asked: asked).refusal(of: "F")
    #expect((refusal == nil) == (there == asked))
    #expect(decision([there], asked: asked, cleansUp: false).refusal(of: "F") == nil)
    #expect(decision(DocumentLayout.allCases, asked: asked).unread != nil)
    #expect(decision([there]).unread == nil)
  }
}
