/// The words of a sample folder: everything people type, in every form that went wrong somewhere.
enum SampleText {
  static let tags = [
    "Work", "Familie", "Étude", "Caf\u{65}\u{301}", "読書", "Sport 🏃🏽‍♀️", "Hausarbeit",
    "Reading \"list\"",
    "עברית", "Projekt/α", "Music & Noise", "old \\ unused",
  ]
  static let colors = [
    "#FF8800", "#3366CC", "#00aa55", "#9B59B6", "#E74C3C", "#2ECC71", "#1ABC9C", "#F1C40F",
    "#34495E", "#7F8C8D", "#000000", "#FFFFFF",
  ]
  static let comments = [
    "Call with the team", "Weekly review", "Café au coin ☕", "Cafe\u{301} au coin",
    "Zoë's appointment",
    "会議の準備と議事録", "회의 준비", "🧑🏽‍💻 deep work 🎧", "Überstunden für Müller & Söhne",
    "first line\nsecond line",
    "tab\tseparated", "\"quoted\" and back\\slash", "عربي مع English", "a/b testing",
    "  leading and trailing  ",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 beyond the first plane", "zero\u{200b}width", "100 % done", "\u{1f1e9}\u{1f1ea} trip",
  ]
  static let notes = """
    Things to do in the folder of the time tracker:
    - nothing, the app does it
    """
  /// What the Finder leaves behind; only its first bytes matter.
  static let finderState: [UInt8] =
    [0, 0, 0, 1] + Array("Bud1".utf8) + [0, 0, 0x10, 0] + [UInt8](repeating: 0, count: 52)
}
