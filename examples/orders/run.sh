#!/usr/bin/env bash
# Unpaid orders, end to end: schedules N orders that are due over a span of time,
# cancels some half-way, kills the daemon with -9 once and starts it again, and
# reports what the receiver saw. Fails if a promise was broken.
#
# Settings, by environment: N, OVER, START (durations of Go), CANCEL, PORT of the
# daemon, RECEIVER_PORT, DIR (a temporary folder unless given).
set -euo pipefail
cd "$(dirname "$0")/../.."

N=${N:-100000} OVER=${OVER:-60s} START=${START:-15s} CANCEL=${CANCEL:-10000}
PORT=${PORT:-7391} RECEIVER_PORT=${RECEIVER_PORT:-9000}
if [ -z "${DIR:-}" ]; then DIR=$(mktemp -d); ours=$DIR; fi
export TIMEWHEEL_ADDR="http://127.0.0.1:$PORT"

seconds() { local d=${1%s}; echo "${d%.*}"; }
say() { printf '%s  %s\n' "$(date +%T)" "$*"; }
finish() {
  kill "${receiver:-}" "${daemon:-}" 2>/dev/null || true
  wait 2>/dev/null || true
  if [ -n "${ours:-}" ]; then rm -rf "$ours"; fi
}
trap finish EXIT

say "building into $DIR"
go build -o "$DIR/" ./cmd/timewheel ./examples/orders
timewheel() { "$DIR/timewheel" "$@"; }

serve() {
  "$DIR/timewheel" serve --listen "127.0.0.1:$PORT" --data "$DIR/data" 2>>"$DIR/daemon.log" &
  daemon=$!
  for _ in $(seq 100); do
    if timewheel queues list >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  say "the daemon does not answer:"; cat "$DIR/daemon.log"; exit 1
}

serve
secret="whsec_$(head -c 32 /dev/urandom | base64)"
timewheel queues set orders --signing-secret "$secret" >/dev/null
"$DIR/orders" receive -listen "127.0.0.1:$RECEIVER_PORT" -secret "$secret" -out "$DIR/deliveries.tsv" 2>"$DIR/receiver.log" &
receiver=$!

say "generating $N orders, due from $START on over $OVER"
"$DIR/orders" generate -n "$N" -start "$START" -over "$OVER" -paid "$CANCEL" -paid-out "$DIR/paid.txt" >"$DIR/orders.ndjson"
began=$(date +%s)
elapsed() { echo $(( $(date +%s) - began )); }
timewheel schedule --queue orders --from "$DIR/orders.ndjson" --webhook "http://127.0.0.1:$RECEIVER_PORT/close" --retention 1h

until (( $(elapsed) >= $(seconds "$START") + $(seconds "$OVER") / 2 )); do sleep 0.2; done
say "half-way: $CANCEL orders, due in the last third, are paid and cancelled"
timewheel cancel --queue orders --from "$DIR/paid.txt" --json >"$DIR/cancelled.ndjson"
sed -n 's/.*"key":"\([^"]*\)".*"cancelled".*/\1/p' "$DIR/cancelled.ndjson" >"$DIR/cancelled.txt"

say "kill -9"
kill -9 "$daemon"
wait "$daemon" 2>/dev/null || true
serve
say "started again"

until (( $(elapsed) >= $(seconds "$START") + $(seconds "$OVER") + 2 )); do sleep 0.2; done
for _ in $(seq 120); do
  left=$(timewheel queues get orders --json | grep -oE '"(scheduled|ready|leased)":[0-9]+' | grep -cv ':0$' || true)
  if [ "$left" = 0 ]; then break; fi
  sleep 0.5
done
timewheel queues get orders | grep '^tasks'
kill -TERM "$receiver" && wait "$receiver"
cat "$DIR/receiver.log"
"$DIR/orders" report -orders "$DIR/orders.ndjson" -cancelled "$DIR/cancelled.txt" -deliveries "$DIR/deliveries.tsv"
