/// What an encoder does about containers that a value needs and a document lacks.
public enum SchemaStrategy: Sendable {
  /// Makes them; an object or scalar of another kind in their place is an error.
  case createWhenNeeded
  /// Is not supported: every lookup fails.
  case override
  /// Fails; values are written into containers that exist.
  case readonly
}
