# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
# shellcheck disable=SC2034
# (SC2034: what is set here is used by those scripts.)
#
# Sourced by install and package: what is installed besides the programs, made from what they say of
# themselves and from the pages of the documentation. No text is written twice.
: "${here:?}"

# Debian's names of what makes manual pages.
tree_packages="lowdown"

# Sets `manual` to argument-parser's program that makes a manual page of what a command says of itself.
find_manual() {
  manual=$here/generate-manual
  [ -x "$manual" ] && return
  swift build --package-path "$here/.." --product generate-manual >&2
  manual=$(swift build --package-path "$here/.." --show-bin-path)/generate-manual
}

# make_share DIR SHARE DATE: manual pages, completions and documentation of the commands in DIR.
make_share() {
  documented="$program $("$1/$program" --commands)"
  mkdir -p -- "$2/man/man1" "$2/man/man5" "$2/man/man7" "$2/bash-completion/completions" \
    "$2/zsh/site-functions" "$2/fish/vendor_completions.d" "$2/doc/$program/examples"
  for command in $documented; do
    manual_page "$1/$command" "$2/man/man1/$command.1" "$3"
    "$1/$command" --generate-completion-script bash | sed '1{/^#!/d;}' \
      >"$2/bash-completion/completions/$command"
    "$1/$command" --generate-completion-script zsh >"$2/zsh/site-functions/_$command"
    "$1/$command" --generate-completion-script fish >"$2/fish/vendor_completions.d/$command.fish"
  done
  pages=$here/../Sources/Documentation
  converted_page "$pages/scripting.md" "$2/man/man7/$program-scripting.7" "$3" \
    "streams, options, JSON Lines and exit statuses of $program"
  converted_page "$pages/file-formats.md" "$2/man/man5/$program-formats.5" "$3" \
    "the files that $program reads and writes"
  cp -R -- "$here/../README.md" "$pages/." "$2/doc/$program"
  rm -rf -- "$2/doc/$program/changelog"
  cp -RL -- "$here/../plans" "$here/../fixtures/sample-folder" "$2/doc/$program/examples"
  rm -f -- "$2/doc/$program/examples/sample-folder/.DS_Store"
  cp -- "$here/../fixtures/profiles/notes/profile.json" "$2/doc/$program/examples/notes-profile.json"
}

# manual_page COMMAND FILE DATE: the page of a command. The generator knows neither examples nor exit
# statuses, which stand in the description, nor what an option is by default, which only the help text
# says, nor what stands behind `--`; and it lists a command `help` where there is none.
manual_page() {
  pages_made=$(mktemp -d)
  "$manual" "$1" --multi-page --section 1 --date "$3" --output-directory "$pages_made"
  "$1" --help >"$pages_made/help"
  awk -v program="$program" -v commands="$documented" '
    # What an option takes and has by default ends its part of the help text, in parentheses.
    function keep_note() {
      if (match(text, /[(](values|default): [^()]*[)] *$/)) note[option] = substr(text, RSTART, RLENGTH)
      text = ""
    }
    function tell_note() {
      if (item in note) print note[item]
      item = ""
    }
    NR == FNR && /^USAGE: .* -- \[/ { has_rest = 1 }
    NR == FNR && /^  -/ {
      keep_note()
      option = substr($0, index($0, "--") + 2)
      sub(/[^a-z-].*/, "", option)
    }
    NR == FNR { sub(/^ +/, ""); text = text " " $0; next }
    FNR == 1 { keep_note() }
    function literal(title, text) {
      if (text != "") printf ".Sh %s\n.Bd -literal\n%s.Ed\n", title, text
    }
    # A line of a page that begins with a period or a quote would be an order.
    function plain(line) { gsub(/\\/, "\\e", line); return line ~ /^[.'"'"']/ ? "\\&" line : line }
    /^\.Dt / { name = tolower($2) }
    /^\.Sh / { section = $0; part = "" }
    section == ".Sh SYNOPSIS" && has_rest && /^\.Op Ar .*\.\.\.$/ { sub(/Op Ar/, "Op Fl - Ar") }
    section == ".Sh SYNOPSIS" && /^\.Ar subcommand/ && name != program { next }
    section == ".Sh DESCRIPTION" && $0 == "Examples:" { part = "examples"; next }
    section == ".Sh DESCRIPTION" && $0 == "Exit status:" { part = "statuses"; next }
    part == "examples" && $0 == "" { part = ""; next }
    part == "examples" { sub(/^  /, ""); examples = examples plain($0) "\n"; next }
    part == "statuses" && /^\./ { part = "" }
    part == "statuses" { statuses = statuses plain($0) "\n"; next }
    /^\.It Em help$/ && name != program { skipped = 5 }
    skipped > 0 { skipped--; next }
    /^\.Sh "EXIT STATUS"/ && statuses != "" { exit }
    /^\.Sh "?(SEE ALSO|AUTHORS)/ { exit }
    /^\.(It|El|Sh)/ { tell_note() }
    /^\.It Fl / { item = $0; sub(/^[^-]*-/, "", item); sub(/ .*/, "", item) }
    # Names of files and options are read and copied as they are.
    /^\.Sh/ { $0 = $0 "\n.nh" }
    # An empty line is a space, and there is none before an item.
    $0 == "" || $0 == ".Pp" { space = 1; next }
    { if (space && !/^\.(It|Bl|Sh)/) print ".Pp"; space = 0; print }
    END {
      literal("EXIT STATUS", statuses)
      literal("EXAMPLES", examples)
      print ".Sh SEE ALSO"
      count = split(name == program ? commands : program, others, " ")
      for (other = 1; other <= count; other++)
        if (others[other] != name) printf ".Xr %s 1 ,\n", others[other]
      printf ".Xr %s-formats 5 ,\n.Xr %s-scripting 7\n", program, program
    }' "$pages_made/help" "$pages_made/${1##*/}.1" >"$2"
  rm -rf -- "$pages_made"
}

# converted_page PAGE FILE DATE WHAT: a page of the documentation as a manual page, its tables as lists:
# a terminal is too narrow for columns.
converted_page() {
  section=${2##*.}
  title=${2##*/}
  awk '
    !/^[|]/ { row = 0; print; next }
    {
      gsub(/^[|] *| *[|]$/, "")
      count = split($0, cells, / *[|] */)
      if (++row == 1) split($0, titles, / *[|] */)
      if (row < 3) next
      text = "- " cells[1] ":"
      for (cell = 2; cell <= count; cell++)
        if (cells[cell] != "")
          text = text (count > 2 ? " " titles[cell] ":" : "") " " cells[cell] (cell < count ? ";" : "")
      print text
    }' "$1" |
    lowdown -s -tman --nroff-nolinks -m "title: ${title%.*}" -m "section: $section" -m "date: $3" |
    sed -e 's/\\fC/\\fB/g' -e '/^\.TH /i .nr HY 0' \
      -e "/^\.TH /a .ad l\\n.SH NAME\\n${title%.*} \\\\- $4" >"$2"
}
