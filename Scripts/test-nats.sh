#!/usr/bin/env bash
# The store in NATS: the suite of all stores on a real server, faults on it in a short form, and a proof that without the trait `NATS` nothing
# of it is fetched or built. Without nats-server and libnats (Scripts/setup.sh) it says so, and does the last alone.
# EASYREACT_SCRATCH: the folder of the tests' build; beside it, with `-plain`, is that without traits. EASYREACT_SWIFT_FLAGS: more arguments for it.
set -euo pipefail
cd "$(dirname "$0")/.."
scratch="${EASYREACT_SCRATCH:-.build-tests}"
read -ra flags <<<"${EASYREACT_SWIFT_FLAGS:-}"

# Without the trait: the target is there, its module empty, and libnats not linked.
plain="$scratch-plain"
swift build --scratch-path "$plain" "${flags[@]}" --product SharedPeer >/dev/null
# Not `grep -q`, which ends before the other has written all: a pipe that fails says nothing of what was found.
if ldd "$plain/debug/SharedPeer" | grep libnats; then
  echo "libnats is linked without its trait" >&2
  exit 1
fi
if nm -C "$plain/debug/SharedPeer" 2>/dev/null | grep 'NATSStore'; then
  echo "NATSStore is built without its trait" >&2
  exit 1
fi
echo "without the trait: no NATSStore, no libnats"

if ! command -v nats-server >/dev/null || [ ! -e /usr/include/nats/nats.h ]; then
  echo "NOT TESTED: no nats-server, or no libnats"
  exit 0
fi
SWIFT_DETERMINISTIC_HASHING=1 swift build --build-tests --traits "$(Scripts/traits.sh)" --scratch-path "$scratch" "${flags[@]}" >/dev/null
ldd "$scratch/debug/SharedPeer" | grep libnats || { echo "with the trait libnats is not linked" >&2; exit 1; }

folder=$(mktemp -d)
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
nats-server -a 127.0.0.1 -p "$port" -js -sd "$folder" >"$folder/log" 2>&1 &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$folder"' EXIT
EASYREACT_NATS="nats://127.0.0.1:$port" \
  swift test --skip-build --traits "$(Scripts/traits.sh)" --scratch-path "$scratch" "${flags[@]}" --filter 'StoreSuite|NATSTests|NATSSecurityTests'
Scripts/nats-faults.py --peer "$scratch/debug/SharedPeer" --sets 800 --pause 15000
