#!/usr/bin/env bash
# Installs what the tests use beyond Swift: Graphviz, whose programs must accept our pictures. Without root or apt-get the
# tests that need it say that they were skipped.
set -euo pipefail
if command -v dot >/dev/null 2>&1 && command -v circo >/dev/null 2>&1; then exit 0; fi
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "installing graphviz" >&2
  apt-get update -qq >/dev/null 2>&1 || true
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq graphviz >/dev/null 2>&1 ||
    echo "graphviz could not be installed; its tests are skipped" >&2
fi
