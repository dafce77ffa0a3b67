package import Folders
package import SafeFiles

/// What a file holds that goes to quarantine. A clean-up has one of these for every file, so that nothing is
/// allocated for what most are: whole, and of one entity.
package struct HeldContent: Sendable {
  private enum Held {
    case one(Identity)
    /// Any others, or what leaves something in its place, which both are rare.
    indirect case any([Identity], rest: ContentHash?)
  }

  private let held: Held

  package init(_ identities: [Identity], rest: ContentHash?) {
    held = identities.count == 1 && rest == nil ? .one(identities[0]) : .any(identities, rest: rest)
  }

  /// The hash of what stays in its place when its entities are out of it; nil if it leaves whole.
  package var rest: ContentHash? {
    switch held {
    case .one: nil
    case .any(_, let rest): rest
    }
  }

  /// The identities of its entities, as they were given.
  package var identities: [Identity] {
    switch held {
    case .one(let identity): [identity]
    case .any(let identities, _): identities
    }
  }
}
