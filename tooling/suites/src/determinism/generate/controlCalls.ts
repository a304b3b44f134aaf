import type { Operation } from "../Player.ts"
import type { Random } from "../Random.ts"
import { sending } from "./apiCalls.ts"
import type { Known } from "./Known.ts"
import { automation, destination, maybe, members, recording, respond, target } from "./startDocument.ts"

/** Requests to the control plane of one world. */

export interface ControlOptions {
  /** The address of the test's own receivers. */
  readonly receivers: string
}

type Make = (random: Random, known: Known, options: ControlOptions) => Partial<Operation> & { readonly path: string }

const post = (path: string, json: unknown) => ({ method: "POST", path, ...sending(json) })
const put = (path: string, json: unknown) => ({ method: "PUT", path, ...sending(json) })

const durations = [0, 1, 999, 1_000, "PT10S", 29_999, "PT30S", "PT1M", "PT5M", "PT1H", "PT14H36M", "P1D"]

const move: Make = (random, known) => {
  const goal = random.weighted<() => Record<string, unknown>>([
    [6, () => ({ by: random.pick(durations) })],
    [12, () => ({ next: true })],
    [1, () => ({ until: "idle" })],
    [2, () => ({ to: new Date(Date.parse(known.now) + random.integer(0, 7_200_000)).toISOString() })],
    [1, () => random.pick([{}, { by: -1 }, { by: 1, next: true }, { to: "2020-01-01T00:00:00Z" }, { by: 1, x: 2 }])]
  ])()
  const call = post("/clock/advance", { ...goal, ...maybe(random, 0.2, { max_events: random.integer(0, 8) }) })
  const key = random.chance(0.1) ? { "idempotency-key": random.pick(["k1", "k2", "k3"]) } : {}
  return { ...call, headers: { ...call.headers, ...key } }
}

/** What a fault answers is told apart from what the service would. */
const fault: Make = (random, known) =>
  post("/faults", {
    match: {
      ...maybe(random, 0.5, { method: random.pick(["GET", "PATCH"]) }),
      ...maybe(random, 0.5, { path: `/api/v2/recordings/${random.pick(known.recordings)}` }),
      ...maybe(random, 0.3, { token: random.pick(known.tokens) })
    },
    respond: random.list(1, 3, () =>
      random.pick<unknown>([503, 502, 418, "reset", { status: 503, headers: { "retry-after": "5" }, body: "Busy" }])
    )
  })

const fixtures: Make = (random, known, { receivers }) => {
  const n = known.recordings.length + known.automations.length
  const url = target(random, known.sinks, receivers)
  return random.weighted<() => ReturnType<Make>>([
    [
      4,
      () =>
        post("/fixtures", {
          ...maybe(random, 0.7, { recordings: [recording(random, random.uuid(), members)] }),
          ...maybe(random, 0.3, { users: [{ email: `u${n}-${random.integer(1, 99)}@acme.test`, name: "U" }] }),
          ...maybe(random, 0.5, {
            automations: [automation(random, `a${n}-${random.integer(1, 999)}`, random.pick(known.folders), url)]
          }),
          ...maybe(random, 0.3, { audit_destinations: [destination(random, `d${n}-${random.integer(1, 999)}`, url)] }),
          ...maybe(random, 0.3, { sinks: [{ id: `s${n}-${random.integer(1, 999)}`, respond: respond(random) }] })
        })
    ],
    [1, () => post("/fixtures", { recordings: [{ title: "Without a uuid" }], folders: [{ name: "Without an id" }] })],
    [1, () => post("/fixtures", { recordings: [{ user: "no@one.test", titel: 1 }], users: [{ email: "x" }] })]
  ])()
}

const wait: Make = (random) =>
  post("/journal/wait", {
    match: random.pick([
      { kind: "attempt" },
      { kind: "request", status: 200 },
      { outcome: "success" },
      { kind: "fault" }
    ]),
    since: random.integer(0, 50),
    count: random.integer(1, 5),
    // Looks once: what is waited for is a matter of wall time.
    timeout_ms: 0
  })

const query = (random: Random, known: Known): string =>
  random.pick([
    "",
    `?state=${random.pick(["scheduled", "waiting", "delivered", "permanently_failed", "lost"])}`,
    `?automation=${random.pick(known.automations)}`,
    `?destination=${random.pick(known.destinations)}`,
    `?recording=${random.pick(known.recordings)}`
  ])

const calls: ReadonlyArray<readonly [number, Make]> = [
  [22, move],
  [
    12,
    (random, known) =>
      post(`/folders/${random.pick([...known.folders, ...known.folders, "nope"])}/recordings`, {
        recording: random.weighted([
          [15, random.pick(known.recordings)],
          [1, "nope"]
        ])
      })
  ],
  [2, () => ({ path: "" })],
  [3, () => ({ path: "/clock" })],
  [3, (random, known) => ({ path: `/deliveries${query(random, known)}` })],
  [2, (random, known) => ({ path: `/sinks/${random.pick([...known.sinks, "nope"])}` })],
  [4, (random, known) => put(`/sinks/${random.pick(known.sinks)}`, { respond: respond(random) })],
  [
    1,
    (random) => post("/sinks", { ...maybe(random, 0.5, { id: `n${random.integer(1, 9)}` }), respond: respond(random) })
  ],
  [
    3,
    (random) => ({
      path: `/journal${random.pick(["", `?since=${random.integer(0, 60)}`, "?kind=attempt", "?kind=clock&since=3", "?kind=x"])}`
    })
  ],
  [2, wait],
  [2, fault],
  [
    1,
    (random, known) => ({
      method: "DELETE",
      path: random.pick(["/faults", ...known.faults.map((each) => `/faults/${each}`)])
    })
  ],
  [3, fixtures],
  [1, (random) => post("/sessions", { user: random.pick(["ada@acme.test", "bob@acme.test", "no@one.test"]) })],
  [
    1,
    (random) => ({ method: random.pick(["POST", "DELETE", "GET"]), path: random.pick(["/nope", "/clock", "/reset/x"]) })
  ],
  [1, () => ({ method: "POST", path: "/clock/advance", headers: { "content-type": "text/plain" }, body: '{"by":0}' })],
  [1, () => ({ path: "/clock", headers: { origin: "https://evil.test" } })],
  [1, () => ({ path: "/openapi.json" })]
]

export const controlCall = (random: Random, known: Known, options: ControlOptions): Operation => {
  const { headers = {}, method = "GET", path, ...rest } = random.weighted(calls)(random, known, options)
  return {
    method,
    path: `${known.prefix}/_emulator${path}`,
    headers: { "user-agent": "sequence", ...headers },
    ...rest
  }
}
