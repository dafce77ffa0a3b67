# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: measures what each further record costs, in folders of a hundredth, of a tenth and of
# all records, each with as many of them in a month. What a run costs however few there are, its start
# above all, is in none of that. What each further file costs the system is beside them.
: "${here:?}"

# grow RECORDS: measures the commands on a folder of so many, each as often as there are rounds.
grow() {
  echo "generating $1 records" >&2
  rm -rf -- "${work:?}/target"
  # From 1984 on, so that the months of 1,000,000 end before the future, of which there would be warnings.
  "$tools/generate-folder" "$work/target" --records "$1" --months "$(($1 / 2000 + 1))" \
    --first-year 1984 --seed 1 >/dev/null
  round=1
  while [ "$round" -le "$rounds" ]; do
    echo "round $round of $rounds" >&2
    find "$work/target" -name '*.automerge' -delete
    rm -rf -- "$work/target/.automerge-migrate.nosync"
    sync
    # shellcheck disable=SC2016 # The inner shell expands it.
    measure "cat $1" sh -c 'find "$1" -name "*.json" -print0 | xargs -0 cat >/dev/null' sh "$work/target"
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
  function row(text, name, target,    first, second, growth) {
    first = slope(name, few, some)
    second = slope(name, some, all)
    growth = (first > 0 ? second / first : 0)
    printf "| %s | %.2f us | %.2f us | %.2f | %s | %s | %.0f MiB | %.0f MiB | %.0f |\n", text, first, second,
      growth, (target ? sprintf("%.2f", target) : ""),
      (!target ? "" : (growth > 0 && growth <= target) ? "yes" : "NO"),
      peak[name, some] / 1024, peak[name, all] / 1024,
      (peak[name, all] - peak[name, some]) * 1024 / (all - some)
  }
  END {
    printf "| work | a record, from %d to %d | from %d to %d | growth | target | reached ", few, some, some, all
    printf "| memory, %d | %d | bytes a record |\n|---|---|---|---|---|---|---|---|---|\n", some, all
    row("cat, the system alone for the same files", "cat", 0)
    row("import-crdt, monthly", "import", 1.10)
    row("import-crdt again, nothing to do", "again", 1.10)
    row("verify-counts, every field", "verify", 1.10)
    row("export-json, with the JSON there", "export", 1.10)
  }' "$work/results"
