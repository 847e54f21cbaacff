#!/usr/bin/env bash
# Formats every Swift file; with --check only looks, and fails on a difference.
set -euo pipefail
cd "$(dirname "$0")/.."
mapfile -t files < <(git ls-files --cached --others --exclude-standard '*.swift')
if [ "${1:-}" = --check ]; then
  swift format lint --strict --parallel "${files[@]}"
else
  swift format --in-place --parallel "${files[@]}"
fi
