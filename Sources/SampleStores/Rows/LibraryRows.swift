import SampleFolders

/// Books, who wrote them, and where they stand.
struct LibraryRows: SampleRows {
  private let source: SampleSource
  private let counts: [String: Int]

  let entities = ["Shelf", "Author", "Reader", "Tag", "Loan", "Book"]

  init(_ plan: StorePlan) {
    source = SampleSource(plan: plan)
    var rest = plan.rowCount
    func take(_ count: Int) -> Int {
      let taken = min(count, rest)
      rest -= taken
      return taken
    }
    let few = 1 + plan.rowCount / 20
    counts = [
      "Shelf": take(min(few, 40)), "Author": take(few), "Reader": take(few), "Tag": take(few),
      "Loan": take(few), "Book": rest,
    ]
  }

  func count(of entity: String) -> Int { counts[entity] ?? 0 }

  func row(_ index: Int, of entity: String) -> [String: SampleCell] {
    var random = source.random(index, of: entity)
    func row(of entity: String, _ index: Int) -> SampleCell {
      count(of: entity) == 0 ? .null : .row(entity, index % count(of: entity))
    }
    switch entity {
    case "Shelf": return ["name": .text("Shelf \(index)")]
    case "Tag": return ["word": .text("tag \(index)"), "Book.tags": row(of: "Book", index * 3)]
    case "Loan": return ["days": .number(random.number(below: 60)), "book": row(of: "Book", index)]
    case "Author":
      return [
        "id": source.uuid(index, of: entity).cell, "name": .text("Author \(index)"),
        "penName": random.happens(40) ? .text("George \(index)") : .null,
      ]
    case "Reader":
      let isPlaced = random.happens(60)
      return [
        "id": source.uuid(index, of: entity).cell, "name": .text("Reader \(index)"),
        "card": random.happens(80) ? .number(1000 + index) : .null,
        "latitude": isPlaced ? .real(52.52) : .null, "longitude": isPlaced ? .real(13.405) : .null,
      ]
    default:
      let cents = 499 + random.number(below: 9000)
      let size = index % 10 == 1 ? 120_000 : random.number(below: 64)
      return [
        "title": .text("Book \(index)"),
        "addedAt": .real(source.moment(index, of: count(of: entity), &random)),
        "cover": index % 10 < 3
          ? .data((0..<size).map { _ in UInt8(truncatingIfNeeded: random.bits()) }) : .null,
        "extra": index % 8 == 0 ? .blob(SamplePropertyList.date(700_000_000.5).bytes) : .null,
        "isRead": .boolean(source.isEdited(index)),
        "pages": random.happens(90) ? .number(20 + random.number(below: 900)) : .null,
        "price": index % 9 == 8 ? .null : .text("\(cents / 100).\(cents % 100 / 10)\(cents % 10)"),
        "rating": random.happens(50) ? .real(Double(random.number(below: 11)) / 2) : .null,
        "site": index % 4 == 0 ? .text("https://example.org/\(index)") : .null,
        "author": index % 13 == 12 ? .null : row(of: "Author", index),
        "owner": row(of: index % 2 == 0 ? "Reader" : "Author", index),
      ]
    }
  }

  func links(of key: String) -> [(Int, Int)] {
    let shelves = count(of: "Shelf")
    guard key == "Book.shelves", shelves > 0 else { return [] }
    return (0..<count(of: "Book")).flatMap { book in
      book % 5 == 4 && shelves > 1
        ? [(book, book % shelves), (book, (book + 1) % shelves)] : [(book, book % shelves)]
    }
  }
}
