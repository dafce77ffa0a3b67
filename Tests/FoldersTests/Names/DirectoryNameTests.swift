import Folders
import Testing

@Suite struct DirectoryNameTests {
  private func year(_ name: String) -> Int? {
    let bytes = Array(name.utf8)
    return DirectoryName.year(bytes.span)
  }

  private func month(_ name: String) -> Int? {
    let bytes = Array(name.utf8)
    return DirectoryName.month(bytes.span)
  }

  private func isRecords(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    return DirectoryName.isBase("records", bytes.span)
  }

  @Test func `years have four digits and perhaps the number of a copy`() {
    #expect(year("2024") == 2024)
    #expect(year("0000") == 0)
    #expect(year("9999") == 9999)
    #expect(year("2024 2") == 2024)
    #expect(year("2024 999") == 2024)
    for name in [
      "", "24", "02024", "202a", "2024 1", "2024 0", "2024 02", "2024 1000", "2024  2", "2024-2",
      "2024 (2)", " 2024", "2024 ", "2024 2 3", "２０２４", "+024",
    ] {
      #expect(year(name) == nil, "\(name)")
    }
  }

  @Test func `months are 1 to 12 with or without a zero, and perhaps the number of a copy`() {
    for number in 1...12 {
      #expect(month("\(number)") == number)
      #expect(month(number < 10 ? "0\(number)" : "\(number)") == number)
      #expect(month("\(number) 2") == number)
      #expect(month(number < 10 ? "0\(number) 17" : "\(number) 17") == number)
    }
    for name in [
      "", "0", "00", "13", "99", "001", "1 1", "01 02", "1a", "a1", "-1", "Jan", "1.", " 1",
    ] {
      #expect(month(name) == nil, "\(name)")
    }
  }

  @Test func `records may be a copy of itself`() {
    for name in ["records", "records 2", "records 31"] { #expect(isRecords(name), "\(name)") }
    for name in ["record", "Records", "records2", "records 1", "records (2)", "records old", ""] {
      #expect(!isRecords(name), "\(name)")
    }
  }
}
