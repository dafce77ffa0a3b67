import FolderDocuments

/// One piece of what a side says: `[1 kind][4 length, little-endian][payload]`.
struct Frame {
  /// What a frame is for; the raw value is its first byte.
  enum Kind: UInt8, CaseIterable {
    /// Who speaks (`Hello`).
    case hello = 1
    /// Why the side that speaks ends the connection (`Failure`).
    case failure = 2
    /// The digest of what the side remembers of the other.
    case remembered = 3
    /// What is in the folder (`SideIndex`).
    case index = 4
    /// Paths of which the side takes and gives nothing.
    case declined = 5
    /// The side listens from here on: it is the other's turn.
    case turn = 6
    /// The side is at work and has nothing to say yet: stands between any two frames.
    case working = 7
    /// The digest of what the side makes of both indexes.
    case plan = 8

    // Attached files
    /// The number of a file.
    case file = 10
    /// Bytes of that file.
    case piece = 11
    /// All of it was sent, or what could be read.
    case fileEnd = 12

    // Documents
    /// The numbers of the documents that are talked about next.
    case open = 20
    /// The number of a document, and a message about it.
    case message = 21
    /// These documents are done with.
    case close = 22

    // Writing
    /// What arrived is to be written now.
    case publish = 30
    /// The paths of what could not be written.
    case unpublished = 31

    // The end
    /// What the side has to tell its reader.
    case finding = 40
    /// Nothing more is to come of this round.
    case done = 41
    /// Another round begins.
    case again = 42
    /// Whether anything changed since.
    case probe = 43
    /// The answer to that.
    case news = 44
  }

  var kind: Kind
  var payload: [UInt8]

  /// What opens a connection, before the first frame of each side; the last byte is the version.
  static let greeting = Array("AMSYNC".utf8) + [0, 1]

  /// The longest payload: a document with what is around it.
  static let greatestLength = DocumentLoader.largestDocument + 1 << 16
  /// The longest message about a document, which has a number in front.
  static let greatestMessage = greatestLength - 16
  /// So many bytes of a file are in a frame.
  static let pieceByteCount = 1 << 16
}
