import Automerge

/// One actor of a session: the engine's document and the model of what it must be.
struct SessionReplica {
  var document: Document
  var model: ModelReplica
  /// The heads when new changes were last asked for.
  var exported: Set<ModelChange.ID> = []

  init(_ document: Document, _ model: ModelReplica) {
    self.document = document
    self.model = model
  }
}
