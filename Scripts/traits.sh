#!/usr/bin/env bash
# Prints the traits that the root package's tests are built with: all whose libraries are here. One build serves them all, for a trait
# is a condition of compilation; what is built without it is looked at by Scripts/test-nats.sh.
# Who builds with two of them sets SWIFT_DETERMINISTIC_HASHING=1: SwiftPM passes their flags on in the order of a set, which is another one
# in each process, and every second build would build all anew. `swift test` follows with --skip-build.
# `Inspector` is that of Tools and Examples, whose programs the browser opens.
set -euo pipefail
traits=OpenCombine
if command -v nats-server >/dev/null 2>&1 && [ -e /usr/include/nats/nats.h ]; then traits+=,NATS; fi
echo "$traits"
