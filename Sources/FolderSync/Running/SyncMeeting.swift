import Diagnostics
import Folders
import Runs
import SafeFiles

/// A connection on which both sides know who the other is, and that they fit each other.
struct SyncMeeting {
  let folder: Directory
  let connection: Connection
  let context: RunContext
  let options: SyncOptions
  /// What the other side said about itself.
  let peer: Hello
  /// Whether nothing is written: this side was told so, or the other one that it answers.
  let isDryRun: Bool
  private let memories: SyncMemories
  /// The folder as it was listed to greet, for the first round.
  private var listing: FolderListing?

  /// Says who this side is, behind the greeting; throws if the two cannot be synced.
  init(
    _ folder: Directory, _ connection: Connection, _ options: SyncOptions, obeysPeer: Bool,
    context: RunContext
  ) throws(MigrationError) {
    (self.folder, self.connection) = (folder, connection)
    let (pulse, isInterrupted) = (connection.pulse, context.isInterrupted)
    var context = context
    // Whatever goes on, or waits, asks for this again and again.
    context.isInterrupted = {
      pulse.beat()
      return isInterrupted()
    }
    (self.options, self.context) = (options, context)
    memories = try MigrationError.wrapping { () throws(FileError) in try SyncMemories(of: folder) }
    let listing = try FolderListing(of: folder, at: options.folder, context: context)
    self.listing = listing
    var wishes: Hello.Wishes = []
    if options.isDryRun { wishes.insert(.dryRun) }
    if options.watches { wishes.insert(.watch) }
    let own = Hello(
      memories.identity, wishes, kinds: context.kinds, layout: LayoutWord(listing.inventory),
      version: context.version, folder: options.folder)
    try connection.send(.hello) { own.write(to: &$0) }
    try connection.flush()
    try connection.requireGreeting()
    let frame = try connection.receive(.hello)
    peer = try connection.parse(frame) { (reader) throws(WireDefect) in try Hello(&reader) }
    isDryRun = options.isDryRun || obeysPeer && peer.wishes.contains(.dryRun)
    try requireFit(own)
  }

  private func requireFit(_ own: Hello) throws(MigrationError) {
    guard peer.profile == own.profile, peer.profileHash == own.profileHash else {
      let profile = DisplayText.escaping(peer.profile.utf8)
      throw refusal(
        peer.profile == own.profile
          ? "its profile \(profile) says other things than the one here"
          : "its profile is \(profile), here it is \(own.profile)",
        "give both sides the same --profile")
    }
    guard own.layout.fits(peer.layout) else {
      throw refusal(
        "it has \(peer.layout.name), here there is \(own.layout.name)",
        own.layout == .mixed || peer.layout == .mixed
          ? "bring the mixed folder into one layout with merge-conflicts --unify, then sync"
          : "bring one of them into the layout of the other with migrate-schema, then sync")
    }
  }

  private func refusal(_ problem: String, _ remedy: String) -> MigrationError {
    .underlying(
      Diagnostic(
        .conflictsWithData, subject: shownPeer, problem: problem, remedy: remedy))
  }

  private var shownPeer: String { DisplayText.escaping(peer.folder.utf8) }

  /// Looks at the folder while the other side looks at its own, and returns what there is to do a round
  /// with.
  mutating func side() throws(MigrationError) -> SyncSide {
    let listing =
      if let listing { listing } else {
        try FolderListing(of: folder, at: options.folder, context: context)
      }
    self.listing = nil
    let memory = memories.memory(of: peer.identity)
    var text = WireWriter()
    memory.index.write(to: &text, besides: SideIndex())
    let digest = ContentHash(of: text.bytes)
    try connection.send(.remembered, digest.bytes)
    try connection.flush()
    let survey = try FolderSurvey(
      of: folder, listing, remembering: memory, context: context)
    let theirs = try connection.receive(.remembered)
    context.explain(
      shownPeer,
      message: theirs.payload == digest.bytes
        ? "remembers the same of the last sync as this side: "
          + "\(memory.documents.count.counted("document")) and "
          + "\(memory.files.count.counted("attached file")) that both had"
        : "does not remember the same of a last sync as this side: everything is told anew")
    return SyncSide(
      folder, connection, survey,
      sharing: theirs.payload == digest.bytes ? memory : SyncMemory(),
      isDryRun: isDryRun, context: context)
  }

  /// Keeps what both have now.
  func keep(_ memory: SyncMemory) {
    if !options.isDryRun, !peer.wishes.contains(.dryRun) {
      memories.keep(memory, of: peer.identity)
    }
  }
}
