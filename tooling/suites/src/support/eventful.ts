import { ada, bob, uuid } from "./acme.ts"
import type { Emulator, World, WorldOptions } from "./emulator.ts"
import type { Step } from "./exchange.ts"
import { hooked, recording } from "./hooks.ts"
import { bodyOf } from "./target.ts"

/** A world with something of every kind in progress. */
export const eventful = async (emulator: Emulator, options: WorldOptions = {}): Promise<World> => {
  const script = [
    { at: "PT0S", status: "processing" },
    { reads: 5, status: "ready" }
  ]
  const world = await emulator.start(
    hooked(
      [500, "timeout", { status: 503, headers: { "x-a": "b" }, body: "busy", after: "PT20S" }, "reset", 200],
      { secret: undefined },
      {
        recordings: [
          { ...recording, transcript: { script, segments: [{ start_seconds: 0, end_seconds: 4, text: "Hello" }] } },
          { ...recording, uuid: uuid(2), video: { original: { size: 5_000, content_type: "video/webm" } } },
          { ...recording, uuid: uuid(3), transcript: { script: [{ at: "PT3H", status: "processing" }] } }
        ],
        audit_destinations: [{ id: "d1", name: "SIEM", url: "sink:crm", secret: "s", max_retries: 3 }]
      }
    ),
    { seed: 7, config: { rate_limit: { requests: 200, per_ms: 86_400_000 }, page_size: 2 }, ...options }
  )
  await world.fetch(`/api/v2/recordings/${uuid(1)}/transcript`, { token: ada })
  await world.fetch(`/api/v2/recordings/${uuid(1)}`, {
    method: "PATCH",
    token: ada,
    json: { recording: { title: "Changed" } }
  })
  await world.fetch(`/r/${uuid(2)}`)
  await world.addToFolder("f1", uuid(1))
  await world.addToFolder("f1", uuid(2))
  bodyOf(await world.post("/faults", { match: { path: "/api/v2/users" }, respond: [503, 502, 500] }), 201)
  await world.faultyFetch("/api/v2/users", { token: ada })
  bodyOf(await world.post("/sinks", { id: "late", respond: [404] }), 201)
  await world.advance({ by: "PT1M10S" })
  await world.addToFolder("f2", uuid(3))
  return world
}

const post = (json: unknown) => ({ method: "POST", json })

/** What goes on in it: reads and changes, refusals, new things with new ids, and time. */
export const continuation: ReadonlyArray<Step> = [
  ["/_emulator/clock"],
  ["/_emulator/journal"],
  ["/_emulator/deliveries"],
  ["/_emulator/sinks/crm"],
  ["/api/v2/recordings", { token: ada }],
  ["/api/v2/recordings?page=2", { token: bob }],
  ["/api/v2/recordings"],
  ["/api/v2/users", { token: ada }],
  ["/api/v2/users", { token: bob }],
  ["/api/v2/users", { token: ada }],
  ["/api/v1/recordings", { token: bob }],
  [`/api/v2/recordings/${uuid(1)}/transcript`, { token: bob }],
  [`/api/v2/recordings/${uuid(2)}/download`, { token: ada, headers: { range: "bytes=10-19" } }],
  [`/api/v2/recordings/${uuid(2)}`, { token: ada, method: "PATCH", json: { recording: { summary: "s" } } }],
  [`/r/${uuid(2)}`],
  [
    "/_emulator/fixtures",
    post({
      users: [{ email: "new@acme.test", name: "New" }],
      recordings: [{ title: "No uuid", user: "new@acme.test" }],
      folders: [{ name: "New" }],
      automations: [{ folder: "f1", url: "sink:late" }]
    })
  ],
  ["/_emulator/sinks", post({ respond: [200] })],
  ["/_emulator/faults", post({ match: {}, respond: [418] })],
  ["/_emulator/sessions", post({ user: "ada@acme.test" })],
  ["/api/v2/recordings", { token: ada }],
  ["/_emulator/folders/f1/recordings", post({ recording: uuid(3) })],
  ["/_emulator/clock/advance", post({ next: true })],
  ["/_emulator/clock/advance", post({ by: "PT15S" })],
  [`/api/v2/recordings/${uuid(1)}/transcript`, { token: ada }],
  [`/api/v2/recordings/${uuid(1)}/transcript`, { token: ada }],
  [`/api/v2/recordings/${uuid(1)}/transcript`, { token: ada }],
  ["/_emulator/clock/advance", post({ until: "idle", max_events: 9 })],
  ["/_emulator/clock"],
  ["/_emulator/clock/advance", post({ until: "idle" })],
  ["/_emulator/deliveries"],
  ["/_emulator/sinks/crm"],
  ["/_emulator/sinks/late"],
  ["/_emulator/journal"]
]
