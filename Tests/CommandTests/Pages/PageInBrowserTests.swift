#if os(Linux)
  import Foundation
  import Testing

  /// The page as a browser shows it: nothing runs, nothing is fetched, everything can be read and reached.
  @Suite(.enabled(if: Browser.path != nil, "there is no Chromium here")) struct PageInBrowserTests {
    /// Returns what is wrong with the page, in words: one script, so that all of it is about one state.
    private static let inspection = """
      const wrong = [];
      const all = selector => [...document.querySelectorAll(selector)];
      const luminance = color => {
        const parts = color.match(/[0-9.]+/g).slice(0, 3).map(part => {
          const value = part / 255;
          return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
      };
      const ground = element => {
        for (let at = element; at; at = at.parentElement) {
          const color = getComputedStyle(at).backgroundColor;
          if (!/, 0\\)$/.test(color) && color !== 'transparent') return color;
        }
        return 'rgb(255, 255, 255)';
      };
      all('details').forEach(details => { details.open = true; });
      for (const element of all('body *')) {
        const hasText = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
        if (!hasText || element.tagName === 'STYLE') continue;
        const style = getComputedStyle(element);
        const ink = element.namespaceURI.includes('svg') ? style.fill : style.color;
        const [one, other] = [luminance(ink), luminance(ground(element))].sort((a, b) => b - a);
        const contrast = (one + 0.05) / (other + 0.05);
        if (contrast < 4.5) wrong.push(`${element.tagName} "${element.textContent.slice(0, 30)}" has a contrast of ${contrast.toFixed(1)}`);
      }
      for (const key of all('.key, svg rect')) {
        const style = getComputedStyle(key);
        const ink = key.tagName === 'rect' ? style.fill : style.backgroundColor;
        const [one, other] = [luminance(ink), luminance(ground(key.parentElement))].sort((a, b) => b - a);
        if ((one + 0.05) / (other + 0.05) < 3) wrong.push(`${key.tagName} is hardly seen`);
      }
      for (const link of all('a')) {
        const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
        if (!link.getAttribute('href').startsWith('#') || !target) wrong.push(`a link leads nowhere: ${link.href}`);
        if (!link.textContent.trim()) wrong.push('a link says nothing');
      }
      for (const picture of all('svg')) {
        if (picture.getAttribute('role') !== 'img' || !picture.getAttribute('aria-label')) wrong.push('a picture without words');
      }
      for (const table of all('table')) {
        if (!table.caption) wrong.push('a table without a caption');
        if (!table.querySelector('thead th[scope=col]') || !table.querySelector('tbody th[scope=row]')) wrong.push('a table without headings');
      }
      for (const part of all('[aria-labelledby]')) {
        if (!document.getElementById(part.getAttribute('aria-labelledby'))) wrong.push('a part that is called nothing');
      }
      const identities = all('[id]').map(element => element.id);
      if (new Set(identities).size !== identities.length) wrong.push('an id is there twice');
      let level = 0;
      for (const heading of all('h1, h2, h3')) {
        const own = Number(heading.tagName[1]);
        if (own > level + 1) wrong.push(`a heading is missing before "${heading.textContent}"`);
        level = own;
      }
      if (all('h1').length !== 1 || all('main').length !== 1 || all('nav[aria-label]').length !== 1) wrong.push('no landmarks');
      if (document.documentElement.lang !== 'en' || !document.title) wrong.push('no language or title');
      if (document.documentElement.scrollWidth > innerWidth) wrong.push(`it is ${document.documentElement.scrollWidth} wide on ${innerWidth}`);
      if (performance.getEntriesByType('resource').length) wrong.push('something was fetched');
      if (window.alerted) wrong.push('a script ran');
      return wrong;
      """

    /// A page with everything that can be on one.
    private func place() throws -> ReportedFolder {
      let folder = try SmallFolder()
      try folder.write("x", to: "<script>window.alerted = true</script>.txt")
      try folder.write("{broken", to: "records/2024/01/2024-01-16_093000.json")
      let place = try ReportedFolder(
        folder,
        values: [
          "<img src=x onerror=\"window.alerted = true\">", String(repeating: "longword", count: 90),
          "three",
        ])
      try Data("damage".utf8).write(to: folder.file("records/2024/02.automerge"))
      _ = try place.report()
      return place
    }

    @Test func `it can be read on a desk and on a telephone, in the light and in the dark`() throws
    {
      let place = try place()
      let other = try SmallFolder()
      let anonymous = page("anonymous.html", of: place, "--anonymous")
      let several = page("several.html", of: place, other.path, place.path + "-gone")
      let browser = try Browser(driver: try #require(Browser.path))
      for page in [place.page, anonymous, several] {
        for screen in Browser.Screen.allCases {
          for isDark in [false, true] {
            try browser.open(page, on: screen, isDark: isDark)
            let wrong = try #require(try browser.run(Self.inspection) as? [String])
            #expect(wrong == [], "\(page.lastPathComponent) \(screen) dark: \(isDark)")
            #expect(try browser.console() == [])
            let text = try #require(try browser.run("return document.body.innerText") as? String)
            #expect(text.contains("In the way") && text.contains("JSON against documents"))
            let ground = try browser.run("return getComputedStyle(document.body).backgroundColor")
            #expect(ground as? String == (isDark ? "rgb(20, 23, 28)" : "rgb(255, 255, 255)"))
          }
        }
      }
      // For whoever wants to see it.
      if let pictures = ProcessInfo.processInfo.environment["AUTOMERGE_MIGRATE_PICTURES"] {
        for screen in Browser.Screen.allCases {
          try browser.open(place.page, on: screen, isDark: screen == .telephone)
          try browser.picture().write(to: URL(filePath: "\(pictures)/\(screen.rawValue).png"))
        }
      }
    }

    private func page(_ name: String, of place: ReportedFolder, _ more: String...) -> URL {
      let page = place.folder.parent.appending(path: name)
      // What the run says is tested elsewhere.
      _ = try? CommandTests.run(
        BuiltCommands.directory.appending(path: "report-folder"),
        [place.path, "-o", page.path] + more, input: nil)
      return page
    }

    @Test func `a link brings its section into view`() throws {
      let place = try place()
      let browser = try Browser(driver: try #require(Browser.path))
      try browser.open(place.page, on: .telephone)
      let count = try #require(
        try browser.run("return document.querySelectorAll('nav a').length") as? Int)
      #expect(count == 7)
      for index in 0..<count {
        let place = try browser.run(
          """
          const link = document.querySelectorAll('nav a')[\(index)];
          link.click();
          return document.getElementById(link.hash.slice(1)).getBoundingClientRect().top;
          """)
        #expect(try #require(place as? Double) < 844, "\(index)")
      }
    }
  }
#endif
