#!/usr/bin/env bash
# The table of operators in Documentation/Operators.md has a row for each public operator, and no other.
set -euo pipefail
cd "$(dirname "$0")/.."
program=$(mktemp -d)
trap 'rm -rf "$program"' EXIT
swiftc -swift-version 6 -o "$program/check" Scripts/check-operators.swift
"$program/check"
