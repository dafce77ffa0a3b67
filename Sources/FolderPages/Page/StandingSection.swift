import Diagnostics
import Folders
import MigrationCore

/// Where the folder stands, in a word, and what to run next.
struct StandingSection {
  private let overview: FolderOverview

  init(_ overview: FolderOverview) { self.overview = overview }

  func write(to html: inout HTMLWriter) {
    html.heading(1, ("id", html.id("title")), text: overview.folder)
    html.element("p", ("class", "soft")) { html in
      html.text(
        "Profile \(overview.profile), looked at on \(UTCText.long(overview.moment))"
          + (overview.isAnonymous ? "; names and values are left out." : "."))
    }
    html.element("div", ("class", "standing \(style)")) { html in
      html.element("p", ("class", "word"), text: Self.word(for: overview))
      html.element("p", text: sentence)
      writeObstacles(to: &html)
    }
    writeNext(to: &html)
  }

  /// Says what made a page.
  static func writeOrigin(_ version: String, _ system: String, to html: inout HTMLWriter) {
    html.element("p", ("class", "soft")) { html in
      html.text(
        "Made by automerge-migrate \(version) on \(system). The page holds no script and fetches "
          + "nothing.")
    }
  }

  /// Where a folder stands, in a word.
  static func word(for overview: FolderOverview) -> String {
    overview.status?.status.rawValue ?? "not told"
  }

  private var style: String {
    guard let status = overview.status, overview.gaps.isEmpty, !status.differs else { return "bad" }
    switch status.status {
    case .empty, .unknown: return "plain"
    case .legacy, .migrating: return "warn"
    case .migrated, .cleaned: return overview.isSound ? "good" : "warn"
    case .mixed: return "bad"
    }
  }

  private var sentence: String {
    guard let status = overview.status else {
      return "Nobody can say where the folder stands, because it could not be looked at."
    }
    let documents = status.documents.counted("document")
    let files = status.legacyFiles.counted("JSON file")
    switch status.status {
    case .empty: return "There is no JSON and no document in it."
    case .unknown: return "There is nothing in it that the profile knows."
    case .legacy: return "\(files), and no document yet."
    case .migrating:
      return "\(files) and \(documents); "
        + "\(status.missingEntities.counted("entity is", "entities are")) in no document yet."
    case .migrated:
      return "\(files) and \(documents); "
        + (overview.isSound
          ? "each entity of the JSON was compared and is in a document."
          : "what was compared is in a document. Not everything was: see the findings.")
    case .cleaned:
      return status.legacyFiles == 0
        ? "\(documents), and no JSON beside them."
        : "\(documents), and \(files) that no document is made of."
    case .mixed: return "\(files) and \(documents), and errors stand in the way."
    }
  }

  private func writeObstacles(to html: inout HTMLWriter) {
    guard let status = overview.status else {
      _ = overview.writeGap(.standing, to: &html)
      return
    }
    var lines = status.errors.map { "In the way: \($0.count.grouped) × \($0.code.rawValue)." }
    lines += status.damagedDocuments.prefix(20).map { "Damaged: \($0)." }
    lines += status.notLookedAt.prefix(20).map { "Not looked at: \($0)." }
    lines += overview.gaps.map { "Not looked at: \($0.part.rawValue)." }
    if lines.isEmpty { return }
    html.element("ul") { html in
      for line in lines { html.element("li", text: line) }
    }
  }

  private func writeNext(to html: inout HTMLWriter) {
    guard let status = overview.status else { return }
    html.heading(2, ("class", "next"), text: "What to run next")
    guard !status.next.isEmpty else {
      html.element("p", text: "Nothing.")
      return
    }
    for command in status.next {
      html.element("pre") { html in html.element("code", text: command) }
    }
  }
}
