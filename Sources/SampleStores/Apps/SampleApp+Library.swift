import SwiftDataStores

// An app that no profile knows, with what the other two do not have: entities that inherit, every
// kind of relationship, numbers in decimal, values of several columns, and large values in files.
extension SampleApp {
  /// Books and people.
  package static let library = SampleApp(
    name: "library",
    bundle: "org.example.Library",
    versions: [
      Version(name: "V1", number: 1, identifier: "1.0.0"),
      Version(name: "V2", number: 2, identifier: "2.0.0"),
    ],
    currentVersion: "V2",
    files: [
      StoreFile(
        name: "Library.store", versions: 1...2,
        entities: ["Author", "Book", "Loan", "Person", "Reader", "Shelf", "Tag"])
    ],
    entities: [
      SampleEntity(
        name: "Person", isAbstract: true,
        properties: [.required("id", .uuid), .required("name", .string)]),
      SampleEntity(
        name: "Author", superentity: "Person",
        properties: [
          .optional("penName", .string),
          .toMany("books", "Book", inverse: "author", .cascade),
        ]),
      SampleEntity(
        name: "Reader", superentity: "Person",
        properties: [
          .optional("card", .integer64),
          SampleProperty(
            name: "home",
            content: .composite([
              .init(name: "latitude", type: .double), .init(name: "longitude", type: .double),
            ]), isOptional: true, versions: 2...2),
        ]),
      SampleEntity(
        name: "Book", unique: (["title"], 1...2),
        properties: [
          .required("title", .string), .required("addedAt", .date), .external("cover"),
          .optional("extra", .transformable), .required("isRead", .boolean),
          .optional("pages", .integer64), .optional("price", .decimal),
          .optional("rating", .double), .optional("site", .uri, in: 2...2),
          .toOne("author", "Author", inverse: "books"), .toOne("owner", "Person", inverse: nil),
          .toMany("shelves", "Shelf", inverse: "books", .nullify),
          .toMany("tags", "Tag", inverse: nil, .deny),
        ]),
      SampleEntity(
        name: "Shelf", unique: (["name"], 1...2),
        properties: [
          .required("name", .string), .toMany("books", "Book", inverse: "shelves", .nullify),
        ]),
      SampleEntity(
        name: "Tag", unique: (["word"], 1...2), properties: [.required("word", .string)]),
      SampleEntity(
        name: "Loan",
        properties: [.required("days", .integer64), .toOne("book", "Book", inverse: nil)]),
    ])
}
