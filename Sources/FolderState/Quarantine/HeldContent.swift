package import Folders
package import SafeFiles

/// What a file holds that goes to quarantine. A clean-up has one of these for every file, so that nothing is
/// allocated for what most are: whole, and of one entity.
package struct HeldContent: Sendable {
  private enum Identities {
    case one(Identity)
    case any([Identity])
  }

  private let held: Identities
  /// One hash where something stays, which is rare.
  private let rests: [ContentHash]

  package init(_ identities: [Identity], rest: ContentHash?) {
    held = identities.count == 1 ? .one(identities[0]) : .any(identities)
    rests = rest.map { [$0] } ?? []
  }

  /// The hash of what stays in its place when its entities are out of it; nil if it leaves whole.
  package var rest: ContentHash? { rests.first }

  /// The identities of its entities, as they were given.
  package var identities: [Identity] {
    switch held {
    case .one(let identity): [identity]
    case .any(let identities): identities
    }
  }
}
