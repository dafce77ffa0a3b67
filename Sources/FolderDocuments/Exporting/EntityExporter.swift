package import Automerge
package import Diagnostics
package import Folders

/// Writes what a document shows of an entity of any kind of a profile as the members of a JSON object,
/// without its identity, as a stream has it.
package struct EntityExporter {
  private let kinds: EntityKinds
  private var minuta = MemberExporter()
  /// The exporter of each declared kind, once it was met.
  private var declared: [EntityKind: DeclaredExporter] = [:]

  /// The types that the JSON written last does not show.
  package private(set) var types: [(pointer: [UInt8], type: StreamType)] = []
  /// What was found in the entity written last: code, severity, message.
  package private(set) var findings: [Finding] = []

  /// Creates an exporter of entities of a folder.
  package init(_ kinds: EntityKinds) { self.kinds = kinds }

  /// Writes the members of an entity into an object that was begun.
  package mutating func writeMembers(
    of map: OpID, _ kind: EntityKind, _ identity: Identity, in document: DocumentState,
    to json: inout JSONWriter
  ) {
    guard case .declared = kinds.mapping else {
      minuta.writeMembers(of: map, kind, identity, in: document, level: 1, to: &json)
      (types, findings) = (minuta.types, minuta.findings)
      return
    }
    guard var exporter = exporter(of: kind) else { return }
    // Not there twice while it writes.
    declared[kind] = nil
    exporter.writeMembers(
      of: map, identity: kinds.bytes(of: identity, kind).span, in: document, hasIdentity: false,
      level: 1, to: &json)
    (types, findings) = (exporter.types, exporter.findings)
    declared[kind] = exporter
  }

  private func exporter(of kind: EntityKind) -> DeclaredExporter? {
    declared[kind] ?? kinds[kind].map { DeclaredExporter($0, of: kinds.profile) }
  }
}
