# shellcheck shell=sh disable=SC2034,SC2154
# (SC2034, SC2154: what is set here or there is used by the scripts that source this.)
#
# Sourced by disturb: directories that cannot be looked at. Whatever a command opens or lists fails
# once, and a command must not end as if nothing were there.
: "${here:?}"

# What a listing can fail with. In whole each place fails with each of them, in a slice with one.
errors="EIO EACCES EMFILE ELOOP"

# The runs, in the form of the works, all on the same folder.
listing_runs='verify      lived_in verify-counts F --jobs 1
against     lived_in verify-counts F --jobs 1 --against B
status      lived_in verify-counts F --status
import      lived_in import-crdt F --jobs 1
import-plan lived_in import-crdt F --jobs 1 --dry-run
import-into lived_in import-crdt F --into F-new --flatten --jobs 1
merge       lived_in merge-conflicts F --jobs 1
merge-plan  lived_in merge-conflicts F --jobs 1 --dry-run
unify       lived_in merge-conflicts F --jobs 1 --unify
clean-plan  lived_in cleanup-legacy F --jobs 1
clean       lived_in cleanup-legacy F --jobs 1 --apply --backup B
months-plan lived_in cleanup-legacy F --jobs 1 --months-before 2024-01
months      lived_in cleanup-legacy F --jobs 1 --months-before 2024-01 --apply --backup B
purge       lived_in cleanup-legacy F --jobs 1 --purge --older-than 0d --apply --backup B
compact     lived_in cleanup-legacy F --jobs 1 --compact --apply
back        lived_in cleanup-legacy F --jobs 1 --bring-back RUN --apply
export      lived_in export-json F --jobs 1
export-to   lived_in export-json F --jobs 1 --to F-json
sizes       lived_in inspect-crdt F --sizes
history     lived_in inspect-crdt F --history
page        lived_in report-folder F -o F-page
pack        lived_in pack-backup F
keep        lived_in pack-backup F --keep 1
list        lived_in pack-backup F --list
restore     lived_in restore-backup B --into F
restore-one lived_in restore-backup B --into F --only PART
migrate     lived_in migrate-folder F LAYOUT
rollback    lived_in rollback-folder F B
recover     lived_in recover-folder F'

# unlisted NAME CALL COUNT ERROR: one fault.
unlisted() {
  base=$place/listings/at-$1-$2-$3-$4 runs=$listing_runs
  copy lived_in "$base"
  status=0
  with_run "$1" "$base" strace -f -qqq -o "$base.trace" -e trace="$2" -e signal=none \
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
    elif [ "$status" -eq 0 ] || [ "$status" -ge 128 ] || says_no_more "$1" "$status" "$base"; then
      echo "listings: $app: $1: status $status after $(head -n 1 "$base.injected"):" \
        "$(tail -n 2 "$base.output")" >&2
      return 1
    fi
  fi
  rm -rf -- "$base" "$base".*
}

# says_no_more NAME STATUS BASE: a run that ends with 1 in any case says no error of its own.
says_no_more() {
  [ -s "$place/listings/$1.errors" ] && [ "$2" -eq 1 ] &&
    ! grep '^error ' "$3.output" | grep -v -q -F -x -f "$place/listings/$1.errors"
}

# listing_points NAME: what an untroubled run opens to look at, and what it lists.
listing_points() {
  base=$place/listings/whole-$1 status=0
  copy lived_in "$base"
  with_run "$1" "$base" strace -f -qqq -o "$base.trace" -e trace=openat,getdents64 \
    -e signal=none >"$base.output" 2>&1 || status=$?
  grep '^error ' "$base.output" >"$place/listings/$1.errors" || :
  # A file that holds more than entities stays, which is told.
  [ "$status" -eq 0 ] || { [ "$status" -eq 1 ] && [ -s "$place/listings/$1.errors" ]; } || {
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
  make lived_in
  mkdir -p -- "$place/listings"
  runs=$listing_runs
  : >"$place/listings/reached"
  : >"$place/listings/excepted"
  printf '%s\n' "$listing_runs" | while read -r name _; do
    # Of the apps here only Minuta has months to set aside.
    case $name in months*) [ "$app" = minuta ] || continue ;; esac
    case ,${wanted:-$name}, in *,"$name",*) ;; *) continue ;; esac
    listing_points "$name" >"$place/listings/points"
    spread "$place/listings/points" | awk -v errors="$errors" -v all="$points" '{
        n = split(errors, error, " ")
        if (all) print $0, error[NR % n + 1]
        else for (i = 1; i <= n; i++) print $0, error[i]
      }' >"$place/listings/chosen"
    xargs -P "$jobs" -L 1 "$here/disturb" --unlisted "$place" <"$place/listings/chosen" ||
      fail 1 "listings: $app: $name: what could not be looked at counts as not there" "see above"
    echo "listings: $app: $name: $(wc -l <"$place/listings/chosen") faults at" \
      "$(wc -l <"$place/listings/points") places"
  done
  unread
  # What comes after this runs the works again.
  runs=''
  echo "listings: $app: $(wc -l <"$place/listings/reached") faults, none of which ended with status 0," \
    "but for $(wc -l <"$place/listings/excepted") in what is around the folder or in its history"
}

# Every directory of the folder and of our own state, one after the other, can be listed by nobody.
unread() {
  base=$place/states/lived_in
  tried=0
  with_run recover "$base" >"$place/output" 2>&1 ||
    fail 70 "listings: recover-folder finds something wrong: $(cat "$place/output")" "see above"
  # In a slice the first so many, the innermost first: those at the top are met by everything.
  find "$base/App" -type d | sort -r >"$place/listings/directories"
  while IFS= read -r directory; do
    status=0
    with_run recover "$base" strace -f -qqq -o "$place/trace" -P "$directory" -e trace=getdents64 \
      -e signal=none -e inject=getdents64:error=EIO >"$place/output" 2>&1 || status=$?
    grep -q INJECTED "$place/trace" || continue
    tried=$((tried + 1))
    [ "$status" -ne 0 ] ||
      fail 1 "listings: recover-folder finds nothing wrong, and cannot list $directory" \
        "$(cat "$place/output")"
    [ "$tried" -ne "$points" ] || break
  done <"$place/listings/directories"
  echo "listings: $app: recover-folder: $tried directories that nobody can list"
}
