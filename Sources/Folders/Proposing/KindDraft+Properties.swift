import Diagnostics
import SafeFiles

/// What is known of a whole folder when the members of a kind get their types.
struct DraftContext {
  /// All kinds.
  let kinds: [KindDraft]
  /// The directories in which files that are no JSON lie, by the hashes of their names.
  let others: [UInt64: Set<RelativePath>]
}

extension KindDraft {
  /// Returns the kind as a profile says it, and why.
  func kind(in context: DraftContext) -> (EntityKindProfile, ProfileComments.Kind) {
    var comments = ProfileComments.Kind()
    comments.identity = identityEvidence
    comments.files = filesEvidence
    if survey.passedOver > 0 {
      comments.kind =
        "\(survey.passedOver.counted("member")) with names that are too many or too long are not "
        + "declared; they are carried all the same"
    }
    let document = documentPlace()
    comments.document = document.evidence
    var properties: [Property] = []
    var attachments: [Attachment] = []
    for (name, seen) in self.properties {
      var (type, evidence) = type(of: seen, named: name, in: context)
      let isAlwaysThere = seen.valueCount == survey.count
      var isRequired = isAlwaysThere && survey.count > 1
      if name == document.date { isRequired = true }
      if let found = attachment(name, type, seen, context), attachments.count < 16 {
        attachments.append(found)
        evidence += "; they are names of files"
      }
      properties.append(Property(name, type, isRequired: isRequired))
      comments.properties[name] = presence(of: seen) + "; " + evidence
    }
    let home = EntityHome(
      paths: patterns, content: container?.content ?? .entity, stays: stays,
      document: document.place)
    let checks = checks(of: properties, telling: &comments)
    return (
      EntityKindProfile(
        name, identity: identity, home: home, properties: PropertyTable(properties),
        attachments: attachments, checks: checks),
      comments
    )
  }

  /// What holds of all values, where there are enough of them to say so.
  private func checks(
    of properties: [Property], telling comments: inout ProfileComments.Kind
  ) -> [PropertyCheck] {
    var checks: [PropertyCheck] = []
    for property in properties where property.type == .integer {
      guard let seen = survey.properties[property.name.bytes], let steps = seen.scale.steps else {
        continue
      }
      checks.append(
        .range(
          property.name, minimum: ExactDecimal("\(steps.lowerBound)"),
          maximum: ExactDecimal("\(steps.upperBound)")))
      comments.properties[property.name]? +=
        "; a scale from \(steps.lowerBound) to \(steps.upperBound): each step is there "
        + "\(ScaleSurvey.fewestOfEach) times or more"
    }
    let dates = Set(properties.filter { $0.type == .date }.map(\.name))
    for order in survey.dateOrders.found(where: dates.contains) {
      checks.append(.order(order.first, notAfter: order.notAfter))
      comments.properties[order.first]? +=
        "; not after \(order.notAfter) in all \(order.count.grouped) with both"
    }
    return checks
  }

  /// What lies beside the entities stays, as far as a profile can name it.
  private var stays: [JSONPointer] {
    survey.besides.sorted(by: ByteOrder.precedes).prefix(Profile.largestPathCount)
      .map { JSONPointer(tokens: [$0]) }
  }

  private func presence(of seen: PropertySurvey) -> String {
    var text = "in "
    text +=
      seen.valueCount == survey.count
      ? "all \(survey.count.grouped)"
      : "\(seen.valueCount.grouped) of \(survey.count.grouped)"
    if seen.nullCount > 0 { text += ", null in \(seen.nullCount.grouped)" }
    return text
  }

  // MARK: Types

  /// The narrowest type that holds every value; text is never guessed, since only people know it.
  private func type(
    of seen: PropertySurvey, named name: PropertyName, in context: DraftContext
  ) -> (PropertyType, evidence: String) {
    if let found = target(of: seen, named: name, in: context) { return found }
    switch seen.forms {
    case []: return (.json, "no value was ever there")
    case .string where seen.areUUIDs: return (.uuid, "UUIDs, which lead to no entity here")
    case .string where seen.areDates: return (.date, "dates")
    case .string where seen.areDecimals: return (.decimal, "strings that are decimals")
    case .string where seen.hasLines:
      return (.string, "some have several lines: as text they would merge letter by letter")
    case .string: return (.string, "strings")
    case .boolean: return (.boolean, "true or false")
    case .number where seen.areIntegers: return (.integer, "whole numbers")
    case .number: return (.number, "numbers")
    case [.number, .string] where seen.areDecimals:
      return (.decimal, "numbers, and strings that are decimals")
    case .list: return (.list, "lists")
    case .map: return (.map, "objects")
    default:
      let forms = PropertySurvey.Forms.names.filter { seen.forms.contains($0.0) }.map(\.1)
      return (.json, "mixed: " + forms.joined(separator: ", "))
    }
  }

  /// A reference or links, if all values that were kept are identities of one kind.
  private func target(
    of seen: PropertySurvey, named name: PropertyName, in context: DraftContext
  ) -> (PropertyType, evidence: String)? {
    let isReference = seen.forms == .string
    let areLinks =
      seen.areSets && seen.forms.contains(.list) && seen.forms.isSubset(of: [.list, .map])
    guard isReference || areLinks, !seen.values.isEmpty else { return nil }
    let targets = context.kinds.filter { kind in
      // One value that is a name somewhere else, too, is chance unless it is called so.
      let isSure =
        seen.values.count > 1 || (isReference && seen.areUUIDs)
        || Self.resemble(name.description, kind.name)
      return isSure && seen.values.isSubset(of: kind.identities)
    }
    guard
      let kind = targets.first(where: { Self.resemble(name.description, $0.name) }) ?? targets.first
    else { return nil }
    let target = ReferenceTarget(kind.name)
    let values = seen.values.count.counted("value was compared", "values were compared")
    return (
      isReference ? .reference(target) : .links(target),
      "\(values): each is an identity of kind \(kind.name)"
    )
  }

  private static func resemble(_ one: String, _ other: String) -> Bool {
    let (one, other) = (one.lowercased(), other.lowercased())
    return one.contains(other) || other.contains(one)
  }

  private func attachment(
    _ name: PropertyName, _ type: PropertyType, _ seen: PropertySurvey, _ context: DraftContext
  ) -> Attachment? {
    guard type == .string || (type == .list && seen.areSets), !seen.values.isEmpty else {
      return nil
    }
    var directories: Set<RelativePath> = []
    for value in seen.values {
      guard let places = context.others[value] else { return nil }
      directories.formUnion(places)
      if directories.count > Profile.largestPathCount { return nil }
    }
    let templates = directories.sorted().compactMap { directory in
      // A directory whose name no template has is none that a profile can name.
      try? PathTemplate(ofDirectory: directory.isFolder ? [UInt8(ascii: ".")] : directory.bytes)
    }
    return templates.count == directories.count ? Attachment(name, in: templates) : nil
  }

  // MARK: Documents

  /// Names of dates that say when something began, most telling ones first.
  private static let beginnings = [
    "creat", "begin", "start", "made", "date", "when", "time", "day",
  ]

  private func documentPlace() -> (place: DocumentPlace, date: PropertyName?, evidence: String) {
    guard let one = Self.template(name + ".automerge"),
      let monthly = Self.template(name + "/{year}-{month}.automerge")
    else { preconditionFailure("the names of kinds are names of documents") }
    if patterns.allSatisfy(\.hasMonth) {
      return (.monthly(monthly, of: .path, undated: nil), nil, "the paths say months")
    }
    let dates = properties.filter { seen in
      seen.survey.forms == .string && seen.survey.areDates
        && seen.survey.valueCount == survey.count
        && seen.survey.months.map { $0.lowerBound < $0.upperBound } ?? false
    }
    let date =
      Self.beginnings.lazy.compactMap { word in
        dates.first { $0.name.description.lowercased().contains(word) }
      }.first ?? dates.first
    guard let date, let months = date.survey.months else {
      return (.one(one), nil, "no path and no date that all have tells months apart")
    }
    return (
      .monthly(monthly, of: .date(date.name), undated: nil), date.name,
      "dates in all, from \(months.lowerBound) to \(months.upperBound)"
    )
  }

  private static func template(_ text: String) -> PathTemplate? {
    // What the text is made of is checked where it is made.
    try? PathTemplate(ofDocument: Array(text.utf8))
  }
}
