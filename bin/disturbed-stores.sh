# shellcheck shell=sh disable=SC2034,SC2154
# (SC2034, SC2154: what is set here or there is used by the scripts that source this.)
#
# Sourced by disturb: the stores of apps, in the states that the runs need, and the runs. A store lies
# in Store beside the folder App, which has the documents of its rows.
: "${here:?}"

# In the form of the works in disturbed-work.sh. S is the store.
store_works='import      stores   import-crdt S --into F --jobs 1
update      edited   import-crdt S --into F --update --jobs 1
verify      rows     verify-counts F --against S --jobs 1
pack        stores   pack-backup S --backup-dir F-backups
restore     emptied  restore-backup B --into S
finish      waiting  restore-backup --finish S
recover     emptied  recover-folder S --backup-dir F-backups --apply'

# describe_store APP: sets its profile, and the name of the store that is disturbed.
describe_store() {
  works=$store_works profile=''
  case $1 in
    ritualist) store=CloudKit.store ;;
    laundrytime) store=default.store ;;
    library) store=Library.store ;;
    *) return 1 ;;
  esac
}

# generate DIR OPTION...: makes the stores of the app.
generate() {
  directory=$1
  shift
  "$tools/generate-store" "$directory" --profile "$app" --rows "$rows" --quiet "$@"
  find "$directory" -name 'Local.store*' -exec rm -f -- {} +
}

make_stores() { generate "$1/Store"; }

make_rows() {
  make_stores "$1"
  ours import-crdt "$1/Store/$store" --into "$1/App"
}

# What another device edited comes to this one.
make_edited() {
  make_rows "$1"
  rm -rf -- "$1/Store"
  generate "$1/Store" --device 2
}

make_emptied() {
  make_stores "$1"
  ours pack-backup "$1/Store/$store" --backup-dir "$1/App-backups"
  rm -rf -- "$1/Store"
  generate "$1/Store" --damage emptied
}

make_waiting() {
  make_emptied "$1"
  ours restore-backup "$(newest_backup "$1")" --into "$1/Store/$store" --at-next-start
}

# stamps BASE: names, sizes and times of a store's files, which nobody but a restore changes.
stamps() {
  [ ! -e "$1/Store" ] ||
    find "$1/Store" -name .automerge-migrate.nosync -prune -o -printf '%P %s %m %T@\n' | sort
}

# expect_untouched WORK BASE WHEN: the store is what it was, to its times.
expect_untouched() {
  case $1 in restore | finish | recover) return ;; esac
  [ "$(stamps "$2")" = "$(stamps "$place/states/$(state_of "$1")")" ] || {
    echo "$3: the store was touched" >&2
    return 1
  }
}
