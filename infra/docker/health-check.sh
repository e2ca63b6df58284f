#!/bin/bash
# health-check PORT PATH: succeeds when an HTTP endpoint of this container answers 200. The shell makes the request itself: starting
# Node.js for each probe costs a busy host more than the service. The probe ends itself before the engine gives up on it, because
# the engine does not end a probe that it gives up on.
exec timeout --signal=KILL 8 bash -c '
  exec 3<>"/dev/tcp/127.0.0.1/$0" || exit 1
  printf "GET %s HTTP/1.0\r\nHost: localhost\r\n\r\n" "$1" >&3
  read -r -u 3 _ status _
  [ "$status" = 200 ]' "$1" "$2"
