# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by disturb: directories that cannot be looked at. Whatever a command opens or lists fails
# once, and a command must not end as if nothing were there.
: "${here:?}"

# What a listing can fail with. In whole each place fails with each of them, in a slice with one.
errors="EIO EACCES EMFILE ELOOP"

# The runs: a name, and what it is called with, where F is the folder and B its newest backup.
listing_runs='verify      verify-counts F --jobs 1
against     verify-counts F --jobs 1 --against B
status      verify-counts F --status
import      import-crdt F --jobs 1
import-plan import-crdt F --jobs 1 --dry-run
import-into import-crdt F --into F-new --flatten --jobs 1
merge       merge-conflicts F --jobs 1
merge-plan  merge-conflicts F --jobs 1 --dry-run
unify       merge-conflicts F --jobs 1 --unify
clean-plan  cleanup-legacy F --jobs 1
clean       cleanup-legacy F --jobs 1 --apply --backup B
months-plan cleanup-legacy F --jobs 1 --months-before 2024-01
months      cleanup-legacy F --jobs 1 --months-before 2024-01 --apply --backup B
purge       cleanup-legacy F --jobs 1 --purge --older-than 0d --apply --backup B
back        cleanup-legacy F --jobs 1 --bring-back RUN --apply
export      export-json F --jobs 1
export-to   export-json F --jobs 1 --to F-json
sizes       inspect-crdt F --sizes
history     inspect-crdt F --history
pack        pack-backup F
keep        pack-backup F --keep 1
list        pack-backup F --list
restore     restore-backup B --into F
restore-one restore-backup B --into F --only records
migrate     migrate-folder F --layout monthly
rollback    rollback-folder F B
recover     recover-folder F'

# A folder of which everything is right: a month set aside, the rest cleaned up, and what a restore
# has set aside; beside it what a recovery has kept, and a place of backups under another name.
make_listings() {
  sample "$1/Minuta"
  {
    "$tools/import-crdt" "$1/Minuta" --layout monthly --quiet
    "$tools/pack-backup" "$1/Minuta" --quiet
    "$tools/restore-backup" "$(newest_backup "$1")" --into "$1/Minuta" --quiet
    second=$(cd -- "$1/Minuta/records" && find . -path './*/*.automerge' | sort | sed -n 2p)
    second=${second#./} second=${second%.automerge}
    "$tools/cleanup-legacy" "$1/Minuta" --months-before "${second%/*}-${second#*/}" --apply \
      --backup "$(newest_backup "$1")" --quiet
    "$tools/cleanup-legacy" "$1/Minuta" --apply --backup "$(newest_backup "$1")" --quiet
  } >/dev/null
  mkdir -- "$1/Former-backups" "$1/Minuta-salvaged"
  cp -p -- "$1/Minuta/tags.automerge" "$1/Minuta-salvaged"
}

# with_listings NAME BASE TRACE...: the run of a name, as an argument of another command.
with_listings() {
  name=$1 base=$2
  shift 2
  words=$(printf '%s\n' "$listing_runs" | sed -n "s/^$name  *//p")
  for word in $words; do
    case $word in
      F) word=$base/Minuta ;;
      F-*) word=$base/${word#F-} ;;
      B) word=$(newest_backup "$base") ;;
      RUN)
        word=$(find "$base/Minuta/.automerge-migrate.nosync/quarantine" -mindepth 1 -maxdepth 1 \
          -type d | sort | head -n 1)
        word=${word##*/}
        ;;
      *-*) [ ! -x "$tools/$word" ] || word=$tools/$word ;;
    esac
    set -- "$@" "$word"
  done
  "$@"
}

# unlisted NAME CALL COUNT ERROR: one fault.
unlisted() {
  base=$place/listings/at-$1-$2-$3-$4
  copy listings "$base"
  status=0
  with_listings "$1" "$base" strace -f -qqq -o "$base.trace" -e trace="$2" -e signal=none \
    -e inject="$2:error=$4:when=$3" >"$base.output" 2>&1 || status=$?
  # The calls of other threads have these numbers, too: of libraries, or of files.
  grep INJECTED "$base.trace" | grep -e O_DIRECTORY -e getdents64 -e resumed >"$base.injected" || :
  if [ -s "$base.injected" ]; then
    echo "$1" >>"$place/listings/reached"
    # No error: a directory around the folder that is closed, where nobody has a data folder, and the
    # history, of which it is told that it could not be written.
    if [ "$status" -eq 0 ] && { grep -q '"\.\.".* EACCES ' "$base.injected" ||
      grep -q '^warning history-not-written' "$base.output"; }; then
      echo "$1" >>"$place/listings/excepted"
    elif [ "$status" -eq 0 ] || [ "$status" -ge 128 ]; then
      echo "listings: $1: status $status after $(head -n 1 "$base.injected"):" \
        "$(tail -n 2 "$base.output")" >&2
      return 1
    fi
  fi
  rm -rf -- "$base" "$base".*
}

# listing_points NAME: what an untroubled run opens to look at, and what it lists.
listing_points() {
  base=$place/listings/whole-$1
  copy listings "$base"
  with_listings "$1" "$base" strace -f -qqq -o "$base.trace" -e trace=openat,getdents64 \
    -e signal=none >"$base.output" 2>&1 || {
    tail -n 3 "$base.output" >&2
    fail 70 "listings: $1: fails without any disturbance" "see above"
  }
  # The calls of each thread are counted on their own. Libraries are opened by absolute paths.
  awk -v name="$1" -v base="$base" '$2 ~ /^(openat|getdents64)[(]/ {
      call = $2
      sub(/[(].*/, "", call)
      count = ++counts[$1 " " call]
      isOurs = call == "getdents64" || /O_DIRECTORY/ && (!/"\// || index($0, "\"" base))
      if (isOurs && !seen[call " " count]++) print name, call, count
    }' "$base.trace"
  rm -rf -- "$base" "$base".*
}

listings() {
  mkdir -p -- "$place/listings/origin"
  make_listings "$place/listings/origin"
  : >"$place/listings/reached"
  : >"$place/listings/excepted"
  printf '%s\n' "$listing_runs" | while read -r name _; do
    listing_points "$name" >"$place/listings/points"
    spread "$place/listings/points" | awk -v errors="$errors" -v all="$points" '{
        n = split(errors, error, " ")
        if (all) print $0, error[NR % n + 1]
        else for (i = 1; i <= n; i++) print $0, error[i]
      }' >"$place/listings/chosen"
    xargs -P "$jobs" -L 1 "$here/disturb" --unlisted "$place" <"$place/listings/chosen" ||
      fail 1 "listings: $name: what could not be looked at counts as not there" "see above"
    echo "listings: $name: $(wc -l <"$place/listings/chosen") faults at" \
      "$(wc -l <"$place/listings/points") places"
  done
  unread
  echo "listings: $(wc -l <"$place/listings/reached") faults, none of which ended with status 0," \
    "but for $(wc -l <"$place/listings/excepted") in what is around the folder or in its history"
}

# Every directory of the folder and of our own state, one after the other, can be listed by nobody.
unread() {
  recover=$place/plain/recover-folder folder=$place/listings/origin/Minuta
  tried=0
  "$recover" "$folder" >"$place/output" 2>&1 ||
    fail 70 "listings: recover-folder finds something wrong: $(cat "$place/output")" "see above"
  find "$folder" -type d | sort >"$place/listings/directories"
  # spread takes as many as of the points.
  spread "$place/listings/directories" >"$place/listings/chosen"
  while IFS= read -r directory; do
    status=0
    strace -f -qqq -o "$place/trace" -P "$directory" -e trace=getdents64 -e signal=none \
      -e inject=getdents64:error=EIO "$recover" "$folder" >"$place/output" 2>&1 || status=$?
    grep -q INJECTED "$place/trace" || continue
    tried=$((tried + 1))
    [ "$status" -ne 0 ] ||
      fail 1 "listings: recover-folder finds nothing wrong, and cannot list $directory" \
        "$(cat "$place/output")"
  done <"$place/listings/chosen"
  echo "listings: recover-folder: $tried directories that nobody can list"
}
