#!/usr/bin/env bash
# A webhook's retries, all 14 h 36 min of them, in the time of a unit test: with curl, jq and openssl.
#
# Start the emulator (npx tapedeck-emulator), then run this. TAPEDECK_URL says where the emulator is
# (http://127.0.0.1:4010). It has a world of its own there, so several may run side by side.
#
# A shell cannot listen, so the receiver is a sink: one inside the emulator, which answers as it is told to and keeps
# what it got. Its log is what the signatures are verified from.
set -euo pipefail

emulator=${TAPEDECK_URL:-http://127.0.0.1:4010}
secret=our-shared-secret
recording=7d0f3c1e-5a2b-4c3d-8e9f-0a1b2c3d4e5f

call() { # METHOD URL [JSON]
  curl --silent --show-error --fail-with-body --request "$1" --header 'Content-Type: application/json' ${3:+--data "$3"} "$2"
}

same() { # WHAT EXPECTED FOUND
  [ "$2" = "$3" ] || { printf '%s: expected %s, found %s\n' "$1" "$2" "$3" >&2; exit 1; }
}

fixtures=$(jq --null-input --arg recording "$recording" --arg secret "$secret" '{
  recordings: [{uuid: $recording, title: "Checkout fails"}],
  folders: [{id: "vip", name: "VIP"}],
  sinks: [{id: "receiver", respond: [500, 500, 500, 500, 500, 200]}],
  automations: [{id: "notify", folder: "vip", url: "sink:receiver", secret: $secret}]
}')
control=$(call POST "$emulator/_emulator/worlds" "{\"fixtures\": $fixtures}" | jq --raw-output .control_url)
trap 'call DELETE "$control"' EXIT

call POST "$control/folders/vip/recordings" "{\"recording\": \"$recording\"}" >/dev/null
moved=$(call POST "$control/clock/advance" '{"by": "PT14H36M"}')
same 'minutes of the attempts' '[0,1,6,36,156,876]' "$(jq --compact-output '[.fired[].elapsed_ms / 60000]' <<<"$moved")"
same 'outcomes' 'failure failure failure failure failure success' "$(jq --raw-output '[.fired[].outcome] | join(" ")' <<<"$moved")"
same 'state' 'delivered' "$(call GET "$control/deliveries?automation=notify" | jq --raw-output '.deliveries[].state')"

requests=$(call GET "$control/sinks/receiver" | jq '.requests')
same 'number of webhooks' 6 "$(jq length <<<"$requests")"
# A retry has the first attempt's id, so that it can be recognized.
same 'number of ids' 1 "$(jq '[.[].headers["webhook-id"]] | unique | length' <<<"$requests")"
for n in 0 1 2 3 4 5; do
  digest=$(jq --raw-output ".[$n].body_base64" <<<"$requests" | base64 --decode |
    openssl dgst -sha256 -hmac "$secret" -r | cut -d ' ' -f 1)
  found=$(jq --raw-output ".[$n].headers | with_entries(.key |= ascii_downcase) | .[\"x-tapedeck-signature\"]" <<<"$requests")
  same "signature of attempt $((n + 1))" "sha256=$digest" "$found"
done
echo 'passed: a webhook is retried until the receiver is back'
