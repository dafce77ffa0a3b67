import Automerge
public import Foundation

/// A shopping list that several people edit, each on a device of their own.
public struct SharedList {
  /// One thing to buy.
  public struct Item: Codable, Hashable, Sendable {
    /// What to buy.
    public var name: String
    /// Whether somebody has it.
    public var isDone: Bool

    /// Creates an item that nobody has yet.
    public init(_ name: String) {
      self.name = name
      isDone = false
    }
  }

  private struct Content: Codable {
    var title: String
    var items: [Item]
  }

  private let document: Document

  /// Creates an empty list.
  public init(title: String) throws {
    document = Document()
    try AutomergeEncoder(doc: document).encode(Content(title: title, items: []))
  }

  /// Opens a list that was saved.
  public init(file: Data) throws {
    document = try Document(file)
  }

  /// What the list has, in its order.
  public var items: [Item] {
    get throws { try AutomergeDecoder(doc: document).decode(Content.self).items }
  }

  /// Adds an item at the end.
  public func add(_ name: String) throws {
    let list = try place()
    let item = try document.insertObject(obj: list, index: document.length(obj: list), ty: .Map)
    try document.put(obj: item, key: "name", value: .String(name))
    try document.put(obj: item, key: "isDone", value: .Boolean(false))
  }

  /// Notes that somebody has an item.
  public func finish(at index: Int) throws {
    guard case .Object(let item, .Map)? = try document.get(obj: place(), index: UInt64(index))
    else {
      return
    }
    try document.put(obj: item, key: "isDone", value: .Boolean(true))
  }

  /// The list as a file, which every implementation of Automerge reads.
  public func file() -> Data { document.save() }

  /// Brings this list and another one to the same state, as over a connection; returns how many bytes
  /// went over it.
  public func sync(with other: SharedList) throws -> Int {
    let (mine, theirs) = (SyncState(), SyncState())
    var count = 0
    while true {
      let ours = document.generateSyncMessage(state: mine)
      if let ours {
        count += ours.count
        try other.document.receiveSyncMessage(state: theirs, message: ours)
      }
      let answer = other.document.generateSyncMessage(state: theirs)
      if let answer {
        count += answer.count
        try document.receiveSyncMessage(state: mine, message: answer)
      }
      if ours == nil, answer == nil { return count }
    }
  }

  private func place() throws -> ObjId {
    guard case .Object(let list, .List)? = try document.get(obj: .ROOT, key: "items") else {
      throw CocoaError(.coderReadCorrupt)
    }
    return list
  }
}
