/// The identities that a file holds. Most hold one: then nothing is allocated.
package struct HeldIdentities: Sendable {
  private enum Storage {
    case one(Identity)
    case any([Identity])
  }

  private let storage: Storage

  package init(_ identities: [Identity]) {
    storage = identities.count == 1 ? .one(identities[0]) : .any(identities)
  }

  /// All of them, as they were given.
  package var all: [Identity] {
    switch storage {
    case .one(let identity): [identity]
    case .any(let identities): identities
    }
  }
}
