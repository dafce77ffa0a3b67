import Folders
import SafeFiles

/// Writes values of lines of a stream as an app's own JSON has them.
struct AppFormatWriter {
  /// What was written, a piece for the caller to take.
  var json = JSONWriter()
  /// What has no place in the app's JSON, by kind and name, with how many values of it there are.
  private(set) var lost: [String: Int] = [:]
  /// What the app takes for a value that is not there.
  private(set) var replaced: [String: Int] = [:]
  /// How many dates lost their fraction of a second.
  private(set) var roundedCount = 0
  /// The identities of each kind that something leads to.
  var identities: [String: Set<[UInt8]>] = [:]
  /// The bytes of a value that is too large for a stream; nil if they cannot be had.
  var blob: (BlobReference) -> [UInt8]? = { _ in nil }

  /// What is being written.
  struct Place {
    let batch: EntityBatch
    let identity: [UInt8]
    /// What messages call it.
    var name: String
  }

  /// Counts the values of an entity or object that nothing takes.
  mutating func noteLost(_ node: Int, besides taken: Set<String>, _ place: Place) {
    let tape = place.batch.tape
    guard tape.kind(of: node) == .object else { return }
    var member = node + 1
    while member < tape.node(after: node) {
      let name = tape.displayedString(at: member)
      if tape.kind(of: member + 1) != .null, !taken.contains(name) {
        lost["\(place.name).\(name)", default: 0] += 1
      }
      member = tape.node(after: member + 1)
    }
  }

  /// Writes a value; false, and nothing of it, if there is none that the app could read.
  mutating func write(_ template: AppTemplate, _ node: Int, _ place: Place) -> Bool {
    let tape = place.batch.tape
    switch template {
    case .value:
      guard tape.kind(of: node) != .null else { return false }
      // Bytes that are no JSON; the app cannot read them either.
      if place.batch.streamType(of: node) == .bytes {
        if !tape.bytes(of: node).isEmpty { lost[place.name, default: 0] += 1 }
        return false
      }
      json.value(node, of: tape)
    case .identity: json.string(place.identity.span)
    case .literal(let text): json.value(written: Array(text.utf8).span)
    case .date: return writeDate(node, place)
    case .bytes:
      guard tape.kind(of: node) == .string else { return false }
      guard let reference = BlobReference(tape.text.span.extracting(tape.range(of: node))) else {
        json.value(node, of: tape)
        return true
      }
      guard let bytes = blob(reference) else { return false }
      json.string(Base64.encode(bytes.span).span)
    case .link(let kind):
      guard tape.kind(of: node) == .string,
        identities[kind]?.contains(tape.bytes(of: node)) ?? false
      else { return false }
      json.value(node, of: tape)
    case .member(let names, let template):
      guard let (name, value) = member(names, of: node, tape) else { return false }
      var inner = place
      inner.name += ".\(name)"
      return write(template, value, inner)
    case .first(let templates):
      for template in templates where write(template, node, place) { return true }
      return false
    case .choice(let name, let cases, let otherwise):
      guard let value = name.map({ member([$0], of: node, tape)?.value }) ?? node else {
        return false
      }
      guard [.string, .number].contains(tape.kind(of: value)) else { return false }
      let text = tape.bytes(of: value)
      let found = cases.first { text.elementsEqual($0.0.utf8) }?.1 ?? otherwise
      return found.map { write($0, node, place) } ?? false
    case .list(let element):
      guard tape.kind(of: node) == .array else { return false }
      json.beginArray()
      var item = node + 1
      while item < tape.node(after: node) {
        if !write(element, item, place) { lost[place.name, default: 0] += 1 }
        item = tape.node(after: item)
      }
      json.endArray()
    case .object(let members): return write(members, node, place)
    }
    return true
  }

  /// The first member of these names that has a value.
  private func member(_ names: [String], of node: Int, _ tape: JSONTape) -> (
    name: String, value: Int
  )? {
    guard tape.kind(of: node) == .object else { return nil }
    for name in names {
      if let value = tape.member(name, of: node), tape.kind(of: value) != .null {
        return (name, value)
      }
    }
    return nil
  }

  private mutating func write(_ members: [AppMember], _ node: Int, _ place: Place) -> Bool {
    let start = json.mark
    json.beginObject()
    for member in members {
      let mark = json.mark
      json.name(Array(member.name.utf8).span)
      if write(member.template, node, place) { continue }
      switch member.absence {
      case .leftOut: json.rewind(to: mark)
      case .refused:
        json.rewind(to: start)
        // Whole entities are counted by who asks for them.
        if place.name.contains(".") { lost[place.name, default: 0] += 1 }
        return false
      case .literal(let text, let isTold):
        json.value(written: Array(text.utf8).span)
        if isTold { replaced["\(place.name).\(member.name)", default: 0] += 1 }
      }
    }
    json.endObject()
    // Of a whole entity several sections take members.
    if place.name.contains(".") {
      noteLost(node, besides: AppTemplate.object(members).taken, place)
    }
    return true
  }

  /// Writes a date without its fraction: a text, a time that no text can say, or seconds since 2001 as
  /// the app's own code has them.
  private mutating func writeDate(_ node: Int, _ place: Place) -> Bool {
    guard let milliseconds = Self.milliseconds(of: node, place.batch) else { return false }
    let whole = milliseconds - ((milliseconds % 1000) + 1000) % 1000
    let moment = RFC3339(milliseconds: whole)
    guard moment.isWritable else { return false }
    if whole != milliseconds { roundedCount += 1 }
    json.string(moment)
    return true
  }

  /// Milliseconds since 1970 of a date; nil if a value is none, or no year of four digits has it.
  static func milliseconds(of node: Int, _ batch: EntityBatch) -> Int64? {
    let tape = batch.tape
    switch tape.kind(of: node) {
    case .string: return tape.moment(at: node)?.milliseconds
    case .number where batch.streamType(of: node) == nil:
      guard let seconds = Double(String(decoding: tape.bytes(of: node), as: UTF8.self)),
        let since2001 = Int64(exactly: (seconds * 1000 + 0.5).rounded(.down)),
        RFC3339.writable.contains(since2001)
      else { return nil }
      return since2001 + 978_307_200_000
    default: return nil
    }
  }
}
