import Diagnostics

/// Bars that set two counts beside each other, month by month or kind by kind: a picture in the page, and
/// the same in words.
struct CountChart {
  /// What stands beside each other.
  struct Bars {
    /// What they are of: a kind, a month or a year.
    var label: String
    var json: Int
    var documents: Int
  }

  /// What there is a pair of bars for.
  enum Subject {
    case kinds
    case months(of: String)
  }

  private let subject: Subject
  /// What holds the one count: JSON, or quarantine.
  private let source: String
  private let bars: [Bars]
  /// Whether the months of a year stand together, because there are too many to tell them apart.
  private let isByYear: Bool
  private let widestLabel: Double
  /// How much room a label has, in widths of its own.
  private static let labelSpace = 1.5
  /// How many kinds or months differ.
  private let differenceCount: Int

  private static let mostBars = 120
  private static let height = 180
  /// How wide a picture is, in the units of its text: one of a few bars fits on a telephone as it is.
  private static let (narrowWidth, wideWidth) = (320, 720)
  /// How wide this one is.
  private let width: Int
  /// Where the bars stand: below the largest count, above the labels.
  private static let (left, top, bottom) = (8, 18, 156)

  init(of subject: Subject, in source: String, _ bars: [Bars]) {
    self.subject = subject
    self.source = source
    differenceCount = bars.count { $0.json != $0.documents }
    isByYear = if case .months = subject { bars.count > Self.mostBars } else { false }
    self.bars = isByYear ? Self.byYear(bars) : bars
    widestLabel = self.bars.reduce(0) { max($0, Self.width(of: $1.label)) }
    let needed = 2 * Double(Self.left) + Double(self.bars.count) * Self.labelSpace * widestLabel
    width = needed <= Double(Self.narrowWidth) ? Self.narrowWidth : Self.wideWidth
  }

  private static func byYear(_ bars: [Bars]) -> [Bars] {
    var years: [Bars] = []
    for bar in bars {
      let year = String(bar.label.prefix(4))
      if years.last?.label != year { years.append(Bars(label: year, json: 0, documents: 0)) }
      years[years.count - 1].json += bar.json
      years[years.count - 1].documents += bar.documents
    }
    return years
  }

  private var largest: Int { max(1, bars.reduce(0) { max($0, $1.json, $1.documents) }) }

  /// What the picture is of.
  private var title: String {
    switch subject {
    case .kinds: "counts by kind"
    case .months(let kind): "\(kind) by \(isByYear ? "year" : "month")"
    }
  }

  /// What the picture shows, in a sentence.
  private var summary: String {
    let json = bars.reduce(0) { $0 + $1.json }
    let documents = bars.reduce(0) { $0 + $1.documents }
    let counts = "\(json.grouped) in \(source), \(documents.grouped) in documents"
    let difference: String
    let text: String
    switch subject {
    case .kinds:
      difference = "kind"
      text = "\(bars.map(\.label).joined(separator: ", ")): \(counts)"
    case .months(let kind):
      difference = "month"
      text =
        "\(kind): \(counts), in \(bars.count.counted(isByYear ? "year" : "month")) from \(bars[0].label) to "
        + bars[bars.count - 1].label
    }
    return text
      + (differenceCount == 0
        ? "; both are equal in each" : "; they differ in \(differenceCount.counted(difference))")
  }

  func write(to html: inout HTMLWriter) {
    guard !bars.isEmpty else { return }
    html.element("figure") { html in
      if width == Self.narrowWidth {
        picture("narrow", to: &html)
      } else {
        // Too small to read where the page is narrow, it scrolls by itself there.
        html.element(
          "div", ("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", title)
        ) { html in picture("wide", to: &html) }
      }
      html.element("figcaption") { html in
        html.text(summary + ".")
        html.markup("<span class=\"key json\"></span>")
        html.text(source)
        html.markup("<span class=\"key document\"></span>documents")
      }
    }
  }

  private func picture(_ style: String, to html: inout HTMLWriter) {
    html.element(
      "svg", ("class", style), ("viewBox", "0 0 \(width.description) \(Self.height.description)"),
      ("role", "img"), ("aria-label", summary)
    ) { html in
      draw(to: &html)
    }
  }

  private func draw(to html: inout HTMLWriter) {
    let step = Double(width - 2 * Self.left) / Double(bars.count)
    let bar = min(28, step * 0.4)
    html.element(
      "line", ("class", "axis"), ("x1", Self.left.description), ("y1", Self.bottom.description),
      ("x2", (width - Self.left).description), ("y2", Self.bottom.description), text: "")
    html.element(
      "text", ("x", Self.left.description), ("y", "12"), text: largest.grouped)
    // A label every so often, so that none runs into the next: not the first and the last either, which
    // stay inside the picture.
    let every = max(1, Int((Self.labelSpace * widestLabel / step).rounded(.up)))
    for (index, bars) in bars.enumerated() {
      let middle = Double(Self.left) + (Double(index) + 0.5) * step
      draw(bars.json, "json", at: middle - bar, bar, to: &html)
      draw(bars.documents, "document", at: middle, bar, to: &html)
      if index.isMultiple(of: every), !bars.label.isEmpty {
        html.element(
          "text", ("x", Self.text(self.middle(of: bars.label, at: middle))),
          ("y", (Self.height - 6).description), ("text-anchor", "middle"), text: bars.label)
      }
    }
  }

  /// Where the middle of a label is, below its bars as far as all of it is seen.
  private func middle(of label: String, at x: Double) -> Double {
    let half = Self.width(of: label) / 2
    return max(half, min(x, Double(width) - half))
  }

  /// How wide a label gets at most in most fonts.
  private static func width(of label: String) -> Double { Double(label.count) * 6.6 }

  private func draw(
    _ count: Int, _ style: String, at x: Double, _ width: Double, to html: inout HTMLWriter
  ) {
    guard count > 0 else { return }
    // What is there is seen, however little it is.
    let height = max(1.5, Double(count) / Double(largest) * Double(Self.bottom - Self.top))
    html.element(
      "rect", ("class", style), ("x", Self.text(x)), ("y", Self.text(Double(Self.bottom) - height)),
      ("width", Self.text(width)), ("height", Self.text(height)), text: "")
  }

  /// A coordinate with one decimal.
  private static func text(_ value: Double) -> String { ((value * 10).rounded() / 10).description }
}
