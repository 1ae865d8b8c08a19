# shellcheck shell=bash
# What the scripts of this folder share. Sourced, never run. Works with bash 3.2, which macOS still ships.
#
# Everything is kept under one cache folder, so that all checkouts on a machine share it:
#   ~/.cache/impri/target   cargo's target folder (a CARGO_TARGET_DIR that is already set wins)
#   ~/.cache/impri/tools    wasm-bindgen and the npm tools
#   ~/.cache/impri/venv     the Python of the tests, with the classic AutoGen
#   ~/.cache/impri/venv-sdk the Python of the client's tests, with the frameworks that can't live beside that one
#   ~/.cache/impri/stamps   what was done for which input, so that it is not done twice
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-${HOME:?is not set}/.cache}/impri
tools=$cache/tools
# shellcheck disable=SC2034 # setup and test use it
venv=$cache/venv
# shellcheck disable=SC2034 # the same
venv_sdk=$cache/venv-sdk
stamps=$cache/stamps
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$cache/target}
export CARGO_TERM_PROGRESS_WHEN=${CARGO_TERM_PROGRESS_WHEN:-never}
mkdir -p "$tools" "$stamps" "$CARGO_TARGET_DIR"

say() { printf '%s\n' "· $*" >&2; }

# One sentence that says what to do, and the end.
fail() {
  printf '%s\n' "✗ $*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# A folder of binaries that rustup installed but a non-login shell does not know yet.
if ! have cargo && [ -x "$HOME/.cargo/bin/cargo" ]; then PATH=$HOME/.cargo/bin:$PATH; fi

# within SECONDS command…: macOS has no timeout(1), but every system has perl.
within() {
  if have timeout; then timeout "$@"; else perl -e 'alarm shift; exec @ARGV or die' "$@"; fi
}

# digest: SHA-256 of standard input.
digest() {
  if have sha256sum; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}

# digest_files path…: one digest over names and contents; paths that don't exist count as empty.
digest_files() {
  local existing=() path
  for path in "$@"; do if [ -e "$path" ]; then existing+=("$path"); fi; done
  if [ ${#existing[@]} -eq 0 ]; then digest </dev/null; return; fi
  find "${existing[@]}" -type f ! -name '.DS_Store' -print0 | LC_ALL=C sort -z |
    if have sha256sum; then xargs -0 sha256sum; else xargs -0 shasum -a 256; fi | digest
}

# stamped NAME KEY: was NAME already done for exactly this key?
stamped() { [ -f "$stamps/$1" ] && [ "$(cat "$stamps/$1")" = "$2" ]; }
stamp() { printf '%s\n' "$2" >"$stamps/$1"; }

# Cargo tells checkouts apart by paths inside the workspace only. Where several share a target folder, it would take
# another's crate for this one's if that was compiled after these files were written; so they are made newer then.
own_target() {
  local mark=$1/impri-checkout
  if [ -f "$mark" ] && [ "$(cat "$mark")" = "$root" ]; then return; fi
  mkdir -p "$1"
  (cd "$root" && touch build.rs src/lib.rs src/main.rs tests/main.rs tests/bench/main.rs)
  printf '%s\n' "$root" >"$mark"
}

# Holds a lock until the script ends, so that two checkouts don't write the same folder at once. Without
# flock(1) (macOS) cargo's own locks have to do.
lock() {
  if ! have flock; then return; fi
  exec 9>"$1"
  if ! flock -n 9; then
    say "Waiting for another build or set-up on this machine"
    flock 9
  fi
}

# --- system packages -------------------------------------------------------------------------------------

# system_packages WHY name…: installs what the system lacks. Names are ours: node, postgresql, chromium, jq,
# curl, cc, python-venv. The Debian family and Homebrew are known; elsewhere it says what is missing.
system_packages() {
  local why=$1 name
  shift
  if have apt-get; then
    local packages=()
    for name in "$@"; do
      case $name in
        node) packages+=(nodejs npm) ;;
        python-venv) packages+=(python3 python3-venv) ;;
        cc) packages+=(gcc libc6-dev) ;;
        *) packages+=("$name") ;;
      esac
    done
    debian apt_install "$why" "${packages[@]}"
  elif have brew; then
    local formulas=()
    for name in "$@"; do
      case $name in
        postgresql) formulas+=(postgresql@17) ;;
        python-venv) formulas+=(python) ;;
        cc) fail "A C compiler is missing: run 'xcode-select --install', then this again." ;;
        chromium) formulas+=(google-chrome) ;;
        *) formulas+=("$name") ;;
      esac
    done
    say "Installing ${formulas[*]} with Homebrew ($why)"
    HOMEBREW_NO_AUTO_UPDATE=1 NONINTERACTIVE=1 brew install "${formulas[@]}" >&2 ||
      fail "Homebrew could not install ${formulas[*]}: run 'brew install ${formulas[*]}' yourself, then this again."
  else
    fail "Missing: $* ($why). Install them with your system's package manager, then run this again."
  fi
}

# Everything that only holds for Debian and its children.
#   debian apt_install WHY package…
#   debian as_root command…
debian() {
  local task=$1
  shift
  case $task in
    as_root)
      local env=(env DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=a APT_LISTCHANGES_FRONTEND=none)
      if [ "$(id -u)" -eq 0 ]; then "${env[@]}" "$@"; else sudo -n "${env[@]}" "$@"; fi
      ;;
    can_root) [ "$(id -u)" -eq 0 ] || { have sudo && sudo -n true 2>/dev/null; } ;;
    apt_update)
      # Package lists are good for a day. apt waits for dpkg's lock by itself, not for the one of the lists.
      if [ -n "$(find /var/lib/apt/lists -maxdepth 1 -name '*Packages*' -mtime -1 2>/dev/null | head -n 1)" ] &&
        [ "${1:-}" != --now ]; then
        return
      fi
      local tries=0
      until debian as_root apt-get -qq update >&2; do
        tries=$((tries + 1))
        if [ $tries -ge 10 ]; then
          fail "apt-get update keeps failing: run 'sudo apt-get update' and see what it says, then run this again."
        fi
        sleep 6
      done
      ;;
    apt_install)
      local why=$1
      shift
      debian can_root ||
        fail "Missing: $* ($why). Run 'sudo apt-get install -y --no-install-recommends $*', then this again."
      say "Installing $* with apt ($why)"
      # PostgreSQL's package would create and start a cluster of its own; only the programs are wanted.
      local conf=/etc/postgresql-common/createcluster.conf saved=
      case " $* " in
        *" postgresql "*)
          if [ ! -f "$conf" ]; then debian apt_get install postgresql-common; fi
          if [ -f "$conf" ] && ! grep -q '^ *create_main_cluster *= *false' "$conf"; then
            saved=$(mktemp)
            cat "$conf" >"$saved"
            debian as_root sh -c "echo 'create_main_cluster = false' >>$conf"
          fi
          ;;
      esac
      debian apt_get install "$@"
      if [ -n "$saved" ]; then
        debian as_root sh -c "cat '$saved' >$conf"
        rm -f "$saved"
      fi
      ;;
    apt_get)
      debian apt_update
      local options=(-qq -y --no-install-recommends -o DPkg::Lock::Timeout=900 -o Dpkg::Use-Pty=0) log=$cache/apt.log
      if debian as_root apt-get "${options[@]}" "$@" >"$log" 2>&1; then return; fi
      # Lists of this morning may name a file that is gone: once more with new ones.
      debian apt_update --now
      if debian as_root apt-get "${options[@]}" "$@" >"$log" 2>&1; then return; fi
      tail -n 20 "$log" >&2
      fail "apt-get $* failed: see its message above, put that right, then run this again."
      ;;
    *) fail "debian: unknown task $task" ;;
  esac
}

# --- what is where ---------------------------------------------------------------------------------------

# The folder of PostgreSQL's server programs, or nothing. The server looks in the same places.
postgres_bin() {
  local dir
  for dir in \
    "$(dirname "$(command -v postgres || echo /nowhere/postgres)")" \
    "$(pg_config --bindir 2>/dev/null || true)" \
    $(compgen -G '/usr/lib/postgresql/*/bin' | sort -t/ -k5,5nr || true) \
    $(compgen -G '/usr/pgsql-*/bin' | sort -r || true) \
    $(compgen -G '/opt/homebrew/opt/postgresql*/bin' | sort -r || true) \
    $(compgen -G '/usr/local/opt/postgresql*/bin' | sort -r || true) \
    /Applications/Postgres.app/Contents/Versions/latest/bin; do
    if [ -x "$dir/postgres" ] && [ -x "$dir/initdb" ]; then
      printf '%s\n' "$dir"
      return
    fi
  done
}

# An installed Chrome or Chromium, or nothing. Ubuntu's chromium-browser is a stub without its snap.
chromium_path() {
  local name
  for name in chromium google-chrome google-chrome-stable chromium-browser \
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome" \
    /Applications/Chromium.app/Contents/MacOS/Chromium; do
    if have "$name" && "$name" --version >/dev/null 2>&1; then
      command -v "$name"
      return
    fi
  done
}

# The version of a crate in Cargo.lock.
locked_version() {
  awk -v name="\"$1\"" '$1 == "name" { found = $3 == name } found && $1 == "version" { gsub(/"/, "", $3); print $3; exit }' \
    "$root/Cargo.lock"
}

wasm_bindgen() { printf '%s\n' "$tools/wasm-bindgen-$(locked_version wasm-bindgen)/bin/wasm-bindgen"; }

# The toolchain that builds both the server and the wasm library (one for both: everything that runs at
# compile time is then compiled once). scripts/setup decided it: `stable`, or the substitute `impri-wasm`.
toolchain() {
  [ -f "$stamps/toolchain" ] || fail "No toolchain was chosen yet: run scripts/setup first."
  cat "$stamps/toolchain"
}

# --- a throwaway PostgreSQL ------------------------------------------------------------------------------

pg_home=

# A port of the loopback address that nothing listens on.
free_port() {
  node -e 'const s = net.createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}

# PostgreSQL refuses to run as root; then it runs as the account that its package made, or as nobody.
unprivileged() {
  if [ "$(id -u)" -ne 0 ]; then
    "$@"
  elif have setpriv; then
    setpriv --reuid="$pg_user" --regid="$(id -g "$pg_user")" --clear-groups "$@"
  else
    sudo -n -u "$pg_user" "$@"
  fi
}

# Starts one that nobody else sees and names it in DATABASE_URL. Call stop_postgres at the end, on every path.
start_postgres() {
  local bin port password
  bin=$(postgres_bin)
  pg_user=$(id -un)
  if [ "$(id -u)" -eq 0 ]; then pg_user=$(id -un postgres 2>/dev/null || echo nobody); fi
  pg_home=$(mktemp -d /tmp/impri-pg.XXXXXX) # not $TMPDIR: the path of a socket must be short
  password=$(node -p 'crypto.randomBytes(16).toString("hex")')
  printf '%s\n' "$password" >"$pg_home/password"
  if [ "$(id -u)" -eq 0 ]; then chown -R "$pg_user" "$pg_home"; fi
  port=$(free_port)

  say "Starting a throwaway PostgreSQL on port $port"
  (
    cd "$pg_home"
    unprivileged "$bin/initdb" --pgdata="$pg_home/data" --username=impri --pwfile="$pg_home/password" \
      --auth=scram-sha-256 --encoding=UTF8 --no-locale >"$pg_home/initdb.log" 2>&1
  ) || fail "initdb did not work: $(tail -n 1 "$pg_home/initdb.log")"
  (
    cd "$pg_home"
    # With its own standard input and output, or whoever reads ours would wait for it.
    unprivileged "$bin/postgres" -D "$pg_home/data" -p "$port" -k "$pg_home" -c listen_addresses=127.0.0.1 \
      -c max_connections=300 </dev/null >"$pg_home/log" 2>&1 &
  )
  local waited=0
  until sed -n 8p "$pg_home/data/postmaster.pid" 2>/dev/null | grep -q ready; do
    waited=$((waited + 1))
    if [ $waited -gt 300 ]; then fail "The throwaway PostgreSQL did not start: $(tail -n 1 "$pg_home/log")"; fi
    sleep 0.1
  done
  export DATABASE_URL="postgres://impri:$password@127.0.0.1:$port/postgres"
}

stop_postgres() {
  if [ -z "$pg_home" ]; then return; fi
  local pid
  pid=$(head -n 1 "$pg_home/data/postmaster.pid" 2>/dev/null || true)
  if [ -n "$pid" ]; then
    kill -INT "$pid" 2>/dev/null || true # fast: disconnects whoever is left
    while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done
  fi
  rm -rf "$pg_home"
}
