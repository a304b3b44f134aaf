import { uuid } from "../../support/acme.ts"
import type { Random } from "../Random.ts"

/** Start documents of a sequence. What the sequence refers to later has a name of its own; the rest comes from the seed. */

export type Document = Readonly<Record<string, unknown>>

export const tokens = ["token-of-ada", "token-of-bob", "token-of-cyd", "token-of-eve"] as const

export const maybe = (random: Random, probability: number, fields: Document): Document =>
  random.chance(probability) ? fields : {}

/** One answer of a sink. */
const outcome = (random: Random): unknown =>
  random.weighted<unknown>([
    [6, 200],
    [6, 500],
    [2, random.integer(200, 599)],
    [5, "timeout"],
    [1, "reset"],
    [1, "refused"],
    [1, "dns"],
    [1, "tls"],
    [
      4,
      {
        status: random.pick([200, 201, 302, 404, 503]),
        ...maybe(random, 0.5, { body: random.text() }),
        ...maybe(random, 0.3, { headers: { "x-why": "because" } }),
        ...maybe(random, 0.6, { after: random.pick([0, 1, 2_500, "PT10S", "PT29.999S", "PT31S", "PT2M"]) })
      }
    ]
  ])

export const respond = (random: Random) => random.list(1, 4, () => outcome(random))

/** Where deliveries go: sinks, the receivers of this test, and addresses that the emulator does not call. */
export const target = (random: Random, sinks: ReadonlyArray<string>, receivers: string): string =>
  random.weighted([
    [8, `sink:${random.pick(sinks)}`],
    [1, `${receivers}/${random.pick(["200", "500", "reset"])}`],
    [1, "https://blocked.example/hook"]
  ])

const segments = (random: Random) =>
  random.list(0, 3, (n) => ({ start_seconds: n * 4, end_seconds: random.pick([null, n * 4 + 4]), text: random.text() }))

/** Steps by time, which may end in steps by reads; every transition is one that R15 allows. */
const script = (random: Random): ReadonlyArray<unknown> => {
  let status = random.pick(["processing", "ready", "unavailable"])
  let at = random.pick([0, 0, 1_000, 30_000])
  let reads = 0
  const steps: Array<unknown> = []
  for (let left = random.integer(1, 4); left > 0; left -= 1) {
    if (reads > 0 || random.chance(0.3)) {
      reads += random.integer(1, 3)
      steps.push({ reads, status })
    } else {
      steps.push({ at, status })
      at += random.pick([1, 60_000, 3_600_000])
    }
    status = status === "processing" ? random.pick(["ready", "unavailable"]) : "processing"
  }
  return steps
}

const transcript = (random: Random): unknown => ({
  ...maybe(random, 0.6, { script: script(random) }),
  ...maybe(random, 0.5, { segments: segments(random), language: "en" }),
  ...maybe(random, 0.3, { edited: segments(random) }),
  ...maybe(random, 0.2, { legacy: random.text() })
})

export const recording = (random: Random, id: string, users: ReadonlyArray<string>): Document => ({
  uuid: id,
  user: random.pick(users),
  ...maybe(random, 0.7, { title: random.text() }),
  ...maybe(random, 0.3, { summary: random.text(), description: random.text() }),
  ...maybe(random, 0.5, { duration: random.integer(0, 5_000) }),
  ...maybe(random, 0.4, { created_at: `2025-0${random.integer(1, 9)}-01T00:00:00.000Z` }),
  ...maybe(random, 0.4, { helpdesk: { platform: random.pick(["zendesk", "jira", "intercom"]), ticket_id: "4711" } }),
  ...maybe(random, 0.5, {
    video: { [random.pick(["original", "processed", "edited"])]: { size: random.integer(1, 5_000) } }
  }),
  ...maybe(random, 0.6, { transcript: transcript(random) })
})

export const automation = (random: Random, id: string, folder: string, url: string): Document => ({
  id,
  folder,
  url,
  ...maybe(random, 0.5, { secret: random.pick(["k", "sécret ☕", "whsec_dHdlbnR5LWZvdXIgYnl0ZXMgb2Yga2V5"]) }),
  ...maybe(random, 0.3, { method: random.pick(["PUT", "PATCH", "DELETE"]) }),
  ...maybe(random, 0.2, { enabled: random.chance(0.5) }),
  ...maybe(random, 0.2, { headers: { "X-Api-Key": "k" } }),
  ...maybe(random, 0.2, { payload: '{"t":"{{recording.title}}","d":{{recording.duration}}}' })
})

export const destination = (random: Random, id: string, url: string): Document => ({
  id,
  name: id,
  url,
  ...maybe(random, 0.5, { secret: "s", signature: random.pick(["hex", "sha256=hex", "base64"]) }),
  ...maybe(random, 0.6, { max_retries: random.integer(0, 10) }),
  ...maybe(random, 0.7, { timeout_seconds: random.pick([1, 60, 300]) }),
  ...maybe(random, 0.2, { enabled: random.chance(0.5) }),
  ...maybe(random, 0.4, {
    filters: {
      ...maybe(random, 0.5, { severities: random.pick([[], ["low"], ["medium"], ["low", "high"]]) }),
      ...maybe(random, 0.5, { event_types: random.pick([[], ["access.denied"], ["recording.updated"]]) }),
      ...maybe(random, 0.3, { categories: random.pick([["data_changes"], ["authorization", "data_access"]]) })
    }
  })
})

export const members = ["ada@acme.test", "bob@acme.test", "cyd@acme.test"] as const
const folders = ["f1", "f2", "f3"] as const

/** No mails: the model of deliveries does not know them. */
const silent = {
  notifications: {
    notify_first_view: "Disabled",
    notify_all_recordings: "Disabled",
    notify_own_recordings: "Disabled"
  },
  notify_failed_deliveries: "Disabled"
}

/** A whole document: a few of everything. `receivers` is the address of the test's own receivers. */
export const startDocument = (random: Random, receivers: string): Document => {
  const sinks = ["s1", "s2", "s3"]
  return {
    accounts: [
      { id: 1, name: "Acme", api_access: true },
      { id: 2, name: "Closed", api_access: false }
    ],
    users: [
      { id: 11, email: "ada@acme.test", name: "Ada", role: "admin", token: "token-of-ada", account: 1, ...silent },
      { id: 12, email: "bob@acme.test", name: "Bob", role: "member", token: "token-of-bob", account: 1, ...silent },
      { id: 13, email: "cyd@acme.test", name: "Cyd", role: "member", token: "token-of-cyd", account: 1, ...silent },
      { id: 21, email: "eve@closed.test", name: "Eve", role: "admin", token: "token-of-eve", account: 2, ...silent },
      { email: "gen@acme.test", name: "Gen", account: 1, ...silent }
    ],
    recordings: random.list(3, 8, (n) => recording(random, uuid(n + 1), members)),
    folders: folders.map((id) => ({ id, name: id.toUpperCase() })),
    sinks: sinks.map((id) => ({ id, respond: respond(random) })),
    automations: random.list(1, 5, (n) =>
      automation(random, `a${n + 1}`, random.pick(folders), target(random, sinks, receivers))
    ),
    audit_destinations: random.list(0, 3, (n) => destination(random, `d${n + 1}`, target(random, sinks, receivers))),
    config: {
      page_size: random.integer(1, 10),
      ...maybe(random, 0.2, { rate_limit: { requests: random.integer(20, 60), per_ms: 3_600_000 } }),
      ...maybe(random, 0.2, { journal_size: random.integer(5, 60) }),
      ...maybe(random, 0.2, { standard_webhooks: false }),
      ...maybe(random, 0.2, { vendor: "Acme" })
    }
  }
}
