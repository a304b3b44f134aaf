import { jsonOf } from "../generate/Known.ts"
import type { Document } from "../generate/startDocument.ts"
import type { Operation, Played, Player, Start } from "../Player.ts"
import { addToFolder, audit, type Fired, type Goal, move, pending } from "./deliver.ts"
import { type Attempt, type Delivery, emptyState, load, type State } from "./State.ts"
import { type AuditEvent, durationMs } from "./tables.ts"

/** What the emulator and the model do not agree on. */
class Disagreement extends Error {
  constructor(what: string, model: unknown, emulator: unknown) {
    super(`${what}\nthe model:    ${JSON.stringify(model)}\nthe emulator: ${JSON.stringify(emulator)}`)
  }
}

const agree = (what: string, model: unknown, emulator: unknown) => {
  if (JSON.stringify(model) !== JSON.stringify(emulator)) throw new Disagreement(what, model, emulator)
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

interface World {
  state: State
  start: State
}

const copy = (state: State): State => structuredClone(state)

/**
 * A small model of the deliveries, from the specification's tables: what each call of a sequence does to them, in every
 * world. After each call it is held against the emulator: states, due instants, attempts, and what is pending.
 */
export class Model {
  private readonly worlds = new Map<string, World>()
  private readonly snapshots = new Map<string, World>()

  constructor({ now, fixtures }: Start) {
    this.worlds.set("default", this.worldOf(now, fixtures))
  }

  private worldOf(now: string, fixtures: Document): World {
    const state = emptyState(Date.parse(now))
    load(state, fixtures)
    return { state, start: copy(state) }
  }

  /** Takes in a call and what was answered; then asks the emulator how things stand, if something may have changed. */
  async observe(operation: Operation, played: Played, player: Player): Promise<void> {
    const [, id = "default", target = "/"] = /^(?:\/worlds\/([^/]+))?(\/.*)$/.exec(operation.path) ?? []
    const world = this.worlds.get(id)
    if (world === undefined) return
    const [path = ""] = target.split("?")
    const changed = path.startsWith("/_emulator")
      ? this.control(id, world, `${operation.method} ${path.slice("/_emulator".length)}`, operation, played)
      : this.api(world.state, path, operation, played)
    if (changed && this.worlds.has(id)) await this.compare(id, player)
  }

  /** What a call to the API leaves for the audit log (A4). */
  private api(state: State, path: string, operation: Operation, played: Played): boolean {
    const event = this.eventOf(state, path, operation, played)
    if (event !== null) audit(state, event)
    return event !== null
  }

  private eventOf(state: State, path: string, operation: Operation, played: Played): AuditEvent | null {
    const { authorization = "" } = operation.headers
    if (played.status === 403) return denial(state, authorization, `${operation.method} ${path}`)
    const [, uuid = "", download] = /^\/api\/v2\/recordings\/([^/]+)(\/download)?$/.exec(path) ?? []
    if (download !== undefined) return isDownload(operation, played) ? "recording.downloaded" : null
    if (operation.method !== "PATCH" || played.status !== 200) return null
    const { recording } = JSON.parse(operation.body ?? "") as { recording: Readonly<Record<string, unknown>> }
    const texts = state.recordings[uuid.toLowerCase()]?.texts ?? {}
    const changes = Object.keys(texts).filter((key) => key in recording && recording[key] !== texts[key])
    for (const key of changes) texts[key] = recording[key]
    return changes.length === 0 ? null : "recording.updated"
  }

  private control(id: string, world: World, call: string, operation: Operation, played: Played): boolean {
    const body = jsonOf(played)
    const asked = () => JSON.parse(operation.body ?? "{}") as Document
    const [, folder] = /^POST \/folders\/([^/]+)\/recordings$/.exec(call) ?? []
    const [, sink] = /^PUT \/sinks\/([^/]+)$/.exec(call) ?? []
    if (played.status >= 300) return false
    if (folder !== undefined) {
      const ids = body.deliveries as ReadonlyArray<string>
      const uuid = String(asked().recording).toLowerCase()
      agree("how many deliveries it made", addToFolder(world.state, folder, uuid, ids), ids.length)
      return true
    }
    if (sink !== undefined) {
      Object.assign(world.state.sinks[sink] ?? {}, { respond: asked().respond, used: 0 })
      return true
    }
    switch (call) {
      case "POST /clock/advance":
        return this.advance(world.state, asked(), operation.headers["idempotency-key"], body)
      case "POST /fixtures":
        load(world.state, asked(), body)
        return true
      case "POST /sinks":
        load(world.state, { sinks: [asked()] }, { sinks: [body] })
        return true
      case "POST /reset":
        world.state = copy(world.start)
        return true
      case "POST /worlds":
        this.worlds.set(String(body.world), this.worldOf(String(body.now), asked().fixtures as Document))
        return true
      case "POST /fork":
        this.worlds.set(String(body.world), { state: { ...copy(world.state), keys: [] }, start: copy(world.start) })
        return true
      case "GET /snapshot":
        this.snapshots.set(played.text, { state: copy(world.state), start: copy(world.start) })
        return true
      case "PUT /snapshot": {
        const taken = this.snapshots.get(Buffer.from(operation.body ?? "", "utf8").toString("latin1"))
        if (taken === undefined) throw new Error("a snapshot that the model never saw was put back")
        this.worlds.set(id, { state: { ...copy(taken.state), keys: [] }, start: copy(taken.start) })
        return true
      }
      case "DELETE ":
        return this.worlds.delete(id)
    }
    return false
  }

  private advance(state: State, asked: Document, key: string | undefined, body: Document): boolean {
    if (key !== undefined) {
      if (state.keys.includes(key)) return true
      state.keys.push(key)
    }
    const goal: Goal =
      asked.by !== undefined
        ? { to: state.now + durationMs(asked.by) }
        : asked.to !== undefined
          ? { to: Date.parse(String(asked.to)) }
          : asked.next === true
            ? { next: true }
            : { until: "idle" }
    const { fired, reached } = move(state, goal, Number(asked.max_events ?? 10_000))
    const [next] = pending(state)
    // The ids of audit deliveries are learnt from the list that is looked at next; here their places count.
    const seen = (body.fired as ReadonlyArray<Document>).map(({ id: _, ...event }) => event)
    agree(
      "what fired",
      fired.map((each) => firedView(each)),
      seen
    )
    agree(
      "the rest of the move",
      { now: iso(state.now), pending_count: state.agenda.length, next: iso(next?.at ?? null), reached },
      {
        now: body.now,
        pending_count: body.pending_count,
        next: (body.next as Document | null)?.at ?? null,
        reached: body.reached
      }
    )
    agree("what stopped it", reached ? null : "max_events", body.stopped_by)
    return true
  }

  /** Holds one world against what the emulator says of it. */
  private async compare(id: string, player: Player): Promise<void> {
    const { state } = this.worlds.get(id) as World
    const control = `${id === "default" ? "" : `/worlds/${id}`}/_emulator`
    const get = async (path: string) => jsonOf(await player.play({ method: "GET", path: control + path, headers: {} }))
    const deliveries = (await get("/deliveries")).deliveries as ReadonlyArray<Document>
    agree("how many deliveries there are", state.deliveries.length, deliveries.length)
    for (const [index, actual] of deliveries.entries()) {
      const delivery = state.deliveries[index] as Delivery
      delivery.id ??= String(actual.id)
      agree(`delivery ${index}`, deliveryView(delivery), seenDelivery(actual))
    }
    const clock = await get("/clock")
    agree("now", iso(state.now), clock.now)
    agree("what is pending", pendingView(state), (clock.pending as ReadonlyArray<Document>).map(seenEvent))
    for (const [sink, { seen }] of Object.entries(state.sinks)) {
      const { requests } = await get(`/sinks/${sink}`)
      agree(`the requests at sink ${sink}`, seen, (requests as ReadonlyArray<unknown>).length)
    }
  }
}

const firedView = (fired: Fired): unknown => {
  if (fired.kind === "transcript") return { at: iso(fired.at), kind: fired.kind, status: fired.status }
  const { delivery, attempt } = fired
  const ended = delivery.attempts[attempt - 1]
  return {
    at: iso(fired.at),
    kind: "attempt",
    attempt,
    elapsed_ms: (ended ?? delivery.inFlight)?.elapsed_ms,
    outcome: ended?.outcome ?? null,
    status_code: ended?.status_code ?? null
  }
}

const attemptView = ({ at, attempt, duration_ms, elapsed_ms, outcome, status_code }: Attempt) => ({
  attempt,
  at: iso(at),
  elapsed_ms,
  duration_ms,
  outcome,
  status_code
})

const deliveryView = ({ id, source, recording, state, retry, due, attempts }: Delivery) => ({
  id,
  kind: source.kind,
  state,
  retry,
  source: source.id,
  recording,
  due: iso(due),
  attempts: attempts.map(attemptView)
})

const seenDelivery = (actual: Document) => ({
  id: actual.id,
  kind: actual.kind,
  state: actual.state,
  retry: actual.retry ?? null,
  source: actual.automation ?? actual.destination,
  recording: actual.recording ?? null,
  due: actual.next_attempt_at,
  attempts: (actual.attempts as ReadonlyArray<Document>)
    .filter(({ outcome }) => outcome !== null)
    .map(({ attempt, at, elapsed_ms, duration_ms, outcome, status_code }) => ({
      attempt,
      at,
      elapsed_ms,
      duration_ms,
      outcome,
      status_code
    }))
})

const pendingView = (state: State) =>
  pending(state).map((due) => {
    if (due.kind === "transcript") return { at: iso(due.at), kind: due.kind, id: due.id, status: due.status }
    const delivery = state.deliveries[due.delivery] as Delivery
    const attempt = delivery.attempts.length + 1
    const first = delivery.attempts[0]?.at ?? delivery.inFlight?.at ?? due.at
    return { at: iso(due.at), kind: due.kind, id: delivery.id, attempt, elapsed_ms: due.at - first }
  })

const seenEvent = ({ at, kind, id, status, attempt, elapsed_ms }: Document) =>
  kind === "transcript" ? { at, kind, id, status } : { at, kind, id, attempt, elapsed_ms }

/** A4: a GET that is answered with 200, or with 206 from byte 0. */
const isDownload = ({ method }: Operation, { headers, status }: Played): boolean =>
  method === "GET" && (status === 200 || (status === 206 && headers["content-range"]?.startsWith("bytes 0-") === true))

const hourMs = 3_600_000

/** A8: of the same caller and operation once an hour. Recordings are told apart by none. */
const denial = (state: State, authorization: string, call: string): AuditEvent | null => {
  if (authorization.endsWith("token-of-eve")) return null
  const key = `${authorization} ${call.replace(/\/recordings\/[^/]+/, "/recordings/:uuid")}`
  const last = state.denied[key]
  if (last !== undefined && state.now - last < hourMs) return null
  state.denied[key] = state.now
  return "access.denied"
}
