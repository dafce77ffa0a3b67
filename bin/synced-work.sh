# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: two folders that were synced once, of which one then changes in a hundredth of its
# records. A file from the future is read by each sync, because nobody could see that it changes; the
# sample has its pictures over months that are yet to come, and a folder of somebody has none of those.
: "${here:?}"

# edit FOLDER: another comment in every hundredth record, and in the documents.
edit() {
  grep -rl '"comment":"' "$1/records" --include='*.json' | sort |
    awk -v wanted="$((records / 100))" '{ file[NR] = $0 }
      END { for (i = 1; i <= wanted && i <= NR; i++) print file[int(i * NR / (wanted + 1)) + 1] }' |
    tr '\n' '\0' | xargs -0 sed -i 's/"comment":"/&again /'
  "$tools/import-crdt" "$1" --update --quiet
}

"$tools/import-crdt" "$work/source" --layout monthly --quiet
find "$work/source" -type f -newermt now -exec touch -d yesterday {} +
cp -a -- "$work/source" "$work/other"
"$tools/sync-folder" "$work/source" "$work/other" --quiet
round=1
while [ "$round" -le "$rounds" ]; do
  echo "round $round of $rounds" >&2
  edit "$work/other"
  # A file that was written a moment ago is read again by the next sync.
  sleep 3
  sync
  measure verify "$tools/verify-counts" "$work/source" --quiet
  # shellcheck disable=SC2016
  measure sync sh -c '"$1" "$2" "$3" --json | tail -n 1 >"$4"' sh "$tools/sync-folder" \
    "$work/source" "$work/other" "$work/summary"
  # shellcheck disable=SC2016
  measure again sh -c '"$1" "$2" "$3" --quiet' sh "$tools/sync-folder" "$work/source" "$work/other"
  round=$((round + 1))
done

python3 - "$work/results" "$work/summary" <<'PYTHON'
import json, sys

best, peak = {}, {}
for line in open(sys.argv[1]):
    name, seconds, kib, _ = line.split()
    best[name] = min(best.get(name, 1e9), float(seconds))
    peak[name] = max(peak.get(name, 0), int(kib))
summary = json.load(open(sys.argv[2]))


def row(text, value, ratio, target, memory=""):
    print(f"| {text} | {value} | {ratio:.2f} | {target} | {'yes' if ratio <= target else 'NO'} | {memory} |")


wire = summary["bytesReceived"] + summary["bytesSent"]
print(f"verify-counts of one side: {best['verify']:.2f} s; changes: {summary['changesReceived']:,}, "
      f"{summary['changeBytesReceived']:,} bytes\n")
print("| work | measured | ratio | target | reached | peak memory |\n|---|---|---|---|---|---|")
for text, name in [("sync-folder, a hundredth changed", "sync"), ("sync-folder, nothing changed", "again")]:
    row(text, f"{best[name]:.2f} s", best[name] / best["verify"], 1.2, f"{peak[name] / 1024:.0f} MiB")
row("bytes on the wire", f"{wire:,}", wire / summary["changeBytesReceived"], 1.5)
PYTHON
