import Automerge
import Diagnostics
import FolderDocuments
import Folders
import SafeFiles

/// Takes note of what documents hold, whatever they are compared with: entities, changes that wait,
/// and the tags and images that records name.
struct DocumentSurvey {
  private static let tagKey = KnownField.tagId.memberBytes
  private static let tagKind = KnownField.tagId.target ?? .other

  private let input: VerificationInput
  private var images: ImageVerifier
  private var declared: DeclaredSurvey

  init(_ input: VerificationInput) {
    self.input = input
    images = ImageVerifier(input)
    declared = DeclaredSurvey(input)
  }

  /// Notes what the documents of a group hold and what their records name.
  mutating func survey(_ documents: GroupDocuments, to outcome: inout GroupOutcome) {
    outcome.findings.append(contentsOf: documents.defects.map(\.finding))
    var repeated = RepeatedEntities(in: documents)
    for (number, loaded) in documents.documents.enumerated() {
      outcome.documentsVerified += 1
      outcome.changesVerified += loaded.document.changeCount
      if input.takesFigures {
        outcome.figures.append(
          DocumentFigures(loaded.document, file: loaded.file, byteCount: loaded.byteCount))
      }
      if input.looksForEditedMonths, !outcome.isEditedMonth,
        input.inventory.nominalClass(of: loaded.file) == .monthDocument
      {
        outcome.isEditedMonth = loaded.document.holdsChangeOfAnApp
      }
      let path = input.inventory.path(of: loaded.file).description
      if loaded.document.queuedCount > 0 {
        outcome.findings.append(
          Finding(
            .incompleteDocument, .warning, path: path,
            message: loaded.document.queuedCount.counted("change waits", "changes wait")
              + " for others that are not here",
            next: "fetch the document from the device that wrote them"))
      }
      for other in loaded.root.others {
        let key = DisplayText.escaping(loaded.document.pool[other.key])
        outcome.findings.append(
          Finding(
            .otherKey, .info, path: path, message: "the key \"\(key)\" is no entity, kept as it is")
        )
      }
      for (index, entity) in loaded.root.entities.enumerated() {
        var found = GroupOutcome.DocumentEntity(
          identity: entity.identity, file: UInt32(loaded.file), isVisible: entity.valueCount > 0)
        if number > 0, found.isVisible {
          let first = documents.places(of: entity.identity)
            .first { documents.entity(at: $0).valueCount > 0 }
          if let first, first.document < number {
            let place = GroupDocuments.Place(document: number, entity: index)
            found.isShownBefore = !repeated.differ(first, place)
          }
        }
        outcome.documents.append(found)
        guard let map = entity.map else { continue }
        switch input.inventory.kinds.mapping {
        case .declared: declared.survey(map, of: entity.identity, in: loaded, to: &outcome)
        case .frozen:
          guard outcome.group.kind.hasImages else { continue }
          surveyTag(of: map, in: loaded, to: &outcome)
          surveyImages(of: map, entity.identity, in: loaded, path: path, to: &outcome)
          guard entity.valueCount > 1 else { continue }
          for hidden in loaded.document.maps(of: entity).dropLast() {
            noteImages(ofHidden: hidden, in: loaded, to: &outcome)
          }
        }
      }
    }
    if input.takesFigures, !documents.equals.isEmpty {
      let known = Dictionary(outcome.figures.map { ($0.file, $0) }) { first, _ in first }
      outcome.figures += documents.equals.compactMap { known[$0.other]?.of(file: $0.file) }
    }
    for (file, other) in documents.equals {
      outcome.documentsVerified += 1
      outcome.findings.append(
        Finding(
          .duplicateID, .warning, path: input.inventory.path(of: file).description,
          message: "holds the same bytes as \(input.inventory.path(of: other))",
          next: input.inventory.remedy(for: file), command: input.inventory.command(for: file)))
    }
  }

  /// Notes which tag a record names.
  private func surveyTag(
    of map: OpID, in loaded: GroupDocuments.Loaded, to outcome: inout GroupOutcome
  ) {
    let document = loaded.document
    guard case .scalar(let place)? = document.value(of: map, key: Self.tagKey)?.content,
      place.type == .string, let tag = Identity(document.pool.span.extracting(place.range))
    else { return }
    let target = GroupOutcome.Target(kind: Self.tagKind, identity: tag)
    outcome.references[target, default: GroupOutcome.Referrers(file: UInt32(loaded.file))]
      .count += 1
  }

  /// Notes the images of an object that readers do not see: they are used once it is brought
  /// together with the one they see.
  private func noteImages(
    ofHidden map: OpID, in loaded: GroupDocuments.Loaded, to outcome: inout GroupOutcome
  ) {
    let document = loaded.document
    guard let list = Self.images(of: map, in: document) else { return }
    let pool = document.pool
    document.forEachElement(of: list) { _, group in
      guard case .scalar(let place)? = document.winner(in: group)?.content, place.type == .string,
        let found = image(named: pool.span.extracting(place.range), of: loaded.file, outcome.group)
      else { return }
      outcome.usedImages.append(UInt32(found))
    }
  }

  private static func images(of map: OpID, in document: DocumentState) -> OpID? {
    guard let list = document.value(of: map, key: KnownField.imagesKey),
      list.content == .object(.list)
    else { return nil }
    return list.id
  }

  private func image(named name: Span<UInt8>, of file: Int, _ group: EntityGroup) -> Int? {
    // Without a closure, which would hold a copy of the whole inventory for each image.
    if let month = group.month, let image = input.inventory.image(named: name, in: month) {
      return image
    }
    return input.inventory.image(named: name, of: file)
  }

  /// The places where a month of records has an image of that name.
  private static func places(ofImage name: ArraySlice<UInt8>, in month: Month?) -> [RelativePath] {
    guard let month, let name = FileName(Array(name)) else { return [] }
    return [FolderNames.records, FolderNames.images].compactMap { top in
      RelativePath("\(top)/\(month.yearName)/\(month.monthName)")?.appending(name)
    }
  }

  private mutating func surveyImages(
    of map: OpID, _ identity: Identity, in loaded: GroupDocuments.Loaded, path: String,
    to outcome: inout GroupOutcome
  ) {
    let document = loaded.document
    guard let list = Self.images(of: map, in: document) else { return }
    // Collected first: a closure that asks the inventory would copy it for each image.
    var names: [Range<Int>] = []
    document.forEachElement(of: list) { _, group in
      guard case .scalar(let place)? = document.winner(in: group)?.content, place.type == .string
      else { return }
      names.append(place.range)
    }
    var seen: Set<ArraySlice<UInt8>> = []
    let pool = document.pool
    for range in names {
      guard names.count == 1 || seen.insert(pool[range]).inserted else {
        outcome.findings.append(
          Finding(
            .duplicateImage, .warning, path: path,
            message: "record \(identity) names \(DisplayText.escaping(pool[range])) twice"))
        continue
      }
      let name = pool.span.extracting(range)
      if let found = image(named: name, of: loaded.file, outcome.group) {
        outcome.imagesFound += 1
        outcome.usedImages.append(UInt32(found))
        if let finding = images.difference(of: found) { outcome.findings.append(finding) }
      } else {
        var finding = images.missing(
          name, shown: DisplayText.escaping(pool[range]), of: identity, in: outcome.group.month)
        finding.path = path
        outcome.missingImagePlaces += Self.places(ofImage: pool[range], in: outcome.group.month)
        outcome.findings.append(finding)
      }
    }
  }
}
