#if os(Linux)
  import Foundation

  /// Chromium without a screen, driven by its own driver (W3C WebDriver).
  final class Browser {
    /// What a person looks at a page on.
    enum Screen: String, CaseIterable, Sendable {
      case desk
      case telephone

      var size: (width: Int, height: Int) { self == .desk ? (1280, 900) : (390, 844) }
    }

    /// The process of the driver, which leads a group with the browser in it.
    private let driver: Int32
    private let files: TemporaryDirectory
    private let address: String
    private var session = ""

    /// Where the driver is; nil if there is none.
    static var path: String? {
      ["/usr/bin/chromedriver", "/usr/lib/chromium/chromedriver"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Starts a browser.
    init(driver path: String) throws {
      files = try TemporaryDirectory()
      let log = files.url.appending(path: "log")
      // It lives as long as the tests beside this one, who wait until nobody has their pipes.
      let start = """
        for file in /proc/$$/fd/*; do
          number=${file##*/}
          if [ "$number" -gt 2 ]; then eval "exec $number>&-"; fi
        done
        setsid "$0" --port=0 >"$1" 2>&1 </dev/null &
        echo $!
        """
      let started = try CommandTests.run(
        URL(filePath: "/bin/bash"), ["-c", start, path, log.path], input: nil)
      guard let process = Int32(started.output.trimmingCharacters(in: .newlines)) else {
        throw CocoaError(.fileReadUnknown)
      }
      driver = process
      var port: Substring?
      for _ in 0..<3600 where port == nil {
        usleep(50_000)
        // The log is not there at once.
        port =
          (try? String(contentsOf: log, encoding: .utf8))?
          .firstMatch(of: /started successfully on port (\d+)/)?.1
      }
      address = "http://127.0.0.1:\(port ?? "")"
      let arguments = [
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--user-data-dir=\(files.url.appending(path: "profile").path)",
      ]
      let capabilities: [String: Any] = [
        "browserName": "chrome", "goog:chromeOptions": ["args": arguments],
        "goog:loggingPrefs": ["browser": "ALL"],
      ]
      let answer = try post("/session", ["capabilities": ["alwaysMatch": capabilities]])
      session = (answer as? [String: Any])?["sessionId"] as? String ?? ""
    }

    deinit {
      kill(-driver, SIGTERM)
      // What they hold open is theirs until they are gone.
      for _ in 0..<200 where kill(-driver, 0) == 0 { usleep(50_000) }
      kill(-driver, SIGKILL)
    }

    /// Shows a file as somebody sees it with that screen.
    func open(_ file: URL, on screen: Screen, isDark: Bool = false) throws {
      try command(
        "Emulation.setDeviceMetricsOverride",
        [
          "width": screen.size.width, "height": screen.size.height, "deviceScaleFactor": 1,
          "mobile": screen == .telephone,
        ])
      try command(
        "Emulation.setEmulatedMedia",
        [
          "features": [["name": "prefers-color-scheme", "value": isDark ? "dark" : "light"]]
        ])
      _ = try post("/session/\(session)/url", ["url": file.absoluteString])
    }

    /// Runs a script in the page and returns what it returns.
    func run(_ script: String) throws -> Any? {
      try post("/session/\(session)/execute/sync", ["script": script, "args": [String]()])
    }

    /// What the console says since it was asked last.
    func console() throws -> [String] {
      let entries = try post("/session/\(session)/se/log", ["type": "browser"])
      return (entries as? [[String: Any]] ?? []).compactMap { $0["message"] as? String }
    }

    /// The page as a picture, whole.
    func picture() throws -> Data {
      let answer = try post(
        "/session/\(session)/goog/cdp/execute",
        ["cmd": "Page.captureScreenshot", "params": ["captureBeyondViewport": true]])
      let text = (answer as? [String: Any])?["data"] as? String ?? ""
      return Data(base64Encoded: text) ?? Data()
    }

    private func command(_ name: String, _ parameters: [String: Any]) throws {
      _ = try post(
        "/session/\(session)/goog/cdp/execute", ["cmd": name, "params": parameters])
    }

    /// Sends a request with curl, which understands every answer of the driver.
    private func post(_ path: String, _ body: [String: Any]) throws -> Any? {
      let data = try JSONSerialization.data(withJSONObject: body)
      let answer = try CommandTests.run(
        URL(filePath: "/usr/bin/env"),
        [
          "curl", "--silent", "--show-error", "--max-time", "300", "--header",
          "Content-Type: application/json", "--data-binary", "@-", address + path,
        ], input: String(decoding: data, as: UTF8.self))
      let object =
        try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
      if let value = object?["value"] as? [String: Any], value["error"] != nil {
        throw CocoaError(
          .fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: value["message"] as? String ?? ""]
        )
      }
      return object?["value"]
    }
  }
#endif
