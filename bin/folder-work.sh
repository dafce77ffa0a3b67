# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: measures the commands on a folder against what the system needs for its files.
: "${here:?}"

# A program that writes COUNT files of BYTES random bytes to DIRECTORY, each synchronized.
write_files='
import os, sys

count, size, directory = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
content = os.urandom(size)
for number in range(count):
    if number % 1000 == 0:
        place = f"{directory}/{number // 1000}"
        os.makedirs(place)
    file = os.open(f"{place}/{number}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    os.write(file, content)
    os.fsync(file)
    os.close(file)
'

# documents FOLDER: the months of a folder, one a line.
documents() { find "$1/records" -name '*.automerge'; }

# conflict FOLDER: puts beside each month a copy as sync services leave them, half of them edited.
conflict() {
  rm -rf -- "$work/other"
  cp -a "$1" "$work/other"
  for year in "$work"/other/records/*; do
    for month in 01 03 05 07 09 11; do
      set -- "$1" "$year/$month"/*.json
      sed 's/"endTime":"[^"]*"/"endTime":"2031-01-01T00:00:00.000Z"/' "$2" >"$work/edited.json"
      cat "$work/edited.json" >"$2"
    done
  done
  "$tools/import-crdt" "$work/other" --update --quiet >/dev/null
  documents "$work/other" | while read -r document; do
    name=${document#"$work/other/"}
    cp "$document" "$1/${name%.automerge} (Anna's conflicted copy 2026-01-06).automerge"
  done
  rm -rf -- "$work/other"
}

round=1
while [ "$round" -le "$rounds" ]; do
  echo "round $round of $rounds" >&2
  fresh
  # The yardsticks read what the commands read.
  # shellcheck disable=SC2016
  measure cat sh -c 'find "$1" -name "*.json" -print0 | xargs -0 cat >/dev/null' sh "$work/target"
  measure import "$tools/import-crdt" "$work/target" --quiet
  measure verify "$tools/verify-counts" "$work/target" --quiet
  measure again "$tools/import-crdt" "$work/target" --quiet
  measure report "$tools/report-folder" "$work/target" --output "$work/page.html" --quiet
  # shellcheck disable=SC2016
  measure tar sh -c 'tar cf - -C "$1" . | sha256sum' sh "$work/target"
  measure pack "$tools/pack-backup" "$work/target" --output "$work/backups/target.tar" --quiet
  measure clean "$tools/cleanup-legacy" "$work/target" --quiet --apply \
    --backup "$work/backups/target.tar"
  measure export "$tools/export-json" "$work/target" --quiet
  fresh
  "$tools/import-crdt" "$work/target" --quiet >/dev/null
  conflict "$work/target"
  measure merge "$tools/merge-conflicts" "$work/target" --quiet
  fresh
  measure migrate "$tools/migrate-folder" "$work/target" --backup-dir "$work/backups"
  fresh
  measure whole "$tools/migrate-folder" "$work/target" --backup-dir "$work/backups" \
    --cleanup --layout monthly
  # So many synchronizations take minutes.
  if [ "$round" -eq 1 ]; then
    fresh
    measure single "$tools/import-crdt" "$work/target" --layout per-record --quiet
    # Of the size that documents of one record have.
    size=$(documents "$work/target" | head -n 100 | tr '\n' '\0' | xargs -0 cat | wc -c)
    measure write python3 -c "$write_files" "$records" "$((size / 100))" "$work/files"
  fi
  round=$((round + 1))
done

awk '
  {
    if (!($1 in best) || $2 < best[$1]) { best[$1] = $2; busy[$1] = $4 / $2 }
    if ($3 > peak[$1]) peak[$1] = $3
  }
  function verdict(value, target) { return target ? (value <= target ? "yes" : "NO") : "" }
  function row(text, name, yardstick, target) {
    ratio = best[name] / best[yardstick]
    printf "| %s | %.2f s | %.1f | %.2f x %s | %s | %s | %.0f MiB | %s |\n", text, best[name], busy[name],
      ratio, yardstick, target ? sprintf("%.2f x", target) : "", verdict(ratio, target),
      peak[name] / 1024, verdict(peak[name] / 1024, 48)
  }
  END {
    printf "cat: %.2f s, tar: %.2f s, write: %.2f s\n\n", best["cat"], best["tar"], best["write"]
    print "| work | time | processors | ratio | target | reached | peak memory | in 48 MiB |"
    print "|---|---|---|---|---|---|---|---|"
    row("import-crdt, monthly", "import", "cat", 0.5)
    row("import-crdt, per-record", "single", "write", 1.3)
    row("import-crdt again, nothing to do", "again", "cat", 0.45)
    row("verify-counts, every field", "verify", "cat", 0.45)
    row("report-folder", "report", "verify", 1.5)
    row("export-json after clean-up", "export", "cat", 0.3)
    row("pack-backup, read back and verified", "pack", "tar", 1)
    row("cleanup-legacy, moving everything", "clean", "cat", 1)
    row("merge-conflicts, a copy of each month, half edited", "merge", "cat", 0.5)
    row("migrate-folder", "migrate", "cat", 1.8)
    row("migrate-folder --cleanup", "whole", "cat", 3)
  }' "$work/results"

printf '\n| program | size | target | reached | start-up | target | reached |\n|---|---|---|---|---|---|---|\n'
: >"$work/results"
for _ in 1 2 3 4 5 6 7 8 9 10; do measure start "$tools/verify-counts" --version; done
size=$(wc -c <"$tools/automerge-migrate")
awk -v size="$size" '
  { if (NR == 1 || $2 < best) best = $2 }
  END {
    printf "| automerge-migrate | %.1f MB | 18 MB | %s | %.1f ms | 5 ms | %s |\n", size / 1e6,
      size <= 18e6 ? "yes" : "NO", best * 1000, best <= 0.005 ? "yes" : "NO"
  }' "$work/results"
