package import ArgumentParser
package import MigrationCore

extension InspectionView: EnumerableFlag {
  package static func help(for view: InspectionView) -> ArgumentHelp? {
    switch view {
    case .tree: "Show the state as a tree for people."
    case .typed: "Print the state as JSON in which every type can be told from every other."
    case .plain: "Print the state as JSON without types."
    case .conflicts: "Print every key and index that has more than one value, as JSON."
    case .heads: "Print the hashes nobody builds on, one a line."
    case .changes: "Print one JSON object a line for each change."
    case .check: "Only verify every hash; status 65 with the offset of the first defect."
    }
  }
}
