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

  private let kind: EntityKind
  private var base: EntityBatch
  /// What the result must show: of each copy that was merged its batch and its path.
  private var merged: [(batch: EntityBatch, path: String)] = []
  private let original: EntityBatch

  /// The identities in the copy that was merged last.
  var lastIdentities: [Identity] { merged.last?.batch.entities.map(\.identity) ?? [] }

  /// Begins with a base; throws what is unusual in it.
  init(_ bytes: [UInt8], _ kind: EntityKind, path: RelativePath) throws(RefusedFile) {
    self.kind = kind
    text = bytes
    base = try Self.batch(bytes, kind, path: path)
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
      copy = try Self.batch(bytes, kind, path: path)
    } catch {
      return .refused(error.findings)
    }
    if kind == .record, copy.entities.first?.identity != base.entities.first?.identity {
      return .otherRecord
    }
    var edits = TextEdits()
    var found: [MergeReport.Difference] = []
    let known = Self.entities(of: base)
    var additions: [LegacyEntity] = []
    for entity in copy.entities {
      if let known = known[entity.identity] {
        found += merge(entity, of: copy, into: known, source: path.description, &edits)
      } else {
        additions.append(entity)
      }
    }
    add(additions, of: copy, &edits)
    let edited = edits.applied(to: text)
    do throws(RefusedFile) {
      base = try Self.batch(edited, kind, path: path)
    } catch {
      return .refused(error.findings)
    }
    text = edited
    differences += found
    merged.append((copy, path.description))
    return .related(isRedundant: edits.isEmpty && found.isEmpty)
  }

  /// Returns what is wrong with the bytes that were read back, nil if every value of every input is
  /// in them or among the differences.
  func defect(of bytes: [UInt8]) -> String? {
    let result: EntityBatch
    do throws(RefusedFile) {
      result = try Self.batch(bytes, kind, path: .folder)
    } catch {
      return "the merged file is not understood"
    }
    let entities = Self.entities(of: result)
    var told: [String: Set<ToldField>] = [:]
    for difference in differences {
      told[difference.source, default: []].insert(
        ToldField(identity: difference.identity, field: difference.field))
    }
    for (input, path) in [(original, "")] + merged {
      let told = told[path] ?? []
      for entity in input.entities {
        guard let found = entities[entity.identity] else {
          return "\(input.title(of: entity)) is not in the merged file"
        }
        let others = LegacyMember.byName(of: found, in: result)
        for member in LegacyMember.members(of: entity, in: input) {
          if let other = others[member.name], member.isEqual(to: other) { continue }
          let field = ToldField(
            identity: entity.identity.description, field: member.displayedName)
          guard member.isAbsence || told.contains(field) else {
            return "\(member.displayedName) of \(entity.identity) is not in the merged file"
          }
        }
      }
    }
    return nil
  }

  /// A field of which the report has a value that is not in the merged file.
  private struct ToldField: Hashable {
    var identity: String
    var field: String
  }

  // MARK: Reading

  private static func batch(
    _ bytes: [UInt8], _ kind: EntityKind, path: RelativePath
  ) throws(RefusedFile) -> EntityBatch {
    var batch = EntityBatch()
    batch.load(bytes, as: kind, path: path)
    guard batch.isComplete else { throw RefusedFile(findings: batch.findings) }
    let identities = batch.entities.map(\.identity)
    if let repeated = Array(identities.repeated()).min() {
      let finding = Finding(
        .duplicateID, .error, path: path.description, message: "holds \(repeated) more than once",
        next: "decide which is right; until then the file takes no part in a merge")
      throw RefusedFile(findings: [finding])
    }
    return batch
  }

  private static func entities(of batch: EntityBatch) -> [Identity: LegacyEntity] {
    Dictionary(batch.entities.map { ($0.identity, $0) }) { first, _ in first }
  }

  // MARK: Merging

  private func merge(
    _ entity: LegacyEntity, of copy: EntityBatch, into known: LegacyEntity, source: String,
    _ edits: inout TextEdits
  ) -> [MergeReport.Difference] {
    var differences: [MergeReport.Difference] = []
    var additions: [ArraySlice<UInt8>] = []
    let members = LegacyMember.byName(of: known, in: base)
    for member in LegacyMember.members(of: entity, in: copy) where !member.isAbsence {
      guard let ours = members[member.name] else {
        additions.append(member.source)
        continue
      }
      if member.isEqual(to: ours) { continue }
      if ours.isAbsence {
        edits.replace(base.tape.sourceRange(of: ours.node), by: Array(member.valueSource))
      } else {
        differences.append(
          MergeReport.Difference(
            identity: entity.identity.description, field: member.displayedName,
            kept: ours.reportValue, other: member.reportValue, source: source))
      }
    }
    if !additions.isEmpty {
      let last = base.tape.lastChild(of: known.node)
      let space = base.tape.space(before: known.node + 1, after: known.node)
      let bytes = additions.flatMap { [UInt8(ascii: ",")] + space + $0 }
      edits.insert(bytes, at: base.tape.sourceRange(of: last).upperBound)
    }
    return differences
  }

  /// Appends entities to the list of the base.
  private func add(_ entities: [LegacyEntity], of copy: EntityBatch, _ edits: inout TextEdits) {
    if entities.isEmpty { return }
    let tape = base.tape
    let list = tape.kind(of: 0) == .array ? 0 : tape.member("tags", of: 0) ?? 0
    // Finding the end of a list costs a look at each of its elements.
    let isEmpty = tape.childCount(of: list) == 0
    let end =
      isEmpty
      ? tape.offset(of: list) + 1 : tape.sourceRange(of: tape.lastChild(of: list)).upperBound
    let space = isEmpty ? [] : tape.space(before: list + 1, after: list)
    for (index, entity) in entities.enumerated() {
      let separator = isEmpty && index == 0 ? [] : [UInt8(ascii: ",")] + space
      let object = copy.tape.text[copy.tape.sourceRange(of: entity.node)]
      edits.insert(separator + object, at: end)
    }
  }
}

extension JSONTape {
  /// The spaces and line feeds between the opening bracket of a container and its first child.
  fileprivate func space(before child: Int, after container: Int) -> ArraySlice<UInt8> {
    text[(offset(of: container) + 1)..<offset(of: child)]
  }
}
