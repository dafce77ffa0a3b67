# shellcheck shell=sh disable=SC2034
# (SC2034: what is set here is used by the scripts that source this.)
#
# Sourced by the scripts beside it: installs what is missing, builds, finds the tools.
# The caller has set `here` to the directory of the scripts.
: "${here:?}"
# With it set, `cd` would print where it goes, into what is read as a path.
unset CDPATH

# The packages a build needs, and what tests use on top of them (Debian and Ubuntu names).
build_packages="libarchive-dev libsqlite3-dev zlib1g-dev pkg-config"
test_packages="shellcheck libarchive-tools zstd jq strace util-linux parallel lowdown mandoc fish zsh dpkg-dev openssh-client openssh-server iproute2 socat"
# Where there is no such package, or none that runs in a container, pages are not tested in a browser.
browser_packages="chromium chromium-driver curl"
slow_packages="lintian debootstrap munge slurmctld slurmd slurm-client"

fail() { # STATUS MESSAGE NEXT
  printf '%s: %s\n  next: %s\n' "${0##*/}" "$2" "$3" >&2
  exit "$1"
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

# Prints the options that the usage of the calling script names, and those given, a line each.
options() {
  { usage; echo --help --version "$@"; } | awk '{
    while (match($0, /--[a-z][a-z-]*/)) {
      print substr($0, RSTART, RLENGTH)
      $0 = substr($0, RSTART + RLENGTH)
    }
  }'
}

# unknown ARGUMENT [OPTION...]: refuses an argument that the calling script does not take, and names the
# nearest of the options that it does.
unknown() {
  word=${1%%=*} problem="unexpected argument '$1'" nearest=''
  case $1 in
    -*) problem="unknown option '$word'" ;;
  esac
  shift
  case $word in
    --*)
      nearest=$(options "$@" | word=$word awk '
        function least(a, b) { return a < b ? a : b }
        # How many letters are to be put in, taken out or replaced.
        function distance(one, other, i, j, row, corner, above) {
          for (j = 0; j <= length(other); j++) row[j] = j
          for (i = 1; i <= length(one); i++) {
            corner = row[0]
            row[0] = i
            for (j = 1; j <= length(other); j++) {
              above = row[j]
              row[j] = least(corner + (substr(one, i, 1) != substr(other, j, 1)), least(above, row[j - 1]) + 1)
              corner = above
            }
          }
          return row[length(other)]
        }
        BEGIN { smallest = 4 }
        {
          now = distance(ENVIRON["word"], $0)
          if (now < smallest) { smallest = now; found = $0 }
        }
        END { if (found) print ". Did you mean \047" found "\047?" }')
      ;;
  esac
  fail 64 "$(printf '%s' "$problem" | tr -d '[:cntrl:]')$nearest" "$(quoted "$0") --help shows what it takes"
}

# lacking OPTION: refuses an option without its value, or with one that it does not take.
lacking() { fail 64 "$1 needs a value, one that it takes" "$(quoted "$0") --help shows what it takes"; }

# The options of every command, and those that only shells and manuals ask for.
common_options="--json --verbose --quiet --brief --progress --no-progress --color --help-hidden --generate-completion-script --experimental-dump-help"

# answer_early ARGUMENT...: in a clone where a command may have to be built first, answers what needs no
# build. Its help is the command's own if there is one.
answer_early() {
  [ ! -x "$here/import-crdt" ] || return 0
  for word in "$@"; do
    case $word in
      --) break ;;
      -h | --help)
        built=$here/../.build/release/${0##*/}
        [ ! -x "$built" ] || exec "$built" --help
        usage
        exit 0
        ;;
    esac
  done
  # Word splitting is meant: a list of options.
  # shellcheck disable=SC2086
  known=$(options $common_options)
  for word in "$@"; do
    case $word in
      --) break ;;
      --*) printf '%s\n' "$known" | grep -qxF -e "${word%%=*}" || unknown "$word" ;;
    esac
  done
}

# A word as a shell takes it, whatever is in it.
quoted() {
  case $1 in
    '' | -* | *[!A-Za-z0-9_./+,-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")" ;;
    *) printf '%s' "$1" ;;
  esac
}

# install_packages PACKAGE...: installs those that are missing; elsewhere than on Debian says so.
install_packages() {
  command -v swift >/dev/null ||
    fail 69 "the Swift compiler is not installed" "see https://www.swift.org/install (6.2 or newer)"
  if ! command -v dpkg-query >/dev/null; then
    pkg-config --exists libarchive sqlite3 zlib 2>/dev/null ||
      fail 69 "development files of libarchive, sqlite3 or zlib are missing" \
        "install them and pkg-config (brew install libarchive pkgconf sqlite, dnf install libarchive-devel sqlite-devel zlib-devel pkgconf)"
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

# packs_relocations PROGRAM: whether the linker of the toolchain can pack what is corrected at each start of a
# program, and the C library here starts such a one: 72,000 corrections are 15 kB then, and not 1.7 MB that
# each start reads and keeps.
packs_relocations() {
  echo 'int main(void) { return 0; }' |
    clang -x c - -fuse-ld=lld -Wl,-z,pack-relative-relocs -o "$1" 2>/dev/null && "$1"
}

# release DIRECTIVE...: `swift build` for release, with the flags every shipped binary has. Where the
# clone is does not show in it: asserts of C name their file, two builds would differ by that, and by a
# number that the linker makes of everything.
release() {
  clone=$(cd -- "$here/.." && pwd)
  set -- -Xcc "-ffile-prefix-map=$clone=." -Xcxx "-ffile-prefix-map=$clone=." "$@"
  if [ "$(uname)" = Linux ]; then
    set -- --static-swift-stdlib --disable-local-rpath -Xlinker --no-export-dynamic \
      -Xlinker --strip-all -Xlinker --build-id=none "$@"
    mkdir -p -- "$clone/.build/archives"
    if packs_relocations "$clone/.build/archives/packed"; then
      set -- -Xswiftc -use-ld=lld -Xlinker -z -Xlinker pack-relative-relocs "$@"
    fi
    # Swift's own libraries use little of the C++ library, and to load all of it takes a tenth of a start.
    archive=$(clang -print-file-name=libstdc++.a 2>/dev/null || :)
    if [ -r "$archive" ]; then
      ln -sf -- "$archive" "$clone/.build/archives/"
      set -- -Xswiftc "-L$clone/.build/archives" "$@"
    fi
  fi
  swift build -c release --package-path "$clone" "$@"
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

# What the commands keep in a folder.
state=.automerge-migrate.nosync

# The same in every script.
case ${1-} in --version) version; exit 0 ;; esac
