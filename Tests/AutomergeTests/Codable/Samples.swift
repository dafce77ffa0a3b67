import Automerge
import Foundation

/// Types like those that apps keep in documents.
enum Samples {
  struct Position: Codable, Equatable {
    var latitude: Double
    var longitude: Double
    var altitude: Double?
  }

  enum Mood: String, Codable {
    case good, bad
  }

  struct Entry: Codable, Equatable {
    var id: UUID
    var start: Date
    var comment: String?
    var mood: Mood
    var position: Position
    var ratings: [Int]
    var notes: AutomergeText
  }

  struct Journal: Codable, Equatable {
    var title: String
    var entries: [Entry]
    var tags: [String: [String]]
    var cover: Data?
    var page: URL
    var visits: Counter
  }

  static func entry(_ number: Int) -> Entry {
    Entry(
      id: UUID(uuid: (UInt8(number), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
      start: Date(timeIntervalSince1970: Double(number) * 86_400 + 0.25),
      comment: number.isMultiple(of: 2) ? nil : "comment \(number)",
      mood: number.isMultiple(of: 3) ? .good : .bad,
      position: Position(
        latitude: Double(number), longitude: -0.5, altitude: number == 1 ? 112 : nil),
      ratings: Array(0..<number), notes: AutomergeText("notes 👩‍👩‍👧 \(number)"))
  }

  static func journal(entries: Range<Int> = 0..<4) throws -> Journal {
    guard let page = URL(string: "https://example.org/a%20b?c=d#e") else {
      throw URLError(.badURL)
    }
    return Journal(
      title: "Journal", entries: entries.map(entry), tags: ["2026": ["a", "b"], "none": []],
      cover: Data([0, 1, 255]), page: page, visits: Counter(5))
  }
}
