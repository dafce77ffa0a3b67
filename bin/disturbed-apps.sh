# shellcheck shell=sh disable=SC2034,SC2154
# (SC2034, SC2154: what is set here or there is used by the scripts that source this.)
#
# Sourced by disturb: the folders of the apps that are disturbed, in the states that the runs need.
: "${here:?}"

# describe APP: sets its works, its profile, how some people edit its JSON (for jq), a part of the
# folder that a backup can give back alone, and what chooses a layout where there is more than one.
describe() {
  profile=$here/../fixtures/profiles/$1/profile.json part='' layout='' store='' settings=''
  works=$folder_works
  case $1 in
    minuta)
      profile='' part=records layout='--layout monthly'
      works=$works'
'$layout_works
      edit='if .tags then .tags[0].name += "!" | .tags[1].color = "#010203" else .comment = "edited" end'
      ;;
    settings) profile='' settings=yes works=$place_works ;;
    notes)
      part=notes
      edit='if .notebooks then .version = 4 | .notebooks[0].shared = ["Zoe"]
          | .notebooks += [{"name": "New", "order": 9}]
        elif .title then .title += "!" | .rating = 2 | .tags = (.tags // []) + ["new"]
          | .links = ["00000000-0000-4000-8000-000000000007"]
        else .theme = "light" | .windows = [] end'
      ;;
    habits)
      part=log
      edit='if .habits then .app.build = 413 | .habits.swim = {"goal": "1.50"}
          | .habits[] |= (.unit = "h" | .schedule = {"sun": true})
        else .mood = 1 | .done.swim = 2 end'
      ;;
    *)
      describe_store "$1" ||
        fail 66 "there is no app $1 here" "one of: minuta notes habits settings ritualist laundrytime library"
      ;;
  esac
}

# ---- Folders: a state is made once; its origin has the folder App and what lies beside it ----

# sample DIR: the app's folder as it is before any of our commands.
sample() {
  if [ "$app" = minuta ]; then
    sample_months "$1"
  elif [ "$settings" ]; then
    cp -Rp -- "$here/../fixtures/plans/local-data/before" "$1"
  elif [ "$records" -gt 0 ]; then
    "$tools/generate-folder" "$1" --profile "$profile" --records "$records" --months 3 \
      --image-interval 3 --quiet
  else
    cp -Rp -- "$here/../fixtures/profiles/$app/folder" "$1"
  fi
}

# As much of the sample folder as was asked for, with its times.
sample_months() {
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

# ours COMMAND WORD...: a command on the app's folders, without trouble.
ours() {
  command=$1
  shift
  "$tools/$command" "$@" ${profile:+--profile "$profile"} >/dev/null
}

backups() { find "$1/App-backups" -name "${store:-App}-*.tar" 2>/dev/null | sort; }
newest_backup() { backups "$1" | tail -n 1; }
oldest_backup() { backups "$1" | head -n 1; }

# people_edit DIR: the app writes other values, elements, members and entities into all its JSON.
people_edit() {
  find "$1" -name .automerge-migrate.nosync -prune -o -name '*.json' -print |
    while IFS= read -r file; do
      jq "$edit" "$file" >"$file.new"
      mv -- "$file.new" "$file"
    done
}

# bring_copies BASE EXTENSION...: a sync service keeps the files of the other device beside ours. The
# last one has no base.
bring_copies() {
  base=$1
  shift
  for extension in "$@"; do
    (cd -- "$base.other" && find . -name .automerge-migrate.nosync -prune -o \
      -name "*.$extension" -print) | sort >"$base.names"
    while IFS= read -r name; do
      ! cmp -s -- "$base.other/$name" "$base/App/$name" || continue
      mkdir -p -- "$(dirname -- "$base/App/$name")"
      cp -p -- "$base.other/$name" \
        "$base/App/${name%."$extension"} (Anna's conflicted copy 2024-05-01).$extension"
    done <"$base.names"
    [ "$extension" != automerge ] || rm -f -- "$base/App/$(tail -n 1 "$base.names")"
  done
  attached=$(find "$base/App" -name '.?*' -prune -o -type f ! -name '*.json' ! -name '*.automerge' \
    -print | sort | head -n 1)
  [ -z "$attached" ] || cp -p -- "$attached" "${attached%.*} 2.${attached##*.}"
  rm -rf -- "$base.other" "$base.names"
}

make_legacy() { sample "$1/App"; }

make_streamed() {
  sample "$1/App"
  "$tools/export-json" "$1/App" --quiet ${profile:+--profile "$profile"} >"$1/stream"
}

make_imported() {
  sample "$1/App"
  # shellcheck disable=SC2086
  ours import-crdt "$1/App" $layout
  ours pack-backup "$1/App"
}

make_changed() {
  make_imported "$1"
  people_edit "$1/App"
}

# A file that holds more than entities stays: status 1 says so.
clean() { ours cleanup-legacy "$1/App" --apply --backup "$(newest_backup "$1")" || [ $? -eq 1 ]; }

make_cleaned() {
  make_imported "$1"
  clean "$1"
}

make_marked() {
  sample "$1/App"
  ours migrate-schema "$(plan_of_app)" "$1/App"
}

make_settings() { sample "$1/App"; }

# What is in a keychain nobody here can read, so a step waits: status 1 says so.
make_settled() {
  sample "$1/App"
  ours migrate-schema "$here/../plans/local-data.json" "$1/App" --set at=2026-01-01T00:00:00Z \
    --app-version 1.9 || [ $? -eq 1 ]
}

# Documents with everything in them twice, as a save and what was appended to it.
make_loose() {
  make_imported "$1"
  documents "$1" | while IFS= read -r document; do
    cp -- "$document" "$1.twice"
    cat -- "$1.twice" >>"$document"
  done
  rm -f -- "$1.twice"
}

# Each record has a document of its own.
make_records() {
  sample "$1/App"
  ours import-crdt "$1/App" --layout per-record
  ours pack-backup "$1/App"
  clean "$1"
}

make_stepped() {
  make_cleaned "$1"
  ours migrate-schema "$(plan_of_app)" "$1/App"
}

# Something to restore over: a document is gone, a file is edited, and one is new.
make_replaced() {
  make_cleaned "$1"
  document=$(documents "$1" | tail -n 1)
  rm -f -- "$document"
  printf '\n' >>"$(documents "$1" | head -n 1)"
  echo mine >"$1/App/$part/later.txt"
}

# Three backups, the oldest of them with the JSON.
make_kept() {
  make_cleaned "$1"
  ours pack-backup "$1/App"
  ours pack-backup "$1/App"
}

# Two devices went on from one import, each with JSON of its own.
make_copies() {
  make_imported "$1"
  cp -Rp -- "$1/App" "$1.other"
  people_edit "$1.other"
  ours import-crdt "$1.other" --update
  bring_copies "$1" json automerge
}

# Two devices imported what was not the same any more.
make_apart() {
  sample "$1/App"
  cp -Rp -- "$1/App" "$1.other"
  people_edit "$1.other"
  # shellcheck disable=SC2086
  {
    ours import-crdt "$1/App" $layout
    ours import-crdt "$1.other" $layout
  }
  bring_copies "$1" automerge
}

# Two devices went on from one import, each with JSON of its own; each misses something of the other.
make_parted() {
  make_imported "$1"
  cp -Rp -- "$1/App" "$1/App-two"
  people_edit "$1/App-two"
  ours import-crdt "$1/App-two" --update
  rm -f -- "$(documents "$1" | tail -n 1)"
  attached=$(find "$1/App-two" -name '.?*' -prune -o -type f ! -name '*.json' ! -name '*.automerge' \
    -print | sort | head -n 1)
  [ -z "$attached" ] || rm -f -- "$attached"
}

# A document that is damaged, one that is gone, JSON that was edited since, and copies.
make_damaged() {
  make_copies "$1"
  documents "$1" >"$1/names"
  gone=$(sed -n 2p "$1/names")
  [ -z "$gone" ] || rm -f -- "$gone"
  rm -f -- "$1/names"
  damage "$(greatest_document "$1")"
}

documents() {
  find "$1/App" -name .automerge-migrate.nosync -prune -o -name '*.automerge' \
    ! -name '* (*' -print | sort
}

greatest_document() {
  documents "$1" | while IFS= read -r document; do
    printf '%s %s\n' "$(wc -c <"$document")" "$document"
  done | sort -k 1,1n -s | tail -n 1 | cut -d ' ' -f 2-
}

# The end of a document never came.
damage() {
  size=$(wc -c <"$1")
  head -c $((size - 20)) "$1" >"$1.new"
  mv -- "$1.new" "$1"
}

# Minuta's first month is set aside, the rest cleaned up.
make_months() {
  make_imported "$1"
  [ "$app" != minuta ] ||
    ours cleanup-legacy "$1/App" --months-before "$(second_month "$1")" --apply \
      --backup "$(newest_backup "$1")"
  clean "$1"
}

second_month() {
  second=$(cd -- "$1/App/records" && find . -path './*/*.automerge' | sort | sed -n 2p)
  second=${second#./} second=${second%.automerge}
  echo "${second%/*}-${second#*/}"
}

# A folder of which everything is right: cleaned up, and what a restore has set aside; beside it what
# a recovery has kept, and a place of backups under another name.
make_lived_in() {
  make_imported "$1"
  ours restore-backup "$(newest_backup "$1")" --into "$1/App"
  [ "$app" != minuta ] ||
    ours cleanup-legacy "$1/App" --months-before "$(second_month "$1")" --apply \
      --backup "$(newest_backup "$1")"
  clean "$1"
  mkdir -- "$1/Former-backups" "$1/App-salvaged"
  for document in "$1"/App/*.automerge; do cp -p -- "$document" "$1/App-salvaged"; done
}
