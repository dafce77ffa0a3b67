import Diagnostics
import SafeFiles

/// What a group of files is taken for, with what that was seen in.
struct KindDraft {
  let name: String
  let patterns: [PathPattern]
  let container: FileShape.Container?
  let survey: KindSurvey
  let identity: IdentityRule
  /// Why that is the identity.
  let identityEvidence: String
  /// What the files are, for people.
  let filesEvidence: String

  /// The hashes of all identities; empty where there are none to refer to.
  var identities: Set<UInt64> {
    switch identity {
    case .uuid(let name), .string(let name): survey.properties[name.bytes]?.values ?? []
    case .member, .file: survey.names
    case .row, .singleton: []
    }
  }

  /// The members that are no identity, by the bytes of their names.
  var properties: [(name: PropertyName, survey: PropertySurvey)] {
    survey.properties.map { (PropertyName($0.key), $0.value) }
      .filter { $0.0 != identity.property }.sorted { $0.0 < $1.0 }
  }

  /// Returns what tells entities from each other, and why; nil if nothing does where something must.
  static func identity(
    of survey: KindSurvey, in container: FileShape.Container?, _ patterns: [PathPattern]
  ) -> (rule: IdentityRule, evidence: String)? {
    switch container {
    case .map, .mapMember:
      guard survey.areNamesUnique, !survey.hasOthers else { return nil }
      return (.member, "no two of \(survey.count.grouped) have the same name")
    case .list, .listMember: return property(of: survey, isNeeded: true)
    case nil:
      if survey.hasOthers { return nil }
      if patterns.count == 1, patterns[0].isOnePath {
        return (.singleton, "there is one file of this form")
      }
      if let found = property(of: survey, isNeeded: false) { return found }
      return (.file, "no member is there in all and tells them apart")
    }
  }

  private static func property(
    of survey: KindSurvey, isNeeded: Bool
  ) -> (rule: IdentityRule, evidence: String)? {
    let unique = survey.properties
      .filter { $0.value.isUnique && $0.value.valueCount == survey.count }
      .sorted { ByteOrder.precedes($0.key, $1.key) }
    let named = FileShape.identityNames + (isNeeded ? ["slug", "name"] : [])
    let found =
      named.lazy.compactMap { name in unique.first { $0.key.elementsEqual(name.utf8) } }.first
      ?? unique.first { $0.value.areUUIDs }
      // One value alone is always unlike the others.
      ?? (isNeeded && survey.count > 1 ? unique.first : nil)
    guard let found else { return nil }
    let name = PropertyName(found.key)
    let what = found.value.areUUIDs ? "a UUID" : "a string"
    return (
      found.value.areUUIDs ? .uuid(name) : .string(name),
      "\(what) in all \(survey.count.grouped), and no two are the same"
    )
  }
}

/// Names for kinds, each once.
struct KindNames {
  // What is no entity has this one.
  private var taken: Set<String> = ["other"]

  /// Returns a name for what some files hold.
  mutating func name(
    _ container: FileShape.Container?, _ patterns: [PathPattern]
  ) -> String {
    let parts = patterns[0].text.split(separator: UInt8(ascii: "/")).map(Array.init)
    let plain = parts.dropLast().last { part in
      !part.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "{") }
    }
    let last = parts.last ?? []
    let stem = Array(last[..<(last.lastIndex(of: UInt8(ascii: ".")) ?? last.endIndex)])
    let isOne = patterns.count == 1 && patterns[0].isOnePath
    let words = container?.name ?? (isOne ? stem : plain ?? stem)
    return unique(Self.word(words, isOneOfMany: container != nil || !isOne))
  }

  /// Returns a name made of what a text has of letters and digits.
  static func word(_ text: [UInt8], isOneOfMany: Bool) -> String {
    var word = text.filter { FileForm.isName([UInt8(ascii: "a"), $0]) }
    if let letter = word.firstIndex(where: { FileForm.isName([$0]) }) {
      word.removeFirst(letter)
    } else {
      return "entity"
    }
    let plural = UInt8(ascii: "s")
    if isOneOfMany, word.count > 3, word.last == plural, word[word.count - 2] != plural {
      word.removeLast()
    }
    return String(decoding: word.prefix(40), as: UTF8.self)
  }

  private mutating func unique(_ word: String) -> String {
    var name = word
    var number = 2
    // Documents are named after kinds, and some file systems ignore case.
    while !taken.insert(name.lowercased()).inserted {
      name = "\(word)-\(number)"
      number += 1
    }
    return name
  }
}
