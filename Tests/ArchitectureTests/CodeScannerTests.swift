import Testing

/// The other tests here are worth what the scanner is worth.
@Suite struct CodeScannerTests {
  @Test(arguments: [
    (#"call() // print("x")"#, "call()              "),
    (#"let a = "try! it""#, #"let a = "       ""#),
    (#"let a = "\(value!) and try!""#, #"let a = "\(value!)         ""#),
    (##"let a = #"say "try!" \(no)"# + b"##, ##"let a = #"                "# + b"##),
    (##"let a = #"\#(value!)"#"##, ##"let a = #"\#(value!)"#"##),
    (#"a /* try! /* deep */ still */ b"#, "a                             b"),
    (#"let a = "\"try!\"""#, #"let a = "        ""#),
    (#"let a = "\(f("try!"))""#, #"let a = "\(f("    "))""#),
  ])
  func `comments and string contents are blank, code in them is not`(text: String, code: String) {
    #expect(CodeScanner.code(in: text) == code)
  }

  @Test func `a text over several lines keeps its lines`() {
    let text = "let a = \"\"\"\n  try! \"quoted\"\n  \"\"\"\nfatalError()\n"
    let code = CodeScanner.code(in: text).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(code.count == 5)
    #expect(!code[1].contains("try!"))
    #expect(code[3] == "fatalError()")
  }

  @Test func `imports are read with all that can stand before them`() {
    let file = SourceFile(
      path: "Sources/Module/Folder/File.swift",
      text: """
        import A
        package import B
        @testable import C
        internal import struct D.E
          import F
        // import G
        let text = "import H"
        """)
    #expect(file.imports.map(\.module) == ["A", "B", "C", "D", "F"])
    #expect(file.module == "Module")
    #expect(file.folder == "Folder")
  }

  @Test func `a violation names its file and line`() {
    let file = SourceFile(
      path: "Sources/M/F.swift", text: "let a = 1\nlet b = c!\nlet d = e != f\n")
    #expect(
      file.violations(of: /[\w)\]}"]!(?!=)/, holding: "!", told: "traps") == [
        "Sources/M/F.swift:2: traps"
      ])
  }
}
