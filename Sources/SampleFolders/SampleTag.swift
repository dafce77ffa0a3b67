import Folders

/// One tag of a sample folder.
struct SampleTag {
  let number: Int
  let identity: Identity

  /// Writes the tag as the app does; some as older versions of the app did.
  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.name("id")
    json.string(identity)
    json.name("name")
    json.string(name)
    json.name("color")
    json.string(SampleText.colors[number % SampleText.colors.count])
    json.name("createdAt")
    json.string(
      number % 5 == 3 ? "2022-11-0\(number % 9 + 1)T09:00:00+01:00" : "2022-12-01T08:00:00Z")
    // Older versions did not know archived tags.
    if number % 6 != 4 {
      json.name("isArchived")
      json.bool(number % 4 == 3)
    }
    if number == 1 {
      json.name("symbol")
      json.string("house.fill")
      json.name("order")
      json.number(3)
    }
    json.endObject()
  }

  private var name: String {
    let names = SampleText.tags
    let name = names[number % names.count]
    return number < names.count ? name : "\(name) \(number / names.count + 1)"
  }
}
