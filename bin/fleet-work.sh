# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: measures a fleet of small folders against a bare loop, in the same run, then lets
# what was measured run for a fleet of a million folders.
: "${here:?}"

# small_folders DIR COUNT: folders of a tag and two records, and DIR/list.
small_folders() {
  python3 - "$1" "$2" <<'PYTHON'
import os, sys

place, count = sys.argv[1], int(sys.argv[2])
os.makedirs(place)
with open(place + "/list", "w") as names:
    for number in range(count):
        folder = f"{place}/{number}/Minuta"
        os.makedirs(folder + "/records/2024/01")
        with open(folder + "/tags.json", "w") as file:
            file.write('{"tags":[{"id":"0B1F1C4E-6E0B-4C0C-9E43-%012X","name":"Tag","color":"#34C759",'
                       '"createdAt":"2024-01-02T08:00:00Z","isArchived":false}]}' % number)
        for hour in (9, 10):
            with open(f"{folder}/records/2024/01/2024-01-15_{hour:02}3000.json", "w") as file:
                file.write('{"id":"5D1F1C4E-6E0B-4C0C-9E%02X-%012X","startTime":"2024-01-15T%02d:30:00Z",'
                           '"comment":"work"}' % (hour, number, hour))
        names.write(folder + "\n")
PYTHON
}

for way in loop fleet both; do small_folders "$work/$way" "$folders"; done
sync
echo "migrating $folders folders in a bare loop" >&2
# shellcheck disable=SC2016
measure loop sh -c 'while IFS= read -r folder; do "$1" "$folder" --json --quiet; done <"$2"' \
  sh "$tools/migrate-folder" "$work/loop/list"
echo "migrating $folders folders as a fleet, one job at a time" >&2
measure fleet "$tools/migrate-fleet" "$work/fleet/list" --jobs 1 --quiet
echo "migrating $folders folders as a fleet, a job for each core" >&2
measure both "$tools/migrate-fleet" "$work/both/list" --quiet
measure again "$tools/migrate-fleet" "$work/both/list" --quiet

python3 - "$work/results" "$work/fleet/list.results.jsonl" "$folders" "$(nproc)" <<'PYTHON'
import heapq, json, random, sys

rows = {}
for line in open(sys.argv[1]):
    name, seconds, peak, _ = line.split()
    rows[name] = (float(seconds), int(peak))
folders, cores = int(sys.argv[3]), int(sys.argv[4])
loop = rows["loop"][0]
print(f"bare loop: {loop:.1f} s for {folders} folders, {1000 * loop / folders:.1f} ms each\n")
print("| work | time | ratio | target | reached | peak memory |\n|---|---|---|---|---|---|")
for name, text, target in (
    ("fleet", "migrate-fleet --jobs 1", 1.3), ("both", f"migrate-fleet, {cores} jobs", None),
    ("again", "migrate-fleet again, nothing to do", None)):
    seconds, peak = rows[name]
    ratio = seconds / loop
    verdict = f"{target} x | {'yes' if ratio <= target else 'NO'}" if target else " | "
    print(f"| {text} | {seconds:.2f} s | {ratio:.3f} x loop | {verdict} | {peak / 1024:.0f} MiB |")

# A million folders on measured times: each takes as long as one of those that were measured, a job is
# 64 folders, and what a job costs besides is what the fleet took over the sum of its folders.
times = [json.loads(line)["seconds"] for line in open(sys.argv[2])]
batch, million = 64, 1_000_000
cost = max(0.0, rows["fleet"][0] - sum(times)) / (folders / min(batch, folders // 8))
taken = rows["again"][0] / folders
print(f"\na job costs {1000 * cost:.0f} ms besides its folders; a result is read in {1e6 * taken:.0f} us")
print("\n| simulated: folders | jobs | hosts | time | busy |\n|---|--:|--:|--:|--:|")
chance = random.Random(1)
for jobs, hosts in ((2, 1), (16, 1), (16, 8), (16, 64)):
    slots = [0.0] * (jobs * hosts)
    work = 0.0
    started = 0.0
    for _ in range(million // batch):
        seconds = sum(chance.choices(times, k=batch))
        # One scheduler starts jobs one after the other.
        started = max(started + cost, heapq.heappop(slots))
        heapq.heappush(slots, started + seconds)
        work += seconds
    end = max(slots) + taken * million
    print(f"| 1,000,000 | {jobs} | {hosts} | {end / 3600:.2f} h | {100 * work / (end * jobs * hosts):.0f} % |")
PYTHON
