# shellcheck shell=sh disable=SC2034
# (SC2034: what is set here is used by the scripts that source this.)
#
# Sourced by the scripts beside it: installs what is missing, builds, finds the tools.
# The caller has set `here` to the directory of the scripts.
: "${here:?}"
# With it set, `cd` would print where it goes, into what is read as a path.
unset CDPATH

# The packages a build needs, and what tests use on top of them (Debian and Ubuntu names).
build_packages="libarchive-dev zlib1g-dev pkg-config"
test_packages="shellcheck libarchive-tools zstd jq strace util-linux"

fail() { # STATUS MESSAGE NEXT
  printf '%s: %s\n  next: %s\n' "${0##*/}" "$2" "$3" >&2
  exit "$1"
}

# fail_as PROBLEM NEXT: ends the script with the status of what a utility said in the C locale.
fail_as() {
  case $1 in
    *'Permission denied'* | *'not permitted'* | *'Read-only file system'*) code=77 ;;
    *'No such file'*) code=66 ;;
    *'File exists'* | *'Not a directory'* | *'Is a directory'*) code=73 ;;
    *) code=74 ;;
  esac
  fail "$code" "$(printf '%s\n' "$1" | head -n 1)" "$2"
}

# listed FIND-ARGUMENTS...: prints what find finds; what cannot be listed is never taken for empty.
listed() {
  # What is found and what is said may both hold lines, so one of them goes to a file.
  LC_ALL=C find "$@" 2>"$work/unlisted" && return 0
  fail_as "$(cat -- "$work/unlisted")" "make it readable, then run ${0##*/} again"
}

# Prints the name of the calling script, and the version that is in the commands.
version() {
  if [ -x "$here/import-crdt" ]; then
    number=$("$here/import-crdt" --version)
  else
    number=$(sed -n 's/.* current = "\(.*\)"$/\1/p' "$here/../Sources/CommandLineSupport/ToolVersion.swift")
  fi
  printf '%s (automerge-migrate) %s\n' "${0##*/}" "${number##* }"
}

# Prints the usage comment at the top of the calling script.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# A word as a shell takes it, whatever is in it.
quoted() {
  case $1 in
    '' | -* | *[!A-Za-z0-9_./+,-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
  esac
}

# run COMMAND...: runs it, and returns its status. The shell would wait for its natural end before it
# looks at a signal that reaches the script alone; waiting for what runs in the background it does not.
is_running=
run() {
  earlier=${!-} is_running=yes
  "$@" &
  status=0
  wait "$!" || status=$?
  is_running=
  return "$status"
}

# ask COMMAND...: runs one whose status 1 is an answer: something differs, or was left out.
ask() {
  run "$@" || [ "$status" -le 1 ] || exit "$status"
}

# begin: finds the commands, and sets `work` to a new directory for what passes between them. From
# here on a signal ends the running command, then the script, by the same signal. However it ends, the
# directory goes, and what `clean_up` names is called.
clean_up=:
begin() {
  find_tools
  trap 'end_itself "$?"' EXIT
  for signal in HUP INT TERM; do
    # shellcheck disable=SC2064
    trap "end_by $signal" "$signal"
  done
  # A reader that went away: what the commands say then, too.
  trap 'exit 74' PIPE
  work=$(mktemp -d) || {
    work=
    fail 73 "${TMPDIR:-/tmp}: nothing can be written here" "make room there, or set TMPDIR to another place"
  }
}
forget_work() {
  "$clean_up"
  [ -z "${work-}" ] || rm -rf -- "$work"
}
# What a command ended with stands, and what a script says itself. What the shell fails with, such as 1
# or 2 where it finds no room for a file, would read as an answer.
end_itself() { # STATUS
  trap - EXIT
  forget_work
  case $1 in 0 | 6[4-9] | 7[0-8] | "${status-}") exit "$1" ;; esac
  fail 74 "what it needs could not be read or written" \
    "see what is said above; what was done stays done, and it can be run again"
}
end_by() { # SIGNAL
  # It is told before anybody could note its number; one that ended is not told again.
  if [ -n "$is_running" ] && [ "${!-}" != "$earlier" ]; then
    # Whatever runs in the background may ignore SIGINT, but not this.
    kill -s TERM "$!" 2>/dev/null || :
    wait "$!" || :
  fi
  forget_work
  trap - EXIT "$1"
  kill -s "$1" $$
}

# install_packages PACKAGE...: installs those that are missing; elsewhere than on Debian says so.
install_packages() {
  command -v swift >/dev/null ||
    fail 69 "the Swift compiler is not installed" "see https://www.swift.org/install (6.2 or newer)"
  if ! command -v dpkg-query >/dev/null; then
    pkg-config --exists libarchive zlib 2>/dev/null ||
      fail 69 "development files of libarchive or zlib are missing" \
        "install them and pkg-config (brew install libarchive pkgconf, dnf install libarchive-devel zlib-devel pkgconf)"
    return 0
  fi
  missing=
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
      missing="$missing $package"
  done
  [ -n "$missing" ] || return 0
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail 77 "missing packages:$missing" "run as root: apt-get install$missing"
    as_root=sudo
  fi
  echo "installing$missing" >&2
  # Word splitting is meant: a list of package names.
  # shellcheck disable=SC2086
  $as_root apt-get update -qq >&2 &&
    $as_root env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends $missing >&2
}

# release DIRECTIVE...: `swift build` for release, with the flags every shipped binary has.
release() {
  if [ "$(uname)" = Linux ]; then
    set -- --static-swift-stdlib -Xlinker --no-export-dynamic -Xlinker --strip-all "$@"
  fi
  swift build -c release --package-path "$here/.." "$@"
}

# Sets `tools` to the directory of the commands: beside this script, else built from the clone.
find_tools() {
  if [ -x "$here/import-crdt" ]; then
    tools=$here
  elif [ -f "$here/../Package.swift" ]; then
    # shellcheck disable=SC2086
    install_packages $build_packages
    release >&2
    tools=$(release --show-bin-path)
  else
    fail 69 "the commands are not beside this script" "install them with bin/install from a clone"
  fi
}

# enter FOLDER: sets `folder` to its whole path; where it cannot be looked into a command says why.
enter() {
  case $1 in
    *'
') fail 64 "$1: a name with a line break at its end" "rename it" ;;
    # cd takes a lone one for the directory before.
    -*) set -- "./$1" ;;
  esac
  folder=$(cd -- "$1" 2>/dev/null && pwd) || {
    run "$tools/verify-counts" "$1" --status >/dev/null || exit "$status"
    fail 77 "$1: cannot be looked into" "run it as the user whom the folder belongs to"
  }
  as_private_as "$folder"
}

# as_private_as FOLDER: what is made from here on is open to nobody whom the folder is not open to.
as_private_as() {
  for right in g-r g-w g-x o-r o-w o-x; do
    [ -n "$(find "$1" -prune -perm "-${right%-?}=${right#?-}")" ] || umask "$right"
  done
}

# What the commands keep in a folder.
state=.automerge-migrate.nosync

# in_restore FOLDER: whether a restore of it was interrupted, which can only be finished.
in_restore() {
  report=$("$tools/restore-backup" --finish "$1" --dry-run --json) || exit
  case $report in *'"finishedEarlierRestore":true'*) ;; *) return 1 ;; esac
}

# months_aside FOLDER: the runs in quarantine that set old months aside.
months_aside() {
  if [ ! -e "$1/$state/quarantine" ]; then
    [ ! -d "$1/$state" ] || [ -x "$1/$state" ] ||
      fail 77 "$1/$state: Permission denied" "make it readable, then run ${0##*/} again"
    return 0
  fi
  listed "$1/$state/quarantine" -mindepth 1 -maxdepth 1 -name '*.jsonl' >"$work/manifests"
  sort -- "$work/manifests" |
    while IFS= read -r manifest; do
      [ ! -d "${manifest%.jsonl}" ] ||
        ! head -n 1 -- "$manifest" | grep -q -e '"kind":"months"' -e '"command":"cleanup-legacy --months-before ' ||
        printf '%s\n' "${manifest%.jsonl}"
    done
}

# entries BACKUP: the paths of a backup that the machine form does not have to escape.
entries() {
  "$tools/restore-backup" "$1" --list --json |
    sed -n 's/^{"type":"entry","path":"\([^"\\]*\)".*/\1/p'
}

# The same in every script.
case ${1-} in --version) version; exit 0 ;; esac
