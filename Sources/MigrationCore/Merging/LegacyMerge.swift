import Diagnostics
import FolderDocuments
import Folders
import SafeFiles

/// Merges copies of one legacy file into it, by identity and field by field.
///
/// What only a copy has comes in, as the copy spells it; where both have a value the base's stays and
/// both are told. Everything else of the base keeps its bytes. A file in which anything is unusual
/// takes no part: it stays as it is.
struct LegacyMerge: Sendable {
  /// What became of a copy.
  enum Relation {
    /// It is merged. Redundant: it said nothing that the base did not say, and nothing else.
    case related(isRedundant: Bool)
    /// It is another record.
    case otherRecord
    /// Something in it is not understood.
    case refused([Finding])
  }

  /// The text of the base with everything that came in.
  private(set) var text: [UInt8]
  /// Where a copy says something else than the base.
  private(set) var differences: [MergeReport.Difference] = []
  /// The identities in the base.
  var identities: [Identity] { base.entities.map(\.identity) }

  private let form: LegacyForm
  private var base: EntityBatch
  /// What the result must show: of each copy that was merged its batch and its path.
  private var merged: [(batch: EntityBatch, path: String)] = []
  private let original: EntityBatch

  /// The identities in the copy that was merged last.
  var lastIdentities: [Identity] { merged.last?.batch.entities.map(\.identity) ?? [] }

  /// Begins with a base; throws what is unusual in it.
  init(_ bytes: [UInt8], as form: LegacyForm, path: RelativePath) throws(RefusedFile) {
    self.form = form
    text = bytes
    base = try form.batch(bytes, path: path)
    original = base
  }

  /// A file that takes no part, and why.
  struct RefusedFile: Error {
    var findings: [Finding]
  }

  /// Merges a copy.
  mutating func merge(_ bytes: [UInt8], path: RelativePath) -> Relation {
    let copy: EntityBatch
    do throws(RefusedFile) {
      copy = try form.batch(bytes, path: path)
    } catch {
      return .refused(error.findings)
    }
    // A value that is null is no entity, and so not another one.
    if form.holdsOneEntity, let entity = copy.entities.first, let own = base.entities.first,
      entity.identity != own.identity
    {
      return .otherRecord
    }
    var round = Round(base: base, form: form, source: path.description)
    let known = Self.entities(of: base)
    for entity in copy.entities {
      if let known = known[entity.identity] {
        round.merge(entity, of: copy, into: known)
      } else if form.holdsOneEntity {
        guard let place = form.emptyPlace(in: base) else { return .otherRecord }
        round.fill(place, with: form.source(of: entity, in: copy))
      } else {
        round.insert(form.source(of: entity, in: copy), into: form.content(of: base))
      }
    }
    round.mergeSurroundings(of: copy)
    let edits = round.edits
    let edited = edits.applied(to: text)
    do throws(RefusedFile) {
      base = try form.batch(edited, path: path)
    } catch {
      return .refused(error.findings)
    }
    text = edited
    differences += round.differences
    merged.append((copy, path.description))
    return .related(isRedundant: edits.isEmpty && round.differences.isEmpty)
  }

  private static func entities(of batch: EntityBatch) -> [Identity: LegacyEntity] {
    Dictionary(batch.entities.map { ($0.identity, $0) }) { first, _ in first }
  }

  // MARK: Judging

  /// A field of which the report has a value that is not in the merged file.
  private struct ToldField: Hashable {
    var entity: MergeReport.Entity
    var field: String
  }

  /// Returns what is wrong with the bytes that were read back, nil if every value of every input is
  /// in them or among the differences.
  func defect(of bytes: [UInt8]) -> String? {
    let result: EntityBatch
    do throws(RefusedFile) {
      result = try form.batch(bytes, path: .folder)
    } catch {
      return "the merged file is not understood"
    }
    var told: [String: Set<ToldField>] = [:]
    for difference in differences {
      told[difference.source, default: []].insert(
        ToldField(entity: difference.entity, field: difference.field))
    }
    for (input, path) in [(original, "")] + merged {
      if let defect = defect(of: result, besides: told[path] ?? [], missing: input) {
        return defect
      }
    }
    return nil
  }

  private func defect(
    of result: EntityBatch, besides told: Set<ToldField>, missing input: EntityBatch
  ) -> String? {
    let entities = Self.entities(of: result)
    for entity in input.entities {
      guard let found = entities[entity.identity] else {
        return "\(input.title(of: entity)) is not in the merged file"
      }
      let title = form.kinds.reported(form.kind, entity.identity)
      let others = LegacyMember.byName(of: found, in: result)
      for member in LegacyMember.members(of: entity, in: input) {
        if let other = others[member.name], member.isHeld(by: other) { continue }
        let field = ToldField(entity: title, field: member.displayedName)
        guard member.isAbsence || told.contains(field) else {
          return "\(member.displayedName) of \(title.identity) is not in the merged file"
        }
      }
    }
    let others = form.surroundings(of: result)
    for (place, member) in form.surroundings(of: input) {
      if let other = others[place], member.isEqual(to: other) { continue }
      let field = ToldField(entity: MergeReport.Entity(), field: place.displayText)
      guard told.contains(field) else { return "\(field.field) is not in the merged file" }
    }
    return nil
  }
}

extension LegacyMerge {
  /// What one copy brings to a base.
  private struct Round {
    let base: EntityBatch
    let form: LegacyForm
    /// The path of the copy.
    let source: String
    private(set) var differences: [MergeReport.Difference] = []
    private var replacements = TextEdits()
    /// What comes to the end of objects and lists of the base, by their nodes.
    private var insertions: [Int: [[UInt8]]] = [:]

    init(base: EntityBatch, form: LegacyForm, source: String) {
      self.base = base
      self.form = form
      self.source = source
    }

    /// Puts an entity in the place of the null that stands for it.
    mutating func fill(_ node: Int, with entity: ArraySlice<UInt8>) {
      replacements.replace(base.tape.sourceRange(of: node), by: Array(entity))
    }

    mutating func insert(_ bytes: some Sequence<UInt8>, into container: Int) {
      insertions[container, default: []].append(Array(bytes))
    }

    mutating func merge(_ entity: LegacyEntity, of copy: EntityBatch, into known: LegacyEntity) {
      let members = LegacyMember.byName(of: known, in: base)
      for member in LegacyMember.members(of: entity, in: copy) where !member.isAbsence {
        guard let ours = members[member.name] else {
          insert(member.source, into: known.node)
          continue
        }
        if member.isEqual(to: ours) { continue }
        if ours.isAbsence {
          replacements.replace(
            base.tape.sourceRange(of: ours.node), by: Array(member.valueSource))
        } else if let additions = member.additions(to: ours) {
          for addition in additions { insert(addition, into: ours.node) }
        } else {
          note(
            member, besides: ours, at: member.displayedName,
            of: form.kinds.reported(form.kind, entity.identity))
        }
      }
    }

    /// Merges what is around the entities.
    mutating func mergeSurroundings(of copy: EntityBatch) {
      let ours = form.surroundings(of: base)
      for (place, member) in form.surroundings(of: copy) {
        if let ours = ours[place] {
          if !member.isEqual(to: ours) { note(member, besides: ours, at: place.displayText) }
        } else {
          insert(member.source, into: form.node(at: place.tokens.dropLast(), of: base))
        }
      }
    }

    private mutating func note(
      _ member: LegacyMember, besides ours: LegacyMember, at field: String,
      of entity: MergeReport.Entity = MergeReport.Entity()
    ) {
      differences.append(
        MergeReport.Difference(
          entity: entity, field: field, kept: ours.reportValue,
          other: member.reportValue, source: source))
    }

    /// What is to be done to the text of the base.
    var edits: TextEdits {
      var edits = replacements
      let tape = base.tape
      for (container, items) in insertions {
        // Finding the end of a list costs a look at each of its elements.
        let isEmpty = tape.childCount(of: container) == 0
        let end =
          isEmpty
          ? tape.offset(of: container) + 1
          : tape.sourceRange(of: tape.lastChild(of: container)).upperBound
        let space = isEmpty ? [] : tape.space(before: container + 1, after: container)
        for (index, item) in items.enumerated() {
          edits.insert(
            (isEmpty && index == 0 ? [] : [UInt8(ascii: ",")] + space) + item, at: end)
        }
      }
      return edits
    }
  }
}

extension JSONTape {
  /// The spaces and line feeds between the opening bracket of a container and its first child.
  fileprivate func space(before child: Int, after container: Int) -> ArraySlice<UInt8> {
    text[(offset(of: container) + 1)..<offset(of: child)]
  }
}
