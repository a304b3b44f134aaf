import { type Attempt, type Delivery, type Due, type Source, type State, schedule } from "./State.ts"
import { type AuditEvent, auditEvents, delayMs, durationMs } from "./tables.ts"

/** Deliveries, as the specification's tables have them: the time and the outcome of each attempt. */

const enqueue = (state: State, source: Source, recording: string | null, id: string | null) => {
  const delivery: Delivery = {
    id,
    source,
    recording,
    state: "scheduled",
    retry: null,
    due: state.now,
    inFlight: null,
    attempts: []
  }
  schedule(state, { at: state.now, kind: "attempt", delivery: state.deliveries.push(delivery) - 1 })
}

/** W13: a recording that is there already fires nothing; else each enabled automation of the folder does. */
export const addToFolder = (state: State, folder: string, uuid: string, ids: ReadonlyArray<string>): number => {
  const recording = state.recordings[uuid]
  if (recording === undefined || recording.folder === folder) return 0
  recording.folder = folder
  const fired = state.sources.filter(
    (source) => source.kind === "automation" && source.enabled && source.folder === folder
  )
  for (const [index, source] of fired.entries()) enqueue(state, source, uuid, ids[index] ?? null)
  return fired.length
}

/** A6: within a list, any; between lists, all; an empty list lets everything through. */
export const audit = (state: State, event: AuditEvent): void => {
  const { category, severity } = auditEvents[event]
  const passes = (allowed: ReadonlyArray<string> | undefined, value: string) =>
    allowed === undefined || allowed.length === 0 || allowed.includes(value)
  for (const source of state.sources) {
    const { categories, event_types, severities } = source.filters
    if (source.kind === "audit" && source.enabled && passes(categories, category) && passes(event_types, event)) {
      if (passes(severities, severity)) enqueue(state, source, null, null)
    }
  }
}

/** What a target answers, how long that takes, and whether it is at once. */
const answer = (state: State, { url, timeoutMs }: Source): Pick<Attempt, "outcome" | "status_code" | "duration_ms"> => {
  const failed = (outcome: string, duration_ms = 0) => ({ outcome, status_code: null, duration_ms })
  const status = (code: number, duration_ms = 0) => ({
    outcome: code >= 200 && code < 300 ? "success" : "failure",
    status_code: code,
    duration_ms
  })
  if (!url.startsWith("sink:")) {
    const path = url.split("/").at(-1) ?? ""
    return url.startsWith("https:") ? failed("blocked") : path === "reset" ? failed("reset") : status(Number(path))
  }
  const sink = state.sinks[url.slice("sink:".length)]
  if (sink === undefined) throw new Error(`the model knows no ${url}`)
  const outcome = sink.respond[Math.min(sink.used, sink.respond.length - 1)]
  sink.used += 1
  if (outcome !== "refused" && outcome !== "dns" && outcome !== "tls") sink.seen += 1
  if (outcome === "timeout") return failed("timeout", timeoutMs)
  if (typeof outcome === "string") return failed(outcome)
  if (typeof outcome === "number") return status(outcome)
  const { status: code, after = 0 } = outcome as { status: number; after?: unknown }
  return durationMs(after) > timeoutMs ? failed("timeout", timeoutMs) : status(code, durationMs(after))
}

const begin = (state: State, index: number): Delivery => {
  const delivery = state.deliveries[index] as Delivery
  const { attempts, source } = delivery
  const first = attempts[0]?.at ?? state.now
  const inFlight: Attempt = {
    attempt: attempts.length + 1,
    at: state.now,
    elapsed_ms: state.now - first,
    ...answer(state, source)
  }
  Object.assign(delivery, { state: "attempting", retry: null, due: null, inFlight })
  if (inFlight.duration_ms === 0) end(state, index)
  else schedule(state, { at: state.now + inFlight.duration_ms, kind: "attempt_end", delivery: index })
  return delivery
}

const end = (state: State, index: number): Delivery => {
  const delivery = state.deliveries[index] as Delivery
  const { attempts, source, inFlight } = delivery
  if (inFlight === null) throw new Error("no attempt is in flight")
  attempts.push(inFlight)
  delivery.inFlight = null
  const retry = attempts.length
  if (inFlight.outcome === "success") delivery.state = "delivered"
  else if (retry > source.retries) delivery.state = "permanently_failed"
  else {
    // W3: its delay after the start of the attempt before it, never before that attempt ended.
    const due = Math.max(inFlight.at + delayMs(source.kind, retry), state.now)
    Object.assign(delivery, { state: "waiting", retry, due })
    schedule(state, { at: due, kind: "attempt", delivery: index })
  }
  return delivery
}

/** What is to happen, in the order in which it will. */
export const pending = (state: State): ReadonlyArray<Due> =>
  state.agenda.toSorted((left, right) => left.at - right.at || left.order - right.order)

export type Goal = { readonly to: number } | { readonly next: true } | { readonly until: "idle" }

/** An event that fired. An attempt that has not ended when the move stops has no outcome. */
export type Fired =
  | { readonly kind: "transcript"; readonly at: number; readonly id: string; readonly status: string }
  | { readonly kind: "attempt"; readonly delivery: Delivery; readonly attempt: number; readonly at: number }

export interface Moved {
  readonly fired: ReadonlyArray<Fired>
  readonly reached: boolean
}

/** Moves the time, as emulator.md has it. */
export const move = (state: State, goal: Goal, maxEvents: number): Moved => {
  const fired: Array<Fired> = []
  let limit = "to" in goal ? goal.to : Number.POSITIVE_INFINITY
  while (true) {
    const [due] = pending(state)
    if (due === undefined || due.at > limit) break
    if (due.kind !== "attempt_end" && fired.length >= maxEvents) return { fired, reached: false }
    if ("next" in goal) limit = Math.max(due.at, state.now)
    state.now = Math.max(state.now, due.at)
    state.agenda = state.agenda.filter((other) => other !== due)
    if (due.kind === "transcript") fired.push({ kind: "transcript", at: state.now, id: due.id, status: due.status })
    else if (due.kind === "attempt_end") end(state, due.delivery)
    else {
      const delivery = begin(state, due.delivery)
      fired.push({
        kind: "attempt",
        delivery,
        attempt: delivery.attempts.length + (delivery.inFlight ? 1 : 0),
        at: state.now
      })
    }
  }
  if ("to" in goal) state.now = goal.to
  return { fired, reached: true }
}
