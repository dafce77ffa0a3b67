# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: compares tables of what commands cost, and writes the one of the repository.
: "${here:?}"

# quantities TABLE: a quantity a line, as `ROW|QUANTITY|NUMBER`.
quantities() {
  awk -F ' *[|] *' -v OFS='|' '
    # What a comparison printed behind a table has fewer parts.
    /^[|] (command|engine)[\/]/ && NF > 8 {
      gsub(/,/, "")
      print $2, "thousand instructions", $4
      print $2, "thousand instructions, half", $3
      print $2, "growth of instructions", $4 / $3
      if ($7 == "") next
      print $2, "system calls", $8
      print $2, "system calls, half", $7
      print $2, "growth of system calls", $8 / $7
    }' "$1"
}

# compare TABLE COUNTED: tells what is over and what is better; status 1 if anything is over.
compare() {
  quantities "$1" >"$work/before"
  quantities "$2" >"$work/now"
  # A call more in half of the months is taken for one more for each document.
  awk -F '|' -v step="$((months / 2))" -v all="${rows:+no}" '
    function tell(list, before, now, limit) {
      text[list] = text[list] sprintf("| %s | %s | %s | %s | %s |\n", $1, $2, before, now, limit)
    }
    function judge(before, now, least, most) {
      change = sprintf("%s (%+.1f %%)", now, 100 * (now / before - 1))
      if (now > most) tell("over", before, change, "up to " int(most))
      if (now < least) tell("better", before, change, "from " int(least))
    }
    function show(list, title) {
      if (list in text)
        printf "%s:\n\n| row | what | table | counted | limit |\n|---|---|--:|--:|--:|\n%s\n", title, text[list]
    }
    FILENAME == ARGV[1] { before[$1, $2] = $3; rows[NR] = $1; next }
    { counted[$1] }
    $2 ~ /growth/ { if ($3 > 2.1) tell("over", "any", sprintf("%.2f", $3), "up to 2.10"); next }
    !(($1, $2) in before) {
      if (!($1 in told)) tell("over", "nothing", $3, "")
      told[$1]
      next
    }
    $2 ~ /instructions/ { judge(before[$1, $2], $3, before[$1, $2] * 0.97, before[$1, $2] * 1.03) }
    $2 ~ /calls/ { judge(before[$1, $2], $3, before[$1, $2] - step, before[$1, $2] + step) }
    END {
      for (number = 1; all == "" && number in rows; number++) {
        $0 = rows[number] "|thousand instructions"
        if (!($1 in counted)) tell("over", before[$1, $2], "nothing", "")
        counted[$1]
      }
      show("over", "Over the table")
      show("better", "Better than the table, which bin/bench counts --update writes")
      exit "over" in text
    }' "$work/before" "$work/now"
}

# What decides how many instructions a program has, besides its text.
surroundings() {
  printf 'Counted with Swift %s on %s, %s.\n' \
    "$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([^ ]*\).*/\1/p')" \
    "$(. /etc/os-release && echo "$PRETTY_NAME")" "$(uname -m)"
}

# update TABLE COUNTED: prints the page of the table with what was counted. A row stays as it is where
# only its last digits changed (a percent, two calls), so that a difference shows what a change did.
update() {
  awk -F ' *[|] *' -v surroundings="$(surroundings)" -v all="${rows:+no}" '
    function number(text) { gsub(/,/, "", text); return text + 0 }
    # Parts 3 and 4 are instructions, 7 and 8 system calls.
    function is_same(earlier, later) {
      split(earlier, before, FS)
      split(later, now, FS)
      for (part = 3; part <= 4; part++) {
        ratio = number(now[part]) / number(before[part])
        if (ratio < 0.99 || ratio > 1.01) return 0
      }
      for (part = 7; part <= 8; part++) {
        change = number(now[part]) - number(before[part])
        if (change < -2 || change > 2 || (before[part] == "") != (now[part] == "")) return 0
      }
      return 1
    }
    /^[|] (command|engine)[\/]/ && NF <= 8 { next }
    /^[|] (command|engine)[\/]/ {
      if (NR == FNR) { row[$2] = $0; names[++count] = $2; next }
      if ($2 in row) { print is_same($0, row[$2]) ? $0 : row[$2]; delete row[$2] }
      else if (all == "no") print
      next
    }
    NR == FNR { next }
    { print /^Counted with/ ? surroundings : $0 }
    END { for (place = 1; place <= count; place++) if (names[place] in row) print row[names[place]] }
  ' "$2" "$1"
}
