#!/usr/bin/env bash
# Installs what is used beyond Swift, the only script that installs: Graphviz, whose programs must accept our pictures,
# Valgrind, which counts instructions, Python, which reads the documents, Chromium with selenium, which use the inspector's page, and
# NATS, a server and its client library, for the store of that name. What cannot be installed, for want of root or apt-get, is left out
# by what needs it, and said there.
set -euo pipefail
missing=()
{ command -v dot && command -v circo; } >/dev/null 2>&1 || missing+=(graphviz)
command -v valgrind >/dev/null 2>&1 || missing+=(valgrind)
command -v python3 >/dev/null 2>&1 || missing+=(python3)
command -v nats-server >/dev/null 2>&1 || missing+=(nats-server)
[ -e /usr/include/nats/nats.h ] || missing+=(libnats-dev)
command -v chromedriver >/dev/null 2>&1 || missing+=(chromium chromium-driver)
# From PyPI: Debian's belongs to Debian's own Python, which need not be the first one here.
selenium() {
  if command -v python3 >/dev/null 2>&1 && ! python3 -c 'import selenium' 2>/dev/null; then
    echo "installing selenium" >&2
    python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore selenium >/dev/null 2>&1 ||
      echo "selenium could not be installed; the browser tests are left out" >&2
  fi
}
if [ "${#missing[@]}" -eq 0 ]; then
  selenium
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null 2>&1; then
  echo "not installed, and cannot be by this user: ${missing[*]}" >&2
  exit 0
fi
apt-get update -qq >/dev/null 2>&1 || true
for package in "${missing[@]}"; do
  echo "installing $package" >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null 2>&1 ||
    echo "$package could not be installed; what needs it is left out" >&2
done
selenium
