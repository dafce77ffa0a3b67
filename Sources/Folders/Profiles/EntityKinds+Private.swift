package import Diagnostics

// Private kinds, whose entities leave the app's own files only when somebody asks for them.
extension EntityKinds {
  /// The option by which somebody asks for them.
  fileprivate static let option = "--include-private"

  /// Returns the kinds whose entities stay where they are: the private ones, unless somebody asked for
  /// them.
  package func withheld(unlessAsked isAsked: Bool) -> Set<EntityKind> {
    isAsked || mapping == .frozen ? [] : Set(all.filter { self[$0]?.isPrivate ?? false })
  }

  /// What asks a command for the private kinds; empty if there are none.
  package var privateOptions: [String] {
    withheld(unlessAsked: false).isEmpty ? [] : [Self.option]
  }

  /// What asks a command for a kind; empty if it needs no asking.
  package func privateOptions(of kind: EntityKind) -> [String] {
    mapping == .declared && self[kind]?.isPrivate ?? false ? [Self.option] : []
  }

  /// Returns what is told about entities of a private kind that nobody asked for.
  ///
  /// - Parameters:
  ///   - consequence: what is not done with them, such as `not imported`.
  ///   - command: what does it.
  package func leftOut(
    _ count: Int, _ kind: EntityKind, _ consequence: String, command: NextCommand? = nil
  ) -> Finding {
    Finding(
      .privateKind, .info,
      message: "\(Self.counted(count, name(of: kind))) \(count == 1 ? "is" : "are") private and "
        + consequence,
      next: command?.shellText
        ?? "add \(Self.option) if \(count == 1 ? "it is" : "they are") wanted",
      command: command)
  }

  /// Returns how a report concludes about entities of private kinds that were left out; nil if none
  /// were.
  ///
  /// - Parameter counts: how many of each kind, by the names of the kinds.
  package static func leftOut(_ counts: some Sequence<(String, Int)>) -> String? {
    let parts = counts.filter { $0.1 > 0 }.map { counted($0.1, $0.0) }
    guard !parts.isEmpty else { return nil }
    return "Left out, because private: \(parts.joined(separator: ", ")); \(option) takes them, too."
  }
}

extension NextCommand {
  /// Whether it asks for private kinds.
  package var asksForPrivateKinds: Bool { arguments.contains(EntityKinds.option) }
}

extension Finding {
  /// The finding about content that nobody asked for: worth knowing, and nothing to settle.
  package var asInformation: Finding {
    var finding = self
    finding.severity = .info
    return finding
  }
}
