import Automerge
package import Diagnostics
package import Folders

// A store that lacks a file or a row has something that stands for it (`LostValue`). That is no value: it
// takes the place of none, and where a document shows it any value takes its place.
extension EntityReconciler {
  /// Which side of a field has what only stands for a value.
  enum Loss: Hashable, Sendable {
    case none
    /// The entity that is compared.
    case ofEntity(LostValue)
    /// What readers of the document see.
    case ofDocument(LostValue)
  }

  /// Whether something may stand for values of entities of a kind.
  package func mayLack(_ kind: EntityKind) -> Bool {
    kinds[kind]?.home?.rows != nil
  }

  /// Returns which side of a field lacks its value; none if both do, or the other side has no value.
  func loss(
    of field: Field, in batch: EntityBatch, _ document: DocumentState
  ) -> Loss {
    let type: PropertyType?
    switch field.role {
    case .property(let property):
      guard LostValue.mayBe(property.type) else { return .none }
      type = property.type
    case .undeclared: type = nil
    case .link: return field.loss
    case .unnamed, .known, .images: return .none
    }
    guard let member = field.member, batch.tape.kind(of: member + 1) != .null,
      let value = field.group.flatMap({ document.winner(in: $0) }), !value.isNull
    else { return .none }
    let here = lostValue(at: member + 1, of: type, on: batch.tape)
    let there = LostValue(value, of: type, in: document, kinds.profile)
    switch (here, there) {
    case (let lost?, nil): return .ofEntity(lost)
    case (nil, let lost?): return .ofDocument(lost)
    case (nil, nil), (_?, _?): return .none
    }
  }

  /// Returns which side lacks what a link leads to, of those on which both sides of a property differ.
  func losses(
    of links: (missing: [[UInt8]], additional: [[UInt8]]), _ type: PropertyType
  ) -> (missing: [Loss], additional: [Loss]) {
    let missing = links.missing.map { LostValue($0.span, of: type, in: kinds.profile) }
    let additional = links.additional.map { LostValue($0.span, of: type, in: kinds.profile) }
    // Which of the document's links one that leads to no row is nobody can say: it may be any.
    let lacksSome = missing.contains { $0 != nil } && additional.contains { $0 == nil }
    let showsSome = missing.contains { $0 == nil } && additional.contains { $0 != nil }
    return (
      missing.map { lost in
        if let lost { return lacksSome ? .ofEntity(lost) : .none }
        return showsSome ? .ofDocument(.row) : .none
      },
      additional.map { lost in
        if let lost { return missing.contains { $0 != nil } ? .none : .ofDocument(lost) }
        return lacksSome ? .ofEntity(.row) : .none
      }
    )
  }

  private func lostValue(
    at node: Int, of type: PropertyType?, on tape: JSONTape
  ) -> LostValue? {
    func read(_ node: Int) -> LostValue? {
      guard tape.kind(of: node) == .string else { return nil }
      return LostValue(
        tape.text.span.extracting(tape.range(of: node)), of: type, in: kinds.profile)
    }
    guard case .links = type, tape.kind(of: node) == .array else { return read(node) }
    var element = node + 1
    while element < tape.node(after: node) {
      if let lost = read(element) { return lost }
      element = tape.node(after: element)
    }
    return nil
  }
}

extension [EntityReconciler.Field] {
  /// What of its store a file lacks, by the names of the fields of which its document has values.
  package var lacks: [LostValue: [String]] {
    var names: [LostValue: [String]] = [:]
    for lost in [LostValue.file, .row] {
      let found = self.names { $0.lacked == lost }
      if !found.isEmpty { names[lost] = found }
    }
    return names
  }

  /// The names of the fields of which readers see that a store lacked what the file has.
  package var namesOfShownLosses: [String] { names { $0.showsLoss } }

  /// The fields of which the file has what the document does not.
  package var changedSince: ChangedFields {
    ChangedFields(
      values: names { $0.verdict == .outdated && !$0.showsLoss }, losses: namesOfShownLosses)
  }
}

/// The names of fields of which a file has what a document does not that was made of it.
package struct ChangedFields: Hashable, Sendable {
  /// Those of which the document has older values.
  package var values: [String] = []
  /// Those of which readers see that a store lacked the value.
  package var losses: [String] = []

  package init(values: [String] = [], losses: [String] = []) {
    (self.values, self.losses) = (values, losses)
  }

  /// Adds the fields of another document, each once.
  package mutating func add(_ other: ChangedFields) {
    values += other.values.filter { !values.contains($0) }
    losses += other.losses.filter { !losses.contains($0) }
  }
}

extension Finding {
  /// Tells that a document lacks what a file has.
  ///
  /// - Parameter difference: what a message says before the fields that have older values.
  package static func diverged(
    _ entity: String, _ fields: ChangedFields, saying difference: String, path: String,
    next: String, command: NextCommand?
  ) -> [Finding] {
    var messages: [String] = []
    if !fields.values.isEmpty {
      messages.append(
        "\(entity) changed after it was imported; \(difference) \(fields.values.listed)")
    }
    if !fields.losses.isEmpty {
      messages.append(
        "\(entity) shows that a store lacked its \(fields.losses.listed), and this one has it")
    }
    return messages.map {
      Finding(.diverged, .error, path: path, message: $0, next: next, command: command)
    }
  }

  /// Tells that a document keeps values that a store names, and lacks.
  package static func keptValues(
    _ entity: String, _ fields: [LostValue: [String]], path: String
  ) -> [Finding] {
    let lost: [(LostValue, what: String, next: String)] = [
      (
        .file, "a file that is not beside it",
        "fetch the store's folder again, with what is hidden in it"
      ),
      (
        .row, "a row that is not there, or has no identity",
        "look for the row on another device, or in a backup of the store"
      ),
    ]
    return lost.compactMap { lost, what, next in
      guard let names = fields[lost] else { return nil }
      return Finding(
        .keptValue, .warning, path: path,
        message: "\(entity) keeps the \(names.listed) that its document has: the store names "
          + what,
        next: next)
    }
  }
}
