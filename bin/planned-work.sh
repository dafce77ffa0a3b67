# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: measures steps of plans over a stream against jq doing the same, and over documents
# against the import that made them.
: "${here:?}"
people=$here/../fixtures/plans/people
at=2026-01-01T00:00:00Z

# people_stream COUNT: a stream of that many people, the same every time.
people_stream() {
  awk -v count="$1" 'BEGIN {
    printf "{\"stream\":\"automerge-migrate\",\"version\":1,\"profile\":\"people\","
    printf "\"schema\":{\"version\":1,\"steps\":[]},\"types\":{\"person\":{\"firstName\":\"string\","
    printf "\"lastName\":\"string\",\"fullName\":\"string\",\"email\":\"string\",\"createdAt\":\"date\","
    printf "\"updatedAt\":\"date\",\"preferences\":\"map\"}}}\n"
    for (i = 1; i <= count; i++) {
      printf "{\"kind\":\"person\",\"id\":\"%08X-0000-4000-8000-%012X\",", i * 2654435761 % 4294967296, i
      printf "\"place\":\"people.json#/people/%d\",\"fields\":{\"firstName\":\"Ada%d\",", i - 1, i
      printf "\"lastName\":\"Lovelace%d\",\"email\":\"ada%d@example.org\",", i % 977, i
      printf "\"createdAt\":\"2024-01-%02dT10:00:00Z\"}}\n", i % 28 + 1
    }
    printf "{\"end\":true,\"entities\":%d}\n", count
  }'
}

# The same steps, as a user of jq would write them.
transform="if .kind == \"person\" then .fields |= (.fullName = .firstName + \" \" + .lastName
  | .updatedAt = \"$at\" | .preferences = {notifications: true, theme: \"system\", language: \"en\"}
  | del(.firstName, .lastName)) else . end"

echo "writing $records people" >&2
people_stream "$records" >"$work/people.jsonl"
people_stream 1000 >"$work/few.jsonl"
# Twenty people with a value of 1.5 MB each: memory holds one of them at a time.
{
  head -n 1 "$work/few.jsonl"
  awk 'BEGIN {
    value = "x"
    while (length(value) < 1500000) value = value value
    for (i = 1; i <= 20; i++) {
      printf "{\"kind\":\"person\",\"id\":\"%08X-0000-4000-8000-000000000000\",", i
      printf "\"place\":\"people.json#/people/%d\",\"fields\":{\"firstName\":\"Ada\",", i
      printf "\"lastName\":\"%s\"}}\n", substr(value, 1, 1500000)
    }
    print "{\"end\":true,\"entities\":20}"
  }'
} >"$work/large.jsonl"
options="--quiet --profile $people/profile.json"
"$tools/generate-folder" "$work/records" --records "$records" --months 120 --quiet
cat >"$work/transform.json" <<'PLAN'
{"plan": "transform", "profile": "minuta", "steps": [{"id": "mark", "risk": "additive",
  "entities": {"record": [
    {"set": "billable", "to": {"constant": true}, "type": "boolean"},
    {"set": "title", "type": "string", "to": {"separator": " ", "concatenate":
      [{"copy": "/startTime"}, {"first": [{"copy": "/comment"}, {"constant": ""}]}]}}]}}]}
PLAN
cat >"$work/fold.json" <<'PLAN'
{"plan": "fold", "profile": "minuta", "steps": [{"id": "fold", "risk": "additive",
  "folds": {"count": {"count": true, "of": "record"}},
  "entities": {"tag": [{"set": "records", "to": {"fold": "count"}, "type": "integer"}]}}]}
PLAN

round=1
while [ "$round" -le "$rounds" ]; do
  echo "round $round of $rounds" >&2
  measure jq jq -c "$transform" "$work/people.jsonl"
  # shellcheck disable=SC2086
  measure transform "$tools/migrate-schema" "$people/transform.json" "$work/people.jsonl" \
    --set "at=$at" $options
  # shellcheck disable=SC2086
  measure fold "$tools/migrate-schema" "$people/fold.json" "$work/people.jsonl" $options
  # As many records of Minuta: their documents, then steps on copies; the backup before is made, too.
  rm -rf -- "$work/source"
  measure import "$tools/import-crdt" "$work/records" --into "$work/source" --quiet
  fresh
  measure documents "$tools/migrate-schema" "$work/transform.json" "$work/target" --quiet
  measure nothing "$tools/migrate-schema" "$work/transform.json" "$work/target" --quiet
  measure undoing "$tools/migrate-schema" "$work/transform.json" "$work/target" --undo mark --quiet
  rm -rf -- "$work/target-backups"
  fresh
  measure documents-fold "$tools/migrate-schema" "$work/fold.json" "$work/target" --quiet
  rm -rf -- "$work/target-backups"
  # shellcheck disable=SC2086
  measure few "$tools/migrate-schema" "$people/transform.json" "$work/few.jsonl" \
    --set "at=$at" $options
  # shellcheck disable=SC2086
  measure few-dry "$tools/migrate-schema" "$people/transform.json" "$work/few.jsonl" \
    --set "at=$at" $options --dry-run
  # shellcheck disable=SC2086
  measure large "$tools/migrate-schema" "$people/transform.json" "$work/large.jsonl" \
    --set "at=$at" $options
  round=$((round + 1))
done

# What the library costs beside the steps themselves.
mkdir -- "$work/steps"
release --product bench-engine >&2
"$(release --show-bin-path)/bench-engine" "$work/steps" --rows step-erased,value-migrated --rounds "$((rounds * 5))"
echo

# What is measured is the same as what jq makes.
"$tools/migrate-schema" "$people/transform.json" "$work/few.jsonl" --set "at=$at" --quiet \
  --profile "$people/profile.json" | sed 1d | jq -cS . >"$work/ours"
jq -c "$transform" "$work/few.jsonl" | sed 1d | jq -cS . >"$work/theirs"
cmp "$work/ours" "$work/theirs"

awk -v records="$records" '
  { if (!($1 in best) || $2 < best[$1]) best[$1] = $2; if ($3 > peak[$1]) peak[$1] = $3 }
  function row(text, name, target) {
    ratio = best[name] / best["jq"]
    memory = peak[name] / 1024
    printf "| %s | %.2f s | %.2f x jq | %s x | %s | %.0f MiB | 64 MiB | %s |\n", text, best[name], ratio,
      target, ratio <= target ? "yes" : "NO", memory, memory <= 64 ? "yes" : "NO"
  }
  function folder(text, name, target) {
    ratio = best[name] / best["import"]
    memory = peak[name] / 1024
    printf "| %s | %.2f s | %.2f x import | %s x | %s | %.0f MiB | 64 MiB | %s |\n", text, best[name], ratio,
      target, ratio <= target ? "yes" : "NO", memory, memory <= 64 ? "yes" : "NO"
  }
  function short(text, name) {
    memory = peak[name] / 1024
    printf "| %s | %.2f s | 1 s | %s | %.0f MiB | 64 MiB | %s |\n", text, best[name],
      best[name] <= 1 ? "yes" : "NO", memory, memory <= 64 ? "yes" : "NO"
  }
  END {
    printf "%d people. jq -c: %.2f s. As many records of Minuta in 120 months. import-crdt: %.2f s\n\n", records, best["jq"], best["import"]
    print "| work | time | ratio | target | reached | peak memory | target | reached |"
    print "|---|---|---|---|---|---|---|---|"
    row("a transforming step", "transform", 0.3)
    row("a fold to one", "fold", 0.3)
    folder("documents: a transforming step", "documents", 1.5)
    folder("documents: a fold to one", "documents-fold", 1.5)
    folder("documents: nothing to do", "nothing", 1.5)
    folder("documents: a step undone", "undoing", 3)
    print "\n| start to end | time | target | reached | peak memory | target | reached |"
    print "|---|---|---|---|---|---|---|"
    short("1,000 people", "few")
    short("1,000 people, --dry-run", "few-dry")
    short("20 people with values of 1.5 MB", "large")
  }' "$work/results"
