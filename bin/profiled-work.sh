# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: measures the commands on a folder that a profile describes, against Minuta's.
: "${here:?}"

# json_bytes DIRECTORY: how many bytes of JSON are in it.
json_bytes() { find "$1" -name '*.json' -exec cat -- {} + | wc -c; }

# measure_folder NAME SOURCE OPTION...: what both folders go through.
measure_folder() {
  measured=$1 source=$2
  shift 2
  fresh "$source"
  measure "import-$measured" "$tools/import-crdt" "$work/target" --quiet "$@"
  measure "verify-$measured" "$tools/verify-counts" "$work/target" --quiet "$@"
  measure "export-$measured" "$tools/export-json" "$work/target" --quiet --to "$work/files" "$@"
}

echo "generating $records entities" >&2
"$tools/generate-folder" "$work/described" --profile "$profile" --records "$records" \
  --months 120 --first-year 2014 --seed 1 >/dev/null

round=1
while [ "$round" -le "$rounds" ]; do
  echo "round $round of $rounds" >&2
  measure_folder minuta source
  measure_folder described described --profile "$profile"
  round=$((round + 1))
done

awk -v minuta="$(json_bytes "$work/source")" -v described="$(json_bytes "$work/described")" '
  { if (!($1 in best) || $2 < best[$1]) best[$1] = $2; if ($3 > peak[$1]) peak[$1] = $3 }
  function row(text, name) {
    ratio = best[name "-described"] / described / (best[name "-minuta"] / minuta)
    memory = peak[name "-described"] / 1024
    printf "| %s | %.2f s | %.2f s | %.2f | 1.25 x | %s | %.0f MiB | 64 MiB | %s |\n", text,
      best[name "-described"], best[name "-minuta"], ratio, ratio <= 1.25 ? "yes" : "NO", memory,
      memory <= 64 ? "yes" : "NO"
  }
  END {
    printf "JSON: %.1f MB, Minuta: %.1f MB\n\n", described / 1e6, minuta / 1e6
    print "| work | time | Minuta | a byte, x Minuta | target | reached | peak memory | target | reached |"
    print "|---|---|---|---|---|---|---|---|---|"
    row("import-crdt", "import")
    row("verify-counts, every field", "verify")
    row("export-json, files", "export")
  }' "$work/results"
