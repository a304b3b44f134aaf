import type { Operation, Played, Start } from "../Player.ts"
import { Random } from "../Random.ts"
import { apiCall, sending } from "./apiCalls.ts"
import { controlCall } from "./controlCalls.ts"
import { jsonOf, Known } from "./Known.ts"
import { type SettingsApi, settingsCall } from "./settingsCalls.ts"
import { startDocument } from "./startDocument.ts"

export interface SequenceOptions {
  /** The address of the test's own receivers. */
  readonly receivers: string
  /** Random calls to the settings API, by its own document; without it there are none. */
  readonly settings?: SettingsApi
}

interface Taken {
  readonly text: string
  readonly known: Known
}

/**
 * A random sequence of calls, from its seed. Each call is chosen by what the ones before it were answered; so the
 * sequence is generated on one emulator, and then played on others as it is.
 */
export class Sequence {
  readonly start: Start
  private readonly random: Random
  private readonly options: SequenceOptions
  private readonly worlds: Map<string, Known>
  private readonly snapshots: Array<Taken> = []

  constructor(seed: number, options: SequenceOptions) {
    this.random = new Random(seed)
    this.options = options
    const now = this.random.pick(["2026-01-01T00:00:00.000Z", "2027-03-28T01:59:59.999Z"])
    this.start = { seed: this.random.integer(0, 1_000), now, fixtures: startDocument(this.random, options.receivers) }
    this.worlds = new Map([["default", new Known("", now)]])
  }

  next(): Operation {
    const { random } = this
    const known = random.pick([...this.worlds.values()])
    return random.weighted<() => Operation>([
      [40, () => apiCall(random, known)],
      [50, () => controlCall(random, known, this.options)],
      [this.options.settings === undefined ? 0 : 15, () => settingsCall(random, known, this.options.settings)],
      [4, () => this.worldCall(known)]
    ])()
  }

  /** Calls that make, copy and take away worlds. */
  private worldCall(known: Known): Operation {
    const { random } = this
    const headers = { "user-agent": "sequence" }
    const call = (method: string, path: string, json?: unknown): Operation => ({
      method,
      path,
      headers: json === undefined ? headers : { ...headers, ...sending(json).headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) })
    })
    const named = random.chance(0.5) ? { id: `x${random.integer(1, 9)}` } : {}
    return random.weighted<() => Operation>([
      [2, () => call("POST", `${known.prefix}/_emulator/reset`)],
      [4, () => call("POST", `${known.prefix}/_emulator/fork`, named)],
      [4, () => call("GET", `${known.prefix}/_emulator/snapshot`)],
      [
        this.snapshots.length === 0 ? 0 : 4,
        () => ({
          ...call("PUT", `${known.prefix}/_emulator/snapshot`, {}),
          body: Buffer.from(random.pick(this.snapshots).text, "latin1").toString("utf8")
        })
      ],
      [1, () => call("PUT", `${known.prefix}/_emulator/snapshot`, { format: 0 })],
      [this.worlds.size < 4 ? 0 : 4, () => call("DELETE", `${known.prefix}/_emulator`)],
      [
        this.worlds.size > 4 ? 0 : 2,
        () =>
          call("POST", "/_emulator/worlds", {
            ...named,
            seed: random.integer(0, 99),
            fixtures: startDocument(random, this.options.receivers)
          })
      ],
      [1, () => call("GET", "/worlds/nowhere/_emulator")]
    ])()
  }

  /** Takes note of what there is now. */
  learn(operation: Operation, played: Played): void {
    const [, id = "default", rest = ""] = /^(?:\/worlds\/([^/]+))?(\/.*)$/.exec(operation.path) ?? []
    const known = this.worlds.get(id)
    if (known === undefined || played.status >= 300) return
    const call = `${operation.method} ${rest.split("?")[0]}`
    const body = jsonOf(played)
    if (typeof body.now === "string") known.now = body.now
    switch (call) {
      case "POST /_emulator/worlds":
        return void this.worlds.set(String(body.world), new Known(`/worlds/${body.world}`, String(body.now)))
      case "POST /_emulator/fork":
        return void this.worlds.set(String(body.world), new Known(`/worlds/${body.world}`, known.now, known))
      case "DELETE /_emulator":
        return void this.worlds.delete(id)
      case "GET /_emulator/snapshot":
        return void this.snapshots.push({ text: played.text, known: new Known(known.prefix, known.now, known) })
      case "POST /_emulator/fixtures":
        for (const [key, list] of [
          ["recordings", known.recordings],
          ["folders", known.folders],
          ["sinks", known.sinks],
          ["automations", known.automations],
          ["audit_destinations", known.destinations]
        ] as const) {
          const made = (body[key] ?? []) as ReadonlyArray<{ readonly id?: string; readonly uuid?: string }>
          for (const each of made) list.push(String(each.uuid ?? each.id))
        }
        for (const user of (body.users ?? []) as ReadonlyArray<{ readonly token: string }>)
          known.tokens.push(user.token)
        return
      case "POST /_emulator/sinks":
        return void known.sinks.push(String(body.id))
      case "POST /_emulator/faults":
        return void known.faults.push(String(body.id))
      case "POST /_emulator/sessions":
        return void known.sessions.push(String(body.token))
    }
    const [, collection] = /^POST \/api\/settings\/([a-z-]+)$/.exec(call) ?? []
    if (collection !== undefined) known.idsOf(collection).push(String(body.uuid ?? body.id))
    if (typeof body.redelivery_of === "string") known.deliveries.push(String(body.id))
    if (Array.isArray(body.deliveries)) {
      for (const each of body.deliveries as ReadonlyArray<string | { readonly id: string }>) {
        known.deliveries.push(typeof each === "string" ? each : each.id)
      }
    }
  }

  /** What is asked at the end, of each world that is left: all that it can show. */
  last(): ReadonlyArray<Operation> {
    const headers = { "user-agent": "sequence", authorization: "Bearer token-of-ada" }
    return [...this.worlds.values()].flatMap(({ prefix, sinks }) =>
      [
        "/_emulator",
        "/_emulator/clock",
        "/_emulator/deliveries",
        "/_emulator/journal",
        ...[...new Set(sinks)].map((id) => `/_emulator/sinks/${id}`),
        "/api/v2/recordings",
        "/api/v2/users",
        "/_emulator/snapshot"
      ].map((path) => ({ method: "GET", path: prefix + path, headers }))
    )
  }
}
