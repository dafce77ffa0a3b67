import SafeFiles

/// What a run did to a tree of files, step by step, and what the tree was before.
package struct Recording: Sendable {
  /// A file, directory or link, whatever names it has.
  struct Node: Sendable {
    var kind: FileKind
    /// The bytes of a file, or the target of a link.
    var content: [UInt8] = []
    /// The names in a directory.
    var entries: [FileName: Int] = [:]
    var mode: UInt16
    var modified: FileTime?
  }

  /// A name in a directory.
  struct Place: Hashable, Sendable {
    var directory: Int
    var name: FileName
  }

  /// A call that changed something. Nodes are numbers; 0 is the root.
  enum Step: Sendable {
    /// A new file, directory or link got its name.
    case make(Int, Place, FileKind, content: [UInt8], mode: UInt16)
    case write(Int, [UInt8], offset: Int)
    case synchronize(Int)
    case synchronizeAll
    case rename(Int, from: Place, to: Place)
    case exchange(Int, Place, with: Int, Place)
    case link(Int, Place)
    case unlink(Int, Place)
    case setMode(Int, UInt16)
    case setModified(Int, FileTime)
  }

  /// The tree before the first step, all of it durable.
  var nodes: [Node] = []
  var steps: [Step] = []

  /// How many steps there are.
  package var stepCount: Int { steps.count }

  /// The tree before the first step.
  package var origin: StoredTree { PowerCut(self, afterSteps: 0).least }
}
