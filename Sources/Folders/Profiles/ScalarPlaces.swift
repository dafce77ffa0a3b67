/// The places that the declared scalars of a kind have in its content change (convergent-import.md).
///
/// Places count from the last one, so those that only newer versions have come first, and are left out
/// by entities that have none of them.
package struct ScalarPlaces: Hashable, Sendable {
  /// The most scalars of an entity, those without a place included.
  package static let limit = 1000

  /// The properties in the order of their places, by their positions in the table.
  package let all: [Int]
  /// How many of them not every version has.
  private let laterCount: Int

  /// Orders the scalars of a kind.
  package init(of properties: PropertyTable) {
    all = properties.indices.filter { properties.facts(at: $0).form.isScalar }.sorted {
      let (left, right) = (properties[$0].since, properties[$1].since)
      return left == right ? $0 < $1 : left > right
    }
    laterCount = all.count { properties[$0].since > 1 }
  }

  /// Returns the properties that have a place in an entity, some of which are absent from it.
  package func used(where isAbsent: (Int) -> Bool) -> ArraySlice<Int> {
    let left = all[..<laterCount].prefix(while: isAbsent).count
    return all[left...]
  }
}
