# shellcheck shell=sh disable=SC2154
# (SC2154: what is not set here is set by the script that sources this.)
#
# Sourced by bench: counts the instructions and the system calls of each command and of each row of
# the engine, at two sizes.
: "${here:?}"
# shellcheck source=bin/counted-table.sh
. "$here/counted-table.sh"

# ---- What is counted ----

# The second size is twice the first, in as many months.
few=500 many=1000 months=12
# Named as those that commands look for.
backup=Minuta-20260101T000000Z-0001.tar
# Percent of the work of bench-engine, which doubles its own rows by itself.
engine_few=4 engine_many=8
engine_rows=load,save,json,json-typed,walk,decode,merge,sync,puts,commits,month-load,month-save,month-merge
engine_rows=$engine_rows,text-running,text-running-remote,text-running-load
engine_rows=$engine_rows,text-random,text-random-remote,text-random-load,paste,counter,overwrite
engine_rows=$engine_rows,save-put,commits-load,keystroke,put,fork,past,small-documents
engine_rows=$engine_rows,step,step-erased,value,value-migrated

# Waiting, threads and memory are left out: how often they call the system depends on the scheduler
# and the allocator. What is left is what a command asks of files, the same in every run.
uncounted=futex,sched_yield,clock_nanosleep,restart_syscall,poll,ppoll,clone,clone3,exit
uncounted=$uncounted,set_robust_list,rseq,rt_sigprocmask,brk,mmap,munmap,mremap,mprotect,madvise
uncounted=$uncounted,gettid,wait4

# A row a line: NAME STATE COMMAND...
commands_counted() {
  cat <<END
start nothing verify-counts --version
generate nothing generate-folder Minuta --months $months --first-year 2020 --records $records
generate-store nothing generate-store Store --profile ritualist --rows $records
import source import-crdt Minuta --layout monthly --jobs 1
import-per-record source import-crdt Minuta --layout per-record --jobs 1
import-again imported import-crdt Minuta --layout monthly --jobs 1
import-more grown import-crdt Minuta --layout monthly --jobs 1
update changed import-crdt Minuta --update --jobs 1
verify imported verify-counts Minuta --jobs 1
verify-cleaned cleaned verify-counts Minuta --jobs 1
verify-backup cleaned verify-counts Minuta --against $backup --jobs 1
status imported verify-counts Minuta --status --jobs 1
status-cleaned cleaned verify-counts Minuta --status --jobs 1
status-names imported verify-counts Minuta --status --names-only
migrate source migrate-folder Minuta --backup-dir . --layout monthly --cleanup
rollback cleaned rollback-folder Minuta $backup --backup-dir .
pack imported pack-backup Minuta --output $backup
pack-again packed pack-backup Minuta --backup-dir . --reuse
list-backups packed pack-backup Minuta --backup-dir . --list --verify
clean packed cleanup-legacy Minuta --apply --backup $backup --jobs 1
purge cleaned cleanup-legacy Minuta --purge --older-than 0d --apply --backup $backup --jobs 1
set-months-aside whole cleanup-legacy Minuta --months-before 2020-07 --apply --backup whole.tar
bring-back cleaned cleanup-legacy Minuta --bring-back RUN --apply
export cleaned export-json Minuta --jobs 1
export-files cleaned export-json Minuta --to files --jobs 1
merge copied merge-conflicts Minuta --jobs 1
sync sided sync-folder Minuta Other --jobs 1
restore packed restore-backup $backup --into new
restore-over cleaned restore-backup $backup --into Minuta
check-backup packed restore-backup $backup --check
recover packed recover-folder Minuta --backup-dir .
repair damaged repair-crdt Minuta/records/2020/01.automerge --output repaired.automerge
inspect imported inspect-crdt Minuta/records/2020/01.automerge --plain
inspect-check imported inspect-crdt --check Minuta/records/2020/01.automerge
inspect-sizes imported inspect-crdt Minuta --sizes
inspect-history cleaned inspect-crdt Minuta --history
report imported report-folder Minuta --output page.html --jobs 1
generate-notes described generate-folder Notes --profile notes.json --months $months --records $records
import-notes notes import-crdt Notes --profile notes.json --jobs 1
verify-notes imported-notes verify-counts Notes --profile notes.json --jobs 1
export-notes imported-notes export-json Notes --profile notes.json --to files --jobs 1
status-store stored verify-counts Store/CloudKit.store --status
export-store stored export-json Store/CloudKit.store
import-store stored import-crdt Store/CloudKit.store --into Data --jobs 1
verify-store imported-store verify-counts Data --against Store/CloudKit.store --jobs 1
backup-store stored pack-backup Store/CloudKit.store --output store.tar
restore-store packed-store restore-backup store.tar --into Store
migrate-schema laundry migrate-schema laundrytime.json laundry.jsonl
migrate-documents planned migrate-schema comments.json Minuta --backup whole.tar
migrate-layout recorded migrate-schema months.json Minuta --backup whole.tar
migrate-places settings migrate-schema local-data.json . --set at=2026-01-01T00:00:00Z
fleet fleet migrate-fleet folders --summary --json
history-store packed-store inspect-crdt --history Store/CloudKit.store Data
END
}

# The folders that rows start from, each made from an earlier one.
make_states() {
  state source nothing \
    generate-folder Minuta --months "$months" --first-year 2020 --records "$records"
  state imported source import-crdt Minuta --layout monthly
  state packed imported pack-backup Minuta --output "$backup"
  state cleaned packed cleanup-legacy Minuta --apply --backup "$backup"
  state whole cleaned pack-backup Minuta --output whole.tar

  at imported
  find "$place/Minuta/records" -name '*0.json' -exec \
    sed -i 's/"comment":"/&changed: /' {} +
  mv -- "$place" "$states/changed"

  # Two folders of one import, of which one went on.
  at imported
  cp -a -- "$states/changed/Minuta" "$place/Other"
  (cd -- "$place" && alone "$tools/import-crdt" Other --update -q) ||
    fail 70 "the other side of a sync: status $?" "see above"
  mv -- "$place" "$states/sided"

  at imported
  printf 'damaged' |
    dd of="$place/Minuta/records/2020/01.automerge" bs=1 seek=300 conv=notrunc 2>/dev/null
  mv -- "$place" "$states/damaged"

  # What only a profile describes.
  at nothing
  cp -- "$here/../fixtures/profiles/notes/profile.json" "$place/notes.json"
  mv -- "$place" "$states/described"
  state notes described generate-folder Notes --profile notes.json --months "$months" \
    --records "$records"
  state imported-notes notes import-crdt Notes --profile notes.json

  # A store, with its newest rows in the log beside it only.
  state stored nothing generate-store Store --profile ritualist --rows "$records"
  state imported-store stored import-crdt Store/CloudKit.store --into Data
  state packed-store imported-store pack-backup Store/CloudKit.store --output store.tar

  # Plans: documents, a stream of a store, and a folder of settings.
  at whole
  cp -- "$here/../plans/minuta-comments-as-texts.json" "$place/comments.json"
  mv -- "$place" "$states/planned"
  state per-record source import-crdt Minuta --layout per-record
  state recorded per-record pack-backup Minuta --output whole.tar
  cp -- "$here/../plans/minuta-months.json" "$states/recorded/months.json"
  at nothing
  (cd -- "$place" && alone "$tools/generate-store" Laundry --profile laundrytime \
    --schema-version V1 --rows "$records" -q &&
    alone "$tools/export-json" Laundry/default.store -q >laundry.jsonl) ||
    fail 70 "a stream for a plan: status $?" "see above"
  cp -- "$here/../plans/laundrytime.json" "$place"
  mv -- "$place" "$states/laundry"
  at nothing
  mkdir -- "$place/settings"
  echo true >"$place/settings/notifications.json"
  echo '"dark"' >"$place/settings/theme.json"
  cp -- "$here/../plans/local-data.json" "$place"
  mv -- "$place" "$states/settings"

  # What a fleet of as many folders left behind.
  at nothing
  awk -v count="$records" 'BEGIN { for (i = 1; i <= count; i++) printf "/srv/%d/Minuta\n", i }' \
    >"$place/folders"
  awk -v count="$records" 'BEGIN {
    for (i = 1; i <= count; i++) {
      folder = sprintf("/srv/%d/Minuta", i)
      printf "{\"type\":\"folder\",\"folder\":\"%s\",\"outcome\":\"done\",\"status\":0,", folder
      printf "\"command\":[\"migrate-folder\",\"%s\"],\"start\":\"2026-01-01T00:00:00Z\",", folder
      print "\"seconds\":0.051,\"summary\":{\"type\":\"summary\",\"status\":0}}"
    }
  }' >"$place/folders.results.jsonl"
  mv -- "$place" "$states/fleet"

  # Two devices imported before they had all of each other's records.
  at source
  find "$place/Minuta/records" -name '*1.json' -exec rm -f -- {} +
  mv -- "$place" "$states/one"
  at source
  find "$place/Minuta/records" -name '*2.json' -exec rm -f -- {} +
  mv -- "$place" "$states/two"
  state other two import-crdt Minuta --layout monthly
  state copied one import-crdt Minuta --layout monthly
  at copied
  cp -a -- "$states/source/Minuta/records/." "$place/Minuta/records"
  mv -- "$place" "$states/grown"
  for document in "$states"/other/Minuta/records/*/*.automerge; do
    year=${document%/*}
    cp -p -- "$document" \
      "$states/copied/Minuta/records/${year##*/}/$(basename -- "$document" .automerge) 2.automerge"
  done
}

# ---- Counting ----

# What a command sees is the same on each machine, and the hashing of Swift in each run. On one processor
# it takes one worker: two would now and then both open a directory that they want at the same instant.
alone() {
  taskset -c "$processor" \
    env -i PATH="$PATH" TMPDIR="$place" LC_ALL=C TZ=UTC0 SWIFT_DETERMINISTIC_HASHING=1 "$@"
}

# at STATE: a fresh copy to work in.
at() {
  rm -rf -- "$place" "$place-backups"
  cp -a -- "$states/$1" "$place"
}

# state NAME FROM COMMAND...: makes a state.
state() {
  made=$1 made_from=$2 made_by=$3
  shift 3
  at "$made_from"
  (cd -- "$place" && alone "$tools/$made_by" "$@") >/dev/null ||
    fail 70 "$made_by $*: status $?" "see above"
  mv -- "$place" "$states/$made"
}

# in_copy COUNTER...: runs the command of a row under a counter, in a fresh copy. Status 1 is an answer.
in_copy() {
  at "$from"
  counted_status=0
  (cd -- "$place" && alone "$@") >"$log.said" 2>&1 || counted_status=$?
  [ "$counted_status" -le 1 ] ||
    fail 70 "$name: status $counted_status: $(tail -n 1 -- "$log.said")" "try the command by itself"
}

# count_instructions COMMAND...: sets `instructions`. What is over the table is counted again, for the
# least: once in a while threads that meet in the allocator cost a command a percent.
count_instructions() {
  most=$(awk -F ' *[|] *' -v row="command/$name" -v part="$part" '
    $2 == row { gsub(",", ""); printf "%d", $part * 1020 }' "$table")
  instructions=''
  for _ in 1 2 3; do
    in_copy valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
      --log-file="$log" "$@"
    again=$(awk '/I +refs:/ { gsub(",", "", $NF); print $NF }' "$log")
    [ "$again" -ge "${instructions:-$((again + 1))}" ] || instructions=$again
    [ "$instructions" -gt "${most:-$instructions}" ] || break
  done
}

# count_calls COMMAND...: sets `calls`.
count_calls() {
  in_copy strace -f -qqq -c -U calls,name -e signal=none -e trace="!$uncounted" -o "$log" "$@"
  calls=$(awk '$2 == "total" { print $1 }' "$log")
}

chosen() {
  case ,$rows, in ,,) ;; *,"$1",*) ;; *) return 1 ;; esac
}

# count_commands RECORDS PART: prints `NAME INSTRUCTIONS CALLS` for each row. The table has the
# instructions in that part of a line.
count_commands() {
  records=$1 part=$2 states=$work/$1 place=$work/$1/at log=$work/$1.log
  mkdir -p -- "$states/nothing"
  make_states
  run=$(cd -- "$states/cleaned/Minuta/$state/quarantine" && echo *.jsonl)
  commands_counted | sed "s/ RUN / ${run%.jsonl} /" >"$states.rows"
  while read -r name from command words; do
    chosen "command/$name" || continue
    # Word splitting is meant: no word of a row holds a space.
    # shellcheck disable=SC2086
    set -- "$tools/$command" $words
    count_instructions "$@"
    calls=-
    [ "$is_traced" = no ] || count_calls "$@"
    echo "command/$name $instructions $calls"
  done <"$states.rows"
}

# count_engine PERCENT: prints `NAME INSTRUCTIONS -` for each row.
count_engine() {
  names=$(for name in $(echo "$engine_rows" | tr , ' '); do
    ! chosen "engine/$name" || printf '%s,' "$name"
  done)
  [ -n "$names" ] || return 0
  place=$work/engine-$1 log=$work/engine-$1.log
  mkdir -- "$place"
  # What bench-engine measures lies between two calls of the clock: every second part is a row.
  alone valgrind --tool=callgrind --dump-before=clock --combine-dumps=yes \
    --callgrind-out-file="$log" "$tools/bench-engine" "$place" --rounds 1 --size "$1" \
    --rows "${names%,}" >"$place/table" 2>"$log.said" ||
    fail 70 "bench-engine: status $?: $(tail -n 1 -- "$log.said")" "try it by itself"
  awk -F '[ |]+' '
    FNR == 1 { file++ }
    file == 1 && /^summary:/ && ++part % 2 == 0 { counted[part / 2] = $2 }
    file == 2 && /^[|] [a-z]/ && $2 != "row" { print "engine/" $2, counted[++row], "-" }
  ' "$log" "$place/table"
}

# count: prints the table of everything chosen.
count() {
  processors=$(taskset -cp $$)
  processor=${processors##*[!0-9]}
  count_commands "$few" 3 >"$work/few" &
  running=$!
  processor=${processors##*: } processor=${processor%%[!0-9]*}
  count_commands "$many" 4 >"$work/many"
  wait "$running"
  processor=${processors##*[!0-9]}
  count_engine "$engine_few" >>"$work/few" &
  running=$!
  processor=${processors##*: } processor=${processor%%[!0-9]*}
  count_engine "$engine_many" >>"$work/many"
  wait "$running"
  running=
  grep '^| row' -A 1 -- "$table"
  awk -v many="$many" '
    function grouped(number, text) {
      text = sprintf("%d", number)
      while (match(text, /[0-9][0-9][0-9][0-9]($|,)/))
        text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
      return text
    }
    NR == FNR { instructions[$1] = $2; calls[$1] = $3; next }
    {
      printf "| %s | %s | %s |", $1, grouped(instructions[$1] / 1000), grouped($2 / 1000)
      printf " %s | %.2f |", $3 == "-" ? "" : grouped($2 / 1000 / many), $2 / instructions[$1]
      if ($3 == "-") print " | | | |"
      else printf " %s | %s | %.2f | %.2f |\n", grouped(calls[$1]), grouped($3), $3 / many, $3 / calls[$1]
    }' "$work/few" "$work/many"
}

# ---- The call ----

# counts OPTION...: what is said in the usage of bench.
counts() {
  rows='' tools='' counted='' is_update=no table=$here/../Sources/Documentation/counts.md
  while [ $# -gt 0 ]; do
    case $1 in
      --update) is_update=yes ;;
      --rows=* | --commands=* | --table=* | --counted=*)
        option=${1%%=*} value=${1#*=}
        shift
        set -- "$option" "$value" "$@"
        continue
        ;;
      --rows | --commands | --table | --counted)
        [ -n "${2-}" ] || lacking "$1"
        case $1 in
          --rows) rows=$2 ;;
          --commands) tools=$(cd -- "$2" && pwd) ;;
          --table) table=$2 ;;
          --counted) counted=$2 ;;
        esac
        shift
        ;;
      *) unknown "$1" ;;
    esac
    shift
  done
  [ -r "$table" ] || fail 66 "$table: cannot be read" "see --table"
  if [ -z "$counted" ]; then
    counted=$work/counted
    install_packages valgrind strace
    if [ -z "$tools" ]; then
      # shellcheck disable=SC2086
      install_packages $build_packages
      release >&2
      tools=$(release --show-bin-path)
    fi
    # Some containers forbid it.
    is_traced=yes
    strace -qqq -o /dev/null true 2>/dev/null || {
      [ "$is_update" = no ] || fail 69 "no process can be traced here" "update the table elsewhere"
      is_traced=no
      echo "No process can be traced here: only instructions are counted." >&2
    }
    count >"$counted"
    cat -- "$counted"
    echo
  fi
  if [ "$is_update" = yes ]; then
    update "$table" "$counted" >"$work/page"
    cat -- "$work/page" >"$table"
    return
  fi
  status=0
  compare "$table" "$counted" || status=$?
  [ "$status" -eq 0 ] || grep -qx "$(surroundings)" -- "$table" ||
    surroundings | sed 's/^Counted/These were counted/; s/$/ The table was not./'
  return "$status"
}
