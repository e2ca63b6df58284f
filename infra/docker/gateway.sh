#!/bin/bash
# gateway CONFIGURATION: runs HAProxy, and reloads it when the files of its certificates change. Requests under way finish with
# the certificates before. Files that HAProxy refuses, such as a certificate whose key is not there yet, change nothing: they are
# read again every TLS_RELOAD_SECONDS (10). Unless SANDBOX_MODE is true, and no REQUIRE_TLS, it refuses to start over plain HTTP.
set -u
configuration=$1

if [ "${SANDBOX_MODE:-}" != true ] || [ "${REQUIRE_TLS:-}" = true ]; then
  for name in TLS_CERTIFICATE_FILE TLS_CA_FILE; do
    [ -z "${!name:-}" ] || continue
    printf '%s is not set: the gateway would use plain HTTP. Set it or, for development only, SANDBOX_MODE=true.\n' "$name" >&2
    refused=1
  done
  [ -z "${refused:-}" ] || exit 1
fi

content_of_files() {
  local file
  for file in "${TLS_CERTIFICATE_FILE:-}" "${TLS_CERTIFICATE_FILE:+${TLS_CERTIFICATE_FILE%.*}.key}" \
    "${TLS_INTERNAL_CERTIFICATE_FILE:-}" "${TLS_INTERNAL_CERTIFICATE_FILE:+${TLS_INTERNAL_CERTIFICATE_FILE%.*}.key}" "${TLS_CA_FILE:-}"; do
    [ -z "$file" ] || cat -- "$file"
  done 2>/dev/null | sha256sum
}

log() { printf '{"time":"%s","service":"gateway","message":"%s"}\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1"; }

reload_on_change() {
  local used=$1 refused='' now
  while sleep "${TLS_RELOAD_SECONDS:-10}"; do
    now=$(content_of_files)
    [ "$now" = "$used" ] && continue
    if haproxy -c -q -f "$configuration" >/dev/null 2>&1; then
      used=$now
      log 'the certificates have changed: reloading'
      kill -USR2 "$proxy"
    elif [ "$now" != "$refused" ]; then
      refused=$now
      log 'the certificates have changed and cannot be used: those before stay in use'
    fi
  done
}

# Before HAProxy reads the files: a change while it starts causes a reload too much, and not one too few.
at_start=$(content_of_files)
haproxy -W -db -f "$configuration" &
proxy=$!
# HAProxy would wait for a child of its own that it does not know, so this shell stays and passes the signals on.
trap 'kill -USR1 "$proxy"' USR1
trap 'kill -TERM "$proxy"' TERM INT
reload_on_change "$at_start" &
watcher=$!
while kill -0 "$proxy" 2>/dev/null; do wait "$proxy"; done
wait "$proxy"
status=$?
kill "$watcher"
exit "$status"
