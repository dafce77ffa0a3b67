import Folders
import SwiftDataStores

/// Bytes of a row that are too many for a document, and where they are in the store.
struct StoreBlob {
  /// Where they are.
  enum Place {
    case file(ExternalData)
    /// At the end of a cell.
    case cell(EntityLayout, column: String, row: Int64)
  }

  /// What stands for them in a document.
  let reference: BlobReference
  let place: Place
  /// The store, by its position.
  let store: Int
}
