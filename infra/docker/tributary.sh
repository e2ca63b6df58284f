#!/bin/sh
# tributary COMMAND …: runs an operator's command in the container of the service that carries it out.
# Each image has one service; those without commands have no such file.
for program in /suite/services/*/dist/admin.js; do
  [ -f "$program" ] || break
  exec node "$program" "$@"
done
echo "tributary: the service of this image has no operator's commands" >&2
exit 2
