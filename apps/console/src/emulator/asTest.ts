import type { Settings } from "@tapedeck/client"
import { elapsed } from "../ui/format.ts"

type Delivery = Settings.Delivery

/** What the sink is to answer, attempt by attempt, so that the same happens again. */
const answersOf = ({ attempts }: Delivery): ReadonlyArray<number | string> =>
  attempts.length === 0 ? [200] : attempts.map(({ outcome, status_code: status }) => status ?? outcome)

const fixturesOf = (delivery: Delivery) => ({
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin" }],
  recordings: [{ uuid: delivery.recording_uuid, title: "Checkout fails" }],
  folders: [{ id: "folder", name: "Folder" }],
  sinks: [{ id: "receiver", respond: answersOf(delivery) }],
  automations: [{ id: "automation", folder: "folder", url: "sink:receiver" }]
})

const indented = (value: unknown, by: string): string => JSON.stringify(value, null, 2).replaceAll("\n", `\n${by}`)

const times = ({ attempts }: Delivery): string =>
  attempts.map(({ elapsed_ms: ms }) => `"${ms === 0 ? "0" : elapsed(ms).replaceAll(" ", "")}"`).join(", ")

const stateMatcher = ({ state }: Delivery): string =>
  state === "delivered" ? "toBeDelivered()" : `toMatchObject({ state: "${state}" })`

export const asTypeScript = (delivery: Delivery): string => `import { expect, test } from "@tapedeck/emulator/vitest"

test.override({ worldOptions: { fixtures: ${indented(fixturesOf(delivery), "  ")} } })

test("a recording that is added to the folder is delivered as scripted", async ({ world }) => {
  await world.addToFolder("folder", "${delivery.recording_uuid}")
  await world.clock.advance({ until: "idle" })
  const [delivery] = await world.deliveries()
  expect(delivery).${stateMatcher(delivery)}
  expect(delivery).toHaveAttemptsAt(${times(delivery)})
})
`

export const asPython = (delivery: Delivery): string => `import json
import urllib.request

CONTROL = "http://127.0.0.1:4010/_emulator"


def call(method, url, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def test_delivered_as_scripted():
    fixtures = json.loads("""${indented(fixturesOf(delivery), "    ")}""")
    world = call("POST", f"{CONTROL}/worlds", {"fixtures": fixtures})["control_url"]
    call("POST", f"{world}/folders/folder/recordings", {"recording": "${delivery.recording_uuid}"})
    call("POST", f"{world}/clock/advance", {"until": "idle"})
    (delivery,) = call("GET", f"{world}/deliveries")["deliveries"]
    assert delivery["state"] == "${delivery.state}"
    assert [attempt["elapsed_ms"] for attempt in delivery["attempts"]] == ${JSON.stringify(delivery.attempts.map(({ elapsed_ms: ms }) => ms))}
`

const quoted = (value: unknown): string => `'${JSON.stringify(value).replaceAll("'", "'\\''")}'`

export const asCurl = (delivery: Delivery): string => `CONTROL=http://127.0.0.1:4010/_emulator
JSON='Content-Type: application/json'
curl -s -H "$JSON" "$CONTROL/worlds" -d ${quoted({ id: "copied", fixtures: fixturesOf(delivery) })}
WORLD=http://127.0.0.1:4010/worlds/copied/_emulator
curl -s -H "$JSON" "$WORLD/folders/folder/recordings" -d ${quoted({ recording: delivery.recording_uuid })}
curl -s -H "$JSON" "$WORLD/clock/advance" -d '{"until":"idle"}'
curl -s "$WORLD/deliveries"
`
