/// The golden documents in the forms that damage starts from.
struct MutationCorpus: Sendable {
  /// Files as they are.
  private(set) var files: [[UInt8]] = []
  /// Files cut into chunks with nothing compressed, so that damage meets columns, not deflate.
  private(set) var plainChunks: [[ForgedChunk]] = []
  /// Changes in causal order, taken apart.
  private(set) var histories: [[ForgedChange.Parts]] = []

  /// Reads every document and change of the corpus; a long one only now and then, to keep the
  /// number of inputs a second high.
  static let golden: MutationCorpus = {
    var corpus = MutationCorpus()
    for golden in GoldenCase.all {
      let names = (try? Fixtures.names(in: golden.name)) ?? []
      for name in names where name.hasSuffix(".automerge") {
        guard let bytes = try? Fixtures.bytes("\(golden.name)/\(name)"), bytes.count < 12_000
        else { continue }
        corpus.files.append(bytes)
        if let chunks = try? ChunkList(bytes).chunks.map({ try $0.inflated }), !chunks.isEmpty {
          corpus.plainChunks.append(chunks)
        }
      }
      let changes = ((try? golden.changePaths()) ?? []).prefix(40).compactMap { path in
        (try? ChunkList(Fixtures.bytes(path)).chunks.first).flatMap {
          try? ForgedChange.Parts(parsing: $0.body)
        }
      }
      if !changes.isEmpty { corpus.histories.append(changes) }
    }
    corpus.files += SampleHistory.changes.map(\.bytes) + [SampleHistory.document.bytes]
    corpus.plainChunks += [SampleHistory.changes.map(\.chunk), [SampleHistory.document.chunk]]
    corpus.histories += [SampleHistory.changes.map(\.parts)]
    return corpus
  }()
}
