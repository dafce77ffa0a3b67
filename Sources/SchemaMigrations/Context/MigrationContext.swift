/// All that a step may know besides its sources. Whoever runs steps fills it in: a step has no clock and
/// nothing random, so with the same input it makes the same bytes on every device.
public struct MigrationContext: Sendable {
  /// The version of the app whose data it is; nil if nobody knows, and then no comparison holds.
  public var appVersion: AppVersion?
  /// The version of what runs the steps.
  public var toolVersion: AppVersion?
  /// The system.
  public var platform: Platform
  /// The version of the system.
  public var systemVersion: AppVersion?
  /// The model of the device.
  public var model: String?
  /// The name of the device.
  public var host: String?
  /// The preferences of the app.
  public var preferences: MigrationObject
  /// The steps that were done.
  public var history: Set<MigrationID>
  /// How many bytes are free where the data is; nil if nobody knows.
  public var freeByteCount: Int64?
  /// How many bytes of memory the device has; nil if nobody knows.
  public var memoryByteCount: Int64?
  /// What steps take for now, in milliseconds since 1970 UTC; nil if the caller gives none.
  public var moment: Int64?
  /// Named values of the caller.
  public var parameters: MigrationObject
  /// What is at the sources and the destination of the step that is asked.
  public internal(set) var input = MigrationInput()
  /// Whether the conditions of the step that is asked are taken to hold.
  var ignoresConditions = false

  /// Creates a context of which everything that is not given is unknown.
  public init(
    appVersion: AppVersion? = nil, toolVersion: AppVersion? = nil, platform: Platform = .current,
    systemVersion: AppVersion? = nil, model: String? = nil, host: String? = nil,
    preferences: MigrationObject = MigrationObject(), history: Set<MigrationID> = [],
    freeByteCount: Int64? = nil, memoryByteCount: Int64? = nil, moment: Int64? = nil,
    parameters: MigrationObject = MigrationObject()
  ) {
    self.appVersion = appVersion
    self.toolVersion = toolVersion
    self.platform = platform
    self.systemVersion = systemVersion
    self.model = model
    self.host = host
    self.preferences = preferences
    self.history = history
    self.freeByteCount = freeByteCount
    self.memoryByteCount = memoryByteCount
    self.moment = moment
    self.parameters = parameters
  }

  /// A context in which a step sees what is given, as tests of steps need it.
  public func seeing(_ input: MigrationInput) -> MigrationContext {
    var context = self
    context.input = input
    return context
  }
}
