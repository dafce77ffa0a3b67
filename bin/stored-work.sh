# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: measures the commands on a store against what the system itself needs for it.
: "${here:?}"

# fresh_store: one copy of the store at a time; what commands wrote is gone.
fresh_store() {
  rm -rf -- "${work:?}/target" "$work/data" "$work/backup.tar"
  cp -a -- "$work/store" "$work/target"
  sync
}

# The whole way of a store, as `bin/demo --profile NAME` shows it; the arguments are the commands, the
# directory of the store, its name, and a place for what is written.
# shellcheck disable=SC2016
journey='set -e
tools=$1 directory=$2 store=$2/$3 place=$4
"$tools/pack-backup" "$store" --quiet --output "$place/way.tar"
"$tools/export-json" "$store" --quiet >"$place/way.jsonl"
"$tools/import-crdt" "$store" --into "$place/way" --quiet
"$tools/verify-counts" "$place/way" --against "$store" --quiet
"$tools/restore-backup" "$place/way.tar" --into "$directory" --quiet
"$tools/verify-counts" "$place/way" --against "$store" --quiet'

# measure_way NAME PROFILE STORE ROWS: how long a store of that many rows takes for the whole way.
measure_way() {
  rm -rf -- "${work:?}/small"
  "$tools/generate-store" "$work/small" --profile "$2" --rows "$4" --seed 1 >/dev/null
  for _ in 1 2 3; do
    rm -rf -- "${work:?}/target" "$work/way" "$work/way.tar" "$work/way.jsonl"
    cp -a -- "$work/small" "$work/target"
    measure "$1" sh -c "$journey" sh "$tools" "$work/target" "$3" "$work"
  done
}

echo "generating $rows rows" >&2
"$tools/generate-store" "$work/store" --profile ritualist --rows "$rows" --seed 1 >/dev/null
store=CloudKit.store

round=1
while [ "$round" -le "$rounds" ]; do
  echo "round $round of $rounds" >&2
  fresh_store
  measure export "$tools/export-json" "$work/target/$store" --quiet
  measure import "$tools/import-crdt" "$work/target/$store" --into "$work/data" --quiet
  measure verify "$tools/verify-counts" "$work/data" --against "$work/target/$store" --quiet
  # The yardsticks read what the commands read: the store and what belongs to it, not the one beside it.
  # shellcheck disable=SC2016
  measure tar sh -c 'cd "$1" && tar cf - "$2"* | sha256sum' sh "$work/target" "$store"
  measure pack "$tools/pack-backup" "$work/target/$store" --output "$work/backup.tar" --quiet
  # Last, because sqlite3 folds the log into the store that it is given.
  measure dump sqlite3 "$work/target/$store" .dump
  round=$((round + 1))
done
measure_way ritualist-way ritualist "$store" 1000
# A tenth of the rows are pets.
measure_way laundrytime-way laundrytime default.store 990

awk -v rows="$rows" '
  { if (!($1 in best) || $2 < best[$1]) best[$1] = $2; if ($3 > peak[$1]) peak[$1] = $3 }
  function row(text, name, yardstick, target) {
    ratio = best[name] / best[yardstick]
    memory = peak[name] / 1024
    printf "| %s | %.2f s | %.2f x %s | %s x | %s | %.0f MiB | 64 MiB | %s |\n", text, best[name], ratio,
      yardstick, target, ratio <= target ? "yes" : "NO", memory, memory <= 64 ? "yes" : "NO"
  }
  function way(text, name) {
    printf "| %s | %.2f s | 1 s | %s |\n", text, best[name], best[name] <= 1 ? "yes" : "NO"
  }
  END {
    printf "%d rows. dump: %.2f s, tar: %.2f s\n\n", rows, best["dump"], best["tar"]
    print "| work | time | ratio | target | reached | peak memory | target | reached |"
    print "|---|---|---|---|---|---|---|---|"
    row("export-json", "export", "dump", 1.5)
    row("verify-counts --against, every field", "verify", "dump", 3)
    row("import-crdt", "import", "dump", 4)
    row("pack-backup, read back and verified", "pack", "tar", 1.5)
    print "\n| backup, export, import, verify, restore, verify | time | target | reached |"
    print "|---|---|---|---|"
    way("ritualist, 1,000 rows", "ritualist-way")
    way("laundrytime, 100 pets", "laundrytime-way")
  }' "$work/results"
