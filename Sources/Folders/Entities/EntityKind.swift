/// The kinds of entity a Minuta folder holds.
package enum EntityKind: String, CaseIterable, Hashable, Sendable {
  /// A tag.
  case tag
  /// A time record.
  case record
  /// A key of a document's root that is no entity; only interchange streams carry it.
  case other

  /// The known fields of the kind, in the order the convergent import writes them.
  ///
  /// `id` is no field, and the `images` of a record are a list of their own.
  package var fields: [KnownField] {
    switch self {
    case .tag: KnownField.ofTag
    case .record: KnownField.ofRecord
    case .other: []
    }
  }
}
