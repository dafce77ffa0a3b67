# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by disturb: pieces of work on copies of the sample folder, and what must hold of a folder
# wherever they were stopped.
: "${here:?}"

# ---- Folders and what must hold of them ----

# sums DIR: the hash and path of every file of a folder, our own state and the lock left out.
sums() {
  (cd -- "$1" && find . -path ./.automerge-migrate.nosync -prune -o -type f \
    ! -name .minuta.writelock.nosync -exec sha256sum {} + | sort)
}

# held BASE: the hash of everything there is: files anywhere, and what verified backups hold.
held() {
  find "$1" -type f -exec sha256sum {} + | cut -c1-64
  find "$1" -name '*.tar' -type f | while IFS= read -r archive; do
    if "$tools/restore-backup" "$archive" --check --quiet >/dev/null 2>&1; then
      tar -xOf "$archive" manifest.json | grep -o '[0-9a-f]\{64\}'
    fi
  done
}

# expect_held BASE HASHES WHEN: every hash of the list is held.
expect_held() {
  held "$1" | sort -u >"$1.held"
  cut -c1-64 "$2" | sort -u | comm -23 - "$1.held" >"$1.lost"
  [ ! -s "$1.lost" ] || { echo "$3: lost: $(grep -F -f "$1.lost" "$2" | head -n 3)" >&2; return 1; }
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

# ---- Works: each has an origin, made once, and a call ----

# sample DIR: as much of the sample folder as was asked for, with its times.
sample() {
  mkdir -p -- "$1/records"
  cp -Rp -- "$here/../fixtures/sample-folder/tags.json" "$1"
  find "$here/../fixtures/sample-folder/records" -mindepth 2 -maxdepth 2 -type d | sort |
    head -n "$months" | while IFS= read -r month; do
    year=$(basename -- "$(dirname -- "$month")")
    mkdir -p -- "$1/records/$year"
    cp -Rp -- "$month" "$1/records/$year"
    # A month of a few records has every kind of call a month of many has.
    [ "$months" -gt 2 ] || find "$1/records/$year/$(basename -- "$month")" -name '*.json' |
      sort | sed 1,4d | xargs rm -f --
  done
}

newest_backup() { find "$1/Minuta-backups" -name 'Minuta-*.tar' | sort | tail -n 1; }

# make_WORK BASE: what there is before; call_WORK BASE: the work, with the commands in $bin.
make_plain() {
  mkdir -- "$place/plain"
  for command in $commands; do
    [ ! -x "$tools/$command" ] || ln -s -- "$tools/$command" "$place/plain"
  done
}

make_migrate() { sample "$1/Minuta"; }
call_migrate() { "$bin/migrate-folder" "$1/Minuta" --cleanup --layout monthly; }

make_restore() {
  sample "$1/Minuta"
  "$place/plain/migrate-folder" "$1/Minuta" --cleanup --layout monthly >/dev/null 2>&1
  echo mine >"$1/Minuta/records/later.txt"
  rm -f -- "$1/Minuta/tags.automerge"
}
call_restore() { "$bin/restore-backup" "$(newest_backup "$1")" --into "$1/Minuta" --brief; }

# The first month was set aside: it comes back, too.
make_rollback() {
  sample "$1/Minuta"
  "$place/plain/migrate-folder" "$1/Minuta" --cleanup --layout monthly >/dev/null 2>&1
  second=$(cd -- "$1/Minuta/records" && find . -path './*/*.automerge' | sort | sed -n 2p)
  second=${second#./} second=${second%.automerge}
  "$tools/pack-backup" "$1/Minuta" --quiet
  "$tools/cleanup-legacy" "$1/Minuta" --months-before "${second%/*}-${second#*/}" --apply \
    --backup "$(newest_backup "$1")" --quiet
}
# The oldest backup: the command makes one of its own.
call_rollback() {
  "$bin/rollback-folder" "$1/Minuta" "$(find "$1/Minuta-backups" -name '*.tar' | sort | head -n 1)"
}

# Two devices imported before and after a record was added; the sync service kept both documents.
make_merge() {
  sample "$1/Minuta"
  cp -Rp -- "$1/Minuta" "$1.other"
  month=$(find "$1/Minuta/records" -mindepth 2 -maxdepth 2 -type d | sort | head -n 1)
  year=$(basename -- "$(dirname -- "$month")") month=$(basename -- "$month")
  printf '{"id":"00000000-0000-4000-8000-000000000001","startTime":"%s-%s-02T03:04:05Z"}\n' \
    "$year" "$month" >"$1.other/records/$year/$month/other.json"
  "$tools/import-crdt" "$1/Minuta" --layout monthly --quiet
  "$tools/import-crdt" "$1.other" --layout monthly --quiet
  cp -p -- "$1.other/records/$year/$month.automerge" \
    "$1/Minuta/records/$year/$month (Anna's conflicted copy 2024-05-01).automerge"
  cp -p -- "$1/Minuta/tags.json" "$1/Minuta/tags (Anna's conflicted copy 2024-05-01).json"
  rm -rf -- "$1.other"
}
call_merge() { "$bin/merge-conflicts" "$1/Minuta" --brief; }

# copy WORK TARGET: a fresh copy of the origin.
copy() { mkdir -- "$2" && cp -Rp -- "$place/$1/origin/." "$2"; }
