import Folders
import Runs
import SafeFiles
import SchemaMigrations

/// Tells which entities of JSON files a step has not seen that was done to others. One worker has one.
///
/// Where only values would show that, the files tell it that lie aside as the step found them: what is in
/// one of these it has seen, and a value may be what it was made into, or what somebody wrote since. Of what is in
/// none of them a value that the step can have written shows nothing, as in a folder to which another device's
/// files came.
struct LateFileEntities {
  /// What an entity is to a step that was done.
  enum Sight {
    /// The step has seen it, or would change nothing in it.
    case seen
    /// The step has not seen it, and would change it.
    case late
    /// The step would change it, and nothing shows whether that would be once more.
    case doubtful
    /// The step has seen it, and somebody has written again since what the step takes away.
    case revived
  }

  /// What a step found in files, as far as these lie aside.
  private struct Originals {
    /// By entity, what the step has found in the properties that it rewrites, and what it has made of that.
    var values: [Identity: (found: [MigrationValue?], made: [MigrationValue?])] = [:]
    /// Whether somebody has removed or damaged such a file, or it never lay there, as after a restore.
    var isPartial = false
  }

  private let seen: SeenEntities
  private let signs: StepSigns
  private let folder: Directory
  private let inventory: FolderInventory
  private var kinds: EntityKinds { inventory.kinds }
  /// By the number of a step, what it found in the file that was asked about last, and in all files of a kind.
  private var own: [Int: (file: Int, originals: Originals)] = [:]
  private var all: [Int: [EntityKind: Originals]] = [:]
  /// By the number of a step, what lies aside of entities of a kind that were there when it was done.
  private var met: [Int: [EntityKind: Originals]] = [:]

  init(
    _ seen: SeenEntities, _ signs: StepSigns, in folder: Directory, _ inventory: FolderInventory
  ) {
    (self.seen, self.folder, self.inventory) = (seen, folder, inventory)
    self.signs = signs.knowing(seen.done)
  }

  /// Returns what an entity of a file is to a step.
  ///
  /// - Parameters:
  ///   - standing: what the file is to the step.
  ///   - number: the number of the step among those of the plans.
  mutating func sight(
    of entity: ChangingEntity, in file: Int, _ standing: SeenEntities.Standing, to number: Int,
    _ stage: StepStage
  ) throws(MigrationError) -> Sight {
    // What is put together of many is not made of one alone.
    guard stage.step.folds.isEmpty else { return .seen }
    if standing == .before { return entity.isChangedInJSON(by: stage) ? .late : .seen }
    if seen.isOvertaking(entity, standing, stage, kinds) {
      // What an earlier step was run for again may have been there when this one was done; somebody may have given
      // it back what it was.
      if try hasSeen(entity, in: file, number, stage) == false { return .late }
      if let own = try originals(of: file, number, stage).values[entity.identity],
        own.found != own.made, values(of: entity, rewrittenBy: number) == own.found
      {
        return .late
      }
    }
    if standing == .after { return .seen }
    let evidence = signs.evidence(in: entity, notSeenBy: number, stage)
    if evidence == .shown || evidence == .again {
      // What a step makes is not before it, whatever it shows.
      if seen.haveMade(entity, from: number, kinds) { return .seen }
      if standing == .brought { return sight(ofBrought: entity, evidence, number) }
      if evidence == .shown { return .late }
      return try hasSeen(entity, in: file, number, stage) == true ? .revived : .late
    }
    // Only values would show it, and they are as the step may have left them.
    if standing == .brought { return .seen }
    guard !signs.rewritten(of: entity.kind, by: number).isEmpty, entity.isChangedInJSON(by: stage),
      !seen.haveNoted(entity, for: stage.step.id, kinds)
    else { return .seen }
    let here = try originals(of: file, number, stage)
    var (names, mayBeLate) = ([[UInt8]](), false)
    switch evidence {
    case .none, .shown, .again: return here.values[entity.identity] == nil ? .doubtful : .seen
    case .own(let own): names = own
    case .values(let values): (names, mayBeLate) = (values, true)
    }
    var (found, isPartial) = (here.values[entity.identity], here.isPartial)
    if found == nil {
      let all = try originals(ofAll: entity.kind, number, stage)
      (found, isPartial) = (all.values[entity.identity], isPartial || all.isPartial)
    }
    guard let found else {
      if isPartial || !mayBeLate { return .doubtful }
      return try hasSeen(entity, in: file, number, stage) == true ? .doubtful : .late
    }
    let isAsAfter = zip(signs.rewritten(of: entity.kind, by: number), found.made).allSatisfy {
      name, value in
      !names.contains(name) || entity.fields.value(named: name, of: entity.tape) == value
    }
    return isAsAfter ? .seen : .doubtful
  }

  /// Returns what an entity of a file that a restore brought is to a step that was done elsewhere, where it
  /// shows that it has not seen that, or has again what that takes away.
  private func sight(
    ofBrought entity: ChangingEntity, _ evidence: StepSigns.Evidence, _ number: Int
  ) -> Sight {
    // What steps have made is not noted here.
    let isOfSteps = !signs.makers(of: entity.kind, from: number).isEmpty
    switch isOfSteps ? signs.mayMake(entity.identity, of: entity.kind) : false {
    case true?: return .seen
    case nil: return .doubtful
    case false?: return evidence == .shown ? .late : .revived
    }
  }

  // MARK: What a step found

  /// Whether an entity was there when a step was done, or one behind it; nil if something is gone that would
  /// show it.
  private mutating func hasSeen(
    _ entity: ChangingEntity, in file: Int, _ number: Int, _ stage: StepStage
  ) throws(MigrationError) -> Bool? {
    if seen.haveNoted(entity, seenBy: number, kinds) { return true }
    let originals: Originals
    if kinds.isIdentifiedByPath(entity.kind) {
      originals = try read(
        seen.originals(of: inventory.path(of: file), seenBy: number), as: entity.kind,
        identifiedBy: inventory.identityPath(of: file), number, stage)
    } else if let known = met[number]?[entity.kind] {
      originals = known
    } else {
      originals = try read(
        seen.originals(ofAll: entity.kind, kinds, seenBy: number), as: entity.kind,
        identifiedBy: .folder, number, stage)
      met[number, default: [:]][entity.kind] = originals
    }
    if originals.values[entity.identity] != nil { return true }
    return originals.isPartial ? nil : false
  }

  private mutating func originals(
    of file: Int, _ number: Int, _ stage: StepStage
  ) throws(MigrationError) -> Originals {
    if let (known, originals) = own[number], known == file { return originals }
    let kind = inventory.kind(of: file)
    let originals = try read(
      seen.originals(of: inventory.path(of: file), to: stage.step.id), as: kind,
      identifiedBy: kinds.isIdentifiedByPath(kind) ? inventory.identityPath(of: file) : .folder,
      number, stage)
    own[number] = (file, originals)
    return originals
  }

  /// What an app, or somebody, has moved from one file into another is the same entity.
  private mutating func originals(
    ofAll kind: EntityKind, _ number: Int, _ stage: StepStage
  ) throws(MigrationError) -> Originals {
    if kinds.isIdentifiedByPath(kind) { return Originals() }
    if let known = all[number]?[kind] { return known }
    let originals = try read(
      seen.originals(ofAll: kind, kinds, to: stage.step.id), as: kind, identifiedBy: .folder,
      number, stage)
    all[number, default: [:]][kind] = originals
    return originals
  }

  private func read(
    _ places: [RelativePath], as kind: EntityKind, identifiedBy path: RelativePath, _ number: Int,
    _ stage: StepStage
  ) throws(MigrationError) -> Originals {
    var originals = Originals()
    var batch = EntityBatch(kinds: kinds)
    for place in places {
      let bytes = try MigrationError.wrapping { () throws(FileError) in
        try folder.contentsIfPresent(of: place, limit: LegacyReader.largestFile)
      }
      guard let bytes else {
        originals.isPartial = true
        continue
      }
      batch.load(bytes, as: kind, path: place, identifiedBy: path)
      if !batch.isComplete { originals.isPartial = true }
      for entity in batch.entities {
        let found = batch.changing(entity)
        originals.values[entity.identity] = (
          values(of: found, rewrittenBy: number),
          values(of: found.applied(stage), rewrittenBy: number)
        )
      }
    }
    return originals
  }

  private func values(of entity: ChangingEntity, rewrittenBy number: Int) -> [MigrationValue?] {
    signs.rewritten(of: entity.kind, by: number).map {
      entity.fields.value(named: $0, of: entity.tape)
    }
  }
}
