/// How a page looks: light and dark, on a telephone, on a desk and on paper.
enum PageStyle {
  static let sheet: StaticString = """
    :root { color-scheme: light dark;
      --paper: #ffffff; --ink: #1c1f24; --soft: #545b66; --line: #d5d9e0; --panel: #f4f6f9;
      --link: #0b57a4; --json: #7a5200; --document: #0b6b6b;
      --good: #14632e; --warn: #7a4a00; --bad: #a3141f; }
    @media (prefers-color-scheme: dark) { :root {
      --paper: #14171c; --ink: #e8eaee; --soft: #aab1bd; --line: #3a414d; --panel: #1f242c;
      --link: #7db8ff; --json: #e3b45c; --document: #5fd0cf;
      --good: #7fd39a; --warn: #f0b860; --bad: #ff9a9e; } }
    * { box-sizing: border-box; }
    body { margin: 0 auto; max-width: 66rem; padding: 1rem 1.25rem 4rem; background: var(--paper);
      color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
    h1 { font-size: 1.6rem; line-height: 1.25; margin: 1rem 0 .25rem; }
    h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; padding-top: .75rem;
      border-top: 1px solid var(--line); }
    h3, h4, .next { font-size: 1.05rem; margin: 1.25rem 0 .25rem; }
    h2.next { border-top: 0; margin-top: 1rem; padding-top: 0; }
    .folder > h2 { font-size: 1.6rem; } .folder section > h3 { font-size: 1.25rem; }
    a { color: var(--link); }
    p { margin: .5rem 0; max-width: 46rem; }
    nav ul, .parts { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; padding: 0; }
    code, pre { font: .92em/1.45 ui-monospace, monospace; }
    pre { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem;
      padding: .6rem .8rem; white-space: pre-wrap; margin: .5rem 0; }
    .soft { color: var(--soft); }
    .standing { border: 1px solid var(--line); border-left: .5rem solid var(--soft);
      border-radius: .4rem; padding: .5rem 1rem; background: var(--panel); margin: 1rem 0; }
    .standing .word { font-size: 1.5rem; font-weight: 700; margin: 0; }
    .good { border-left-color: var(--good); } .good .word { color: var(--good); }
    .warn { border-left-color: var(--warn); } .warn .word { color: var(--warn); }
    .bad { border-left-color: var(--bad); } .bad .word { color: var(--bad); }
    .severity { font-weight: 700; }
    .error { color: var(--bad); } .warning { color: var(--warn); } .info { color: var(--soft); }
    .scroll { overflow-x: auto; }
    table { border-collapse: collapse; font-size: .92rem; min-width: 50%; }
    caption { text-align: left; color: var(--soft); padding: .25rem 0; }
    th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0;
      border-bottom: 1px solid var(--line); font-weight: 400; }
    td, thead th { overflow-wrap: normal; } tbody th { min-width: 11rem; }
    thead th { font-weight: 600; white-space: nowrap; }
    .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
    figure { margin: 1rem 0; }
    figcaption { color: var(--soft); font-size: .92rem; }
    svg { display: block; height: auto; } .narrow { width: 20rem; max-width: 100%; }
    .wide { width: 100%; min-width: 40rem; max-height: 18rem; }
    svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
    .axis { stroke: var(--line); }
    .json { fill: var(--json); } .document { fill: var(--document); }
    .key { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 .8em; }
    .key.json { background: var(--json); } .key.document { background: var(--document); }
    .values { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr));
      gap: .75rem; margin: .5rem 0; }
    .value { border: 1px solid var(--line); border-radius: .4rem; padding: .5rem .75rem; }
    .value.shown { border-color: var(--document); border-width: 2px; }
    .value p { margin: .1rem 0; }
    details { margin: .5rem 0; } summary { cursor: pointer; color: var(--link); }
    ol.runs { list-style: none; padding-left: 0; border-left: 2px solid var(--line);
      margin-left: .4rem; }
    ol.runs li { padding: .15rem 0 .15rem 1rem; position: relative; }
    ol.runs li::before { content: ""; position: absolute; left: -.42rem; top: .6rem; width: .7rem;
      height: .7rem; border-radius: 50%; background: var(--soft); }
    ol.runs .done::before { background: var(--good); }
    ol.runs .differs::before, ol.runs .interrupted::before { background: var(--warn); }
    ol.runs .failed::before { background: var(--bad); }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
    @media print { :root { --paper: #fff; --ink: #000; --soft: #333; --line: #999; --panel: #fff;
        --link: #000; }
      body { max-width: none; font-size: 10pt; padding: 0; } nav, .parts { display: none; }
      h2, h3, h4, figure, .conflict { break-inside: avoid; } h2 { break-after: avoid; }
      .scroll { overflow: visible; } .wide { min-width: 0; } }
    """
}
