import type { Document } from "../generate/startDocument.ts"
import { automationRetries, automationTimeoutMs, durationMs } from "./tables.ts"

/** What the model keeps of a world: plain data, so that a fork is a copy. Instants are milliseconds. */
export interface State {
  now: number
  readonly recordings: Record<string, Recording>
  readonly sinks: Record<string, Sink>
  readonly sources: Array<Source>
  readonly deliveries: Array<Delivery>
  /** What will happen, in the order in which it was put down. */
  agenda: Array<Due>
  /** How many entries the agenda ever had. */
  order: number
  /** Idempotency keys of moves that were made. */
  readonly keys: Array<string>
  /** When an entry of a denial was last made, by caller and operation (A8). */
  readonly denied: Record<string, number>
}

export interface Recording {
  folder: string | null
  readonly texts: Record<string, unknown>
}

interface Sink {
  respond: ReadonlyArray<unknown>
  used: number
  /** How many requests it saw. */
  seen: number
}

/** What deliveries come from: a folder automation, or an audit destination. */
export interface Source {
  readonly kind: "automation" | "audit"
  readonly id: string
  readonly url: string
  readonly enabled: boolean
  readonly folder: string | null
  readonly filters: Readonly<Record<string, ReadonlyArray<string>>>
  readonly timeoutMs: number
  readonly retries: number
}

export interface Attempt {
  readonly attempt: number
  readonly at: number
  readonly elapsed_ms: number
  readonly duration_ms: number
  readonly outcome: string
  readonly status_code: number | null
}

export interface Delivery {
  /** Null until the emulator has told it. */
  id: string | null
  readonly source: Source
  readonly recording: string | null
  state: string
  retry: number | null
  due: number | null
  /** The attempt in flight, with its outcome to come. */
  inFlight: Attempt | null
  readonly attempts: Array<Attempt>
}

export type Due = { readonly at: number; readonly order: number } & (
  | { readonly kind: "attempt" | "attempt_end"; readonly delivery: number }
  | { readonly kind: "transcript"; readonly id: string; readonly status: string }
)

type WithoutOrder<T> = T extends unknown ? Omit<T, "order"> : never

export const schedule = (state: State, due: WithoutOrder<Due>): void => {
  state.agenda.push({ ...due, order: state.order++ } as Due)
}

export const emptyState = (now: number): State => ({
  now,
  recordings: {},
  sinks: {},
  sources: [],
  deliveries: [],
  agenda: [],
  order: 0,
  keys: [],
  denied: {}
})

const list = (value: unknown) => (value ?? []) as ReadonlyArray<Document>

/** Puts in place what a document describes; `made` is what the emulator says of it, for the ids that it gave. */
export const load = (state: State, document: Document, made: Document = document): void => {
  const madeOf = (key: string, index: number) => list(made[key])[index] ?? {}
  for (const [index, sink] of list(document.sinks).entries()) {
    const id = String(madeOf("sinks", index).id)
    state.sinks[id] = { respond: sink.respond as ReadonlyArray<unknown>, used: 0, seen: 0 }
  }
  for (const [index, recording] of list(document.recordings).entries()) {
    loadRecording(state, recording, String(madeOf("recordings", index).uuid).toLowerCase())
  }
  for (const [index, automation] of list(document.automations).entries()) {
    state.sources.push({
      kind: "automation",
      id: String(madeOf("automations", index).id),
      url: String(automation.url),
      enabled: automation.enabled !== false,
      folder: String(automation.folder),
      filters: {},
      timeoutMs: automationTimeoutMs,
      retries: automationRetries
    })
  }
  for (const [index, destination] of list(document.audit_destinations).entries()) {
    state.sources.push({
      kind: "audit",
      id: String(madeOf("audit_destinations", index).id),
      url: String(destination.url),
      enabled: destination.enabled !== false,
      folder: null,
      filters: (destination.filters ?? {}) as Source["filters"],
      timeoutMs: Number(destination.timeout_seconds ?? 30) * 1_000,
      retries: Number(destination.max_retries ?? 6)
    })
  }
}

const loadRecording = (state: State, recording: Document, id: string) => {
  const { title = null, summary = null, description = null, folder = null } = recording
  state.recordings[id] = { folder: folder as string | null, texts: { title, summary, description } }
  const { script } = (recording.transcript ?? {}) as Document
  for (const step of list(script)) {
    // A step at once is no event, and a step by reads is none of the clock's.
    if (step.at === undefined || durationMs(step.at) === 0) continue
    schedule(state, { at: state.now + durationMs(step.at), kind: "transcript", id, status: String(step.status) })
  }
}
