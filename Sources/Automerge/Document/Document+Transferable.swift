#if canImport(UniformTypeIdentifiers)
  public import UniformTypeIdentifiers

  extension UTType {
    /// An Automerge document.
    ///
    /// An app that exchanges documents declares `com.github.automerge` as an imported type.
    public static var automerge: UTType {
      UTType(importedAs: "com.github.automerge", conformingTo: .data)
    }
  }
#endif

#if canImport(CoreTransferable) && canImport(UniformTypeIdentifiers)
  public import CoreTransferable

  extension Document: Transferable {
    /// A document is transferred as the file it is saved as.
    public static var transferRepresentation: some TransferRepresentation {
      DataRepresentation(contentType: .automerge) { document in
        document.save()
      } importing: { data in
        try Document(data)
      }
    }
  }
#endif
