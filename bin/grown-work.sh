# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: measures what each further record costs, in folders of a hundredth, of a tenth and of
# all records, each with as many of them in a month. What a run costs however few there are, its start
# above all, is in none of that.
: "${here:?}"

# grow RECORDS: measures the commands on a folder of so many, each as often as there are rounds.
grow() {
  echo "generating $1 records" >&2
  rm -rf -- "${work:?}/target"
  months=$(($1 / 800 + 1))
  "$tools/generate-folder" "$work/target" --records "$1" --months "$months" \
    --first-year "$((2024 - months / 12))" --seed 1 >/dev/null
  round=1
  while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds" >&2
    find "$work/target" -name '*.automerge' -delete
    rm -rf -- "$work/target/.automerge-migrate.nosync"
    sync
    measure "import $1" "$tools/import-crdt" "$work/target" --quiet
    measure "again $1" "$tools/import-crdt" "$work/target" --quiet
    measure "verify $1" "$tools/verify-counts" "$work/target" --quiet
    measure "export $1" "$tools/export-json" "$work/target" --quiet
    round=$((round + 1))
  done
}

grow "$((records / 100))"
grow "$((records / 10))"
grow "$records"

awk -v few="$((records / 100))" -v some="$((records / 10))" -v all="$records" '
  {
    if (!(($1, $2) in best) || $3 < best[$1, $2]) best[$1, $2] = $3
    if ($4 > peak[$1, $2]) peak[$1, $2] = $4
  }
  function slope(name, from, to) { return (best[name, to] - best[name, from]) / (to - from) * 1e6 }
  function row(text, name,    first, second, growth) {
    first = slope(name, few, some)
    second = slope(name, some, all)
    growth = (first > 0 ? second / first : 0)
    printf "| %s | %.2f us | %.2f us | %.2f | 1.10 | %s | %.0f MiB | %.0f MiB | %.0f |\n", text, first, second,
      growth, (growth > 0 && growth <= 1.1 ? "yes" : "NO"), peak[name, some] / 1024, peak[name, all] / 1024,
      (peak[name, all] - peak[name, some]) * 1024 / (all - some)
  }
  END {
    printf "| work | a record, from %d to %d | from %d to %d | growth | target | reached ", few, some, some, all
    printf "| memory, %d | %d | bytes a record |\n|---|---|---|---|---|---|---|---|---|\n", some, all
    row("import-crdt, monthly", "import")
    row("import-crdt again, nothing to do", "again")
    row("verify-counts, every field", "verify")
    row("export-json, with the JSON there", "export")
  }' "$work/results"
