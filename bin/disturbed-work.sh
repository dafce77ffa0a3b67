# shellcheck shell=sh disable=SC2034,SC2154
# (SC2034, SC2154: what is set here or there is used by the scripts that source this.)
#
# Sourced by disturb: the runs that change something, and what must hold of a folder wherever they
# were stopped.
: "${here:?}"

# A name, the state that the folder is in, and what is called. F is the folder, F-x a place beside
# it, D its greatest document, B its newest backup, B1 its oldest, RUN the newest run of its quarantine,
# PART a part of it, PLAN a plan whose step changes entities, MONTHS and RECORDS those of layouts, PLACES one of settings, LAYOUT what chooses a layout where there is a choice; - is a stream.
folder_works='import      legacy   import-crdt F LAYOUT --jobs 1
update      changed  import-crdt F --update --jobs 1
stream      streamed import-crdt - --into F-new LAYOUT --jobs 1
into        legacy   import-crdt F --into F-new LAYOUT --jobs 1
clean       imported cleanup-legacy F --apply --backup B --jobs 1
back        cleaned  cleanup-legacy F --bring-back RUN --apply --jobs 1
compact     loose    cleanup-legacy F --compact --apply --jobs 1
purge       cleaned  cleanup-legacy F --purge --older-than 0d --apply --backup B --jobs 1
merge       copies   merge-conflicts F --jobs 1
unify       apart    merge-conflicts F --unify --jobs 1
sync        parted   sync-folder F F-two --jobs 1
repair      damaged  repair-crdt D -o F-salvaged.automerge
pack        imported pack-backup F
keep        kept     pack-backup F --keep 1
restore     replaced restore-backup B --into F
restore-one replaced restore-backup B --into F --only PART
rollback    months   rollback-folder F B1
migrate     legacy   migrate-folder F --cleanup LAYOUT
recover     damaged  recover-folder F --apply
marks       legacy   migrate-schema PLAN F
unmark      marked   migrate-schema PLAN F --undo mark
steps       cleaned  migrate-schema PLAN F
undo        stepped  migrate-schema PLAN F --undo mark
export      cleaned  export-json F --to F-json --jobs 1'
# Of an app with layouts.
layout_works='months      records  migrate-schema MONTHS F
records     cleaned  migrate-schema RECORDS F --flatten'

# Of a folder of settings.
place_works='settle      settings migrate-schema PLACES F --set at=2026-01-01T00:00:00Z --app-version 1.9
unsettle    settled  migrate-schema PLACES F --set at=2026-01-01T00:00:00Z --undo unify-settings'

# plan_of_app: the path of a plan that changes entities of the app that is disturbed.
plan_of_app() {
  if [ ! -e "$place/plan-$app.json" ]; then
    name=minuta kind=record
    # One that the step makes, in a file or document of its month.
    create=', "create": [{"kind": "record", "id": {"constant": "00000000-0000-4000-8000-0000000000B1"},
      "fields": [{"set": "startTime", "to": {"constant": "2023-01-05T07:08:09Z"}}]}]'
    [ -z "$profile" ] || {
      create=
      name=$(sed -n 's/.*"profile": "\(.*\)".*/\1/p' "$profile" | head -n 1)
      kind=$(sed -n 's/.*"kind": "\(.*\)".*/\1/p' "$profile" | head -n 1)
    }
    printf '%s {"%s": [{"set": "marked", "to": {"constant": true}, "type": "boolean"}]}%s}]}\n' \
      "{\"plan\": \"marks\", \"profile\": \"$name\", \"steps\": [{\"id\": \"mark\", \"risk\": \"additive\",
      \"entities\":" "$kind" "$create" >"$place/plan-$app.json"
  fi
  printf '%s\n' "$place/plan-$app.json"
}

# state_of NAME: the state that a run starts from.
state_of() { printf '%s\n' "${runs:-$works}" | sed -n "s/^$1  *\([a-z_]*\) .*/\1/p"; }

# with_run NAME BASE TRACE...: the run of a name, as an argument of another command. What is called is
# in `runs`, where that is set.
with_run() {
  name=$1 base=$2
  shift 2
  for word in $(printf '%s\n' "${runs:-$works}" | sed -n "s/^$name  *[a-z_]*  *//p"); do
    case $word in
      F) word=$base/App ;;
      F-*) word=$base/App-${word#F-} ;;
      S) word=$base/Store/$store ;;
      B) word=$(newest_backup "$base") ;;
      B1) word=$(oldest_backup "$base") ;;
      D) word=$(greatest_document "$base") ;;
      PART) word=$part ;;
      PLAN) word=$(plan_of_app) ;;
      PLACES) word=$here/../plans/local-data.json ;;
      MONTHS | RECORDS)
        word=$here/../plans/minuta-$(printf '%s' "$word" | tr '[:upper:]' '[:lower:]').json
        ;;
      RUN)
        word=$(find "$base/App/.automerge-migrate.nosync/quarantine" -mindepth 1 -maxdepth 1 \
          -type d | sort | tail -n 1)
        word=${word##*/}
        ;;
      LAYOUT)
        # shellcheck disable=SC2086
        set -- "$@" $layout
        continue
        ;;
      *-*) [ ! -x "$tools/$word" ] || word=$tools/$word ;;
    esac
    set -- "$@" "$word"
  done
  input=/dev/null
  [ ! -e "$base/stream" ] || input=$base/stream
  # What is kept in a folder is told of every folder alike.
  [ "$name" = history ] || [ -z "$profile" ] || set -- "$@" --profile "$profile"
  # Private copies of stores are made where a debris of them shows.
  if [ -n "$store" ]; then
    mkdir -p -- "$base/temporary"
    TMPDIR=$base/temporary "$@" <"$input"
  else
    "$@" <"$input"
  fi
}

# ---- What must hold ----

# sums BASE: the hash and path of every file of the folder and of what is made beside it, without our
# own state, locks and backups. What is salvaged has an identity of its own: its values count.
sums() {
  (
    cd -- "$1"
    find . '(' -name .automerge-migrate.nosync -o -path ./App-backups -o -path './App-salvaged*' ')' \
      -prune -o -type f ! -name '.*lock*' -exec sha256sum {} +
    find . -path './App-salvaged*' -type f ! -name '.*' | while IFS= read -r file; do
      printf '%s  %s\n' "$("$tools/inspect-crdt" "$file" --typed | sha256sum | cut -c1-64)" "$file"
    done
  ) | sort
}

# values BASE: those of everything that must not get lost, what lies in quarantine and what a restore
# set aside included.
values() {
  find "$1" -type f ! -name '*.tar' ! -name '*.jsonl' ! -name '.*lock*' ! -name run.json \
    ! -path '*/.automerge-migrate.nosync/[a-z]*.json' ! -path '*/App-backups/.*' \
    -exec sha256sum {} + | sed "s|$1/||" | sort
}

# held BASE: the hash of everything there is: files anywhere, and what backups hold. What has the name
# of a backup is one.
held() {
  find "$1" -type f -exec sha256sum {} + | cut -c1-64
  find "$1" -name "${store:-App}-*.tar" -type f | while IFS= read -r archive; do
    "$tools/restore-backup" "$archive" --check --quiet >/dev/null 2>&1 || {
      echo "no backup: $archive" >&2
      continue
    }
    tar -xOf "$archive" manifest.json | grep -o '[0-9a-f]\{64\}'
  done
}

# expect_kept WORK BASE WHEN: every value is held, or in its place is what the untroubled run puts there.
expect_kept() {
  held "$2" 2>"$2.wrong" | sort -u >"$2.held"
  [ ! -s "$2.wrong" ] || { echo "$3: $(head -n 1 "$2.wrong")" >&2; return 1; }
  sums "$2" >"$2.now"
  cut -c1-64 "$place/$1/values" | sort -u | comm -23 - "$2.held" >"$2.missing"
  grep -F -f "$2.missing" "$place/$1/values" >"$2.lost" || :
  while IFS= read -r line; do
    path=./${line#*  }
    grep -F "  $path" "$2.now" | grep -q -F -x -f "$place/$1/done" ||
      { echo "$3: lost: $line" >&2; return 1; }
  done <"$2.lost"
}

# expect_held WORK BASE WHEN: as above, and no file holds what was nowhere before and is not of that run.
expect_held() {
  expect_kept "$@" || return 1
  sort -u "$place/$1/before" "$place/$1/done" | comm -13 - "$2.now" |
    grep -v -F -f "$place/$1/known" |
    grep -v -e '\.tmp\.nosync$' -e '-rollback\.nosync/' -e '  \./temporary/' >"$2.invented" || :
  [ ! -s "$2.invented" ] || { echo "$3: neither old nor new: $(head -n 1 "$2.invented")" >&2; return 1; }
}

# expect_clean BASE WHEN: nothing of an interrupted run is left; the mark that says it died may stay
# until the next run that writes.
expect_clean() {
  find "$1" '(' -name '*.tmp.nosync' -o -name '*-rollback.nosync' \
    -o -path '*/restore/*/staging' -o -path '*/restore/*/new' -o -path '*/restore/*/replacement' \
    -o -path '*/restore/*/incoming' -o -path '*/restore/*/chosen' \
    -o -path '*/restore/*/undoing*' \
    -o -path '*/.automerge-migrate.nosync/quarantine/*' -prune -type d -empty ')' \
    -print >"$1.debris"
  [ ! -s "$1.debris" ] || { echo "$2: debris: $(head -n 3 "$1.debris")" >&2; return 1; }
}

# set_aside BASE: whether the quarantine holds files.
set_aside() {
  find "$1/App/.automerge-migrate.nosync/quarantine" -mindepth 2 -type f 2>/dev/null |
    grep -q . && echo files || echo nothing
}

# is_done WORK BASE WHEN: the folder is as after an untroubled run.
is_done() {
  sums "$2" >"$2.done"
  diff "$place/$1/done" "$2.done" >"$2.diff" || {
    echo "$3: is another folder than after an untroubled run: $(head -n 3 "$2.diff")" >&2
    return 1
  }
  [ "$(set_aside "$2")" = "$(cat "$place/$1/aside")" ] || {
    echo "$3: the quarantine holds $(set_aside "$2")" >&2
    return 1
  }
}

# again WORK BASE WHEN: runs it again, undisturbed, and compares with the untroubled run. Where that
# was complete already there may be nothing to run on.
again() {
  complete='' status=0
  ! is_done "$1" "$2" "" 2>/dev/null || complete=yes
  with_run "$1" "$2" >"$2.output" 2>&1 || status=$?
  [ "$status" -le 1 ] || [ "$complete" ] || {
    echo "$3: running it again ends with status $status: $(tail -n 3 "$2.output")" >&2
    return 1
  }
  is_done "$1" "$2" "$3"
  expect_held "$1" "$2" "$3, run again"
  expect_clean "$2" "$3, run again"
}

# copy STATE TARGET: a fresh copy of a state, which is the same folder: its backups are its own.
copy() {
  mkdir -- "$2"
  cp -Rp -- "$place/states/$1/." "$2"
  ours=$2/App/.automerge-migrate.nosync
  for number in "$ours"/folder-*.id; do
    [ ! -e "$number" ] ||
      mv -- "$number" "$ours/folder-$(stat -c %i -- "$ours")-${number##*-}"
  done
}

# make STATE: makes it, once.
make() {
  [ ! -e "$place/states/$1" ] || return 0
  mkdir -p -- "$place/states/$1"
  # In a condition no command that fails would end it.
  set +e
  (set -e; "make_$1" "$place/states/$1") >"$place/states/$1.errors" 2>&1
  status=$?
  set -e
  [ "$status" -eq 0 ] || {
    cat "$place/states/$1.errors" >&2
    fail 70 "the state $1 of $app cannot be made" "see above"
  }
}
