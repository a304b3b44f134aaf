import { TapedeckError } from "./errors.ts"
import type { EventsResource } from "./generated/settings.gen.ts"
import { isRetryableStatus } from "./retries.ts"
import type { Transport } from "./Transport.ts"

/** A recording, or its transcript, changed; `uuid` is null where many of a folder did. */
export interface RecordingChange {
  readonly type: "recording" | "transcript"
  readonly uuid: string | null
  readonly folder_id?: string | null
  readonly removed?: boolean
}

/** A delivery changed; `id` is null where many of a receiver did. For admins. */
export interface DeliveryChange {
  readonly type: "delivery"
  readonly id: string | null
  readonly automation_id: string | null
  readonly audit_destination_id: string | null
  readonly recording_uuid: string | null
  readonly state: string | null
}

/** An attempt of a delivery ended. For admins. */
export interface AttemptChange {
  readonly type: "attempt"
  readonly delivery_id: string
  readonly automation_id: string | null
  readonly audit_destination_id: string | null
  readonly attempt: number
  readonly outcome: string
  readonly status_code: number | null
}

/** `ready`: connected, again and again. `reset`: changes were missed; read anew. */
export interface StreamState {
  readonly type: "ready" | "reset"
}

export type Change = RecordingChange | DeliveryChange | AttemptChange | StreamState

export interface ChangesOptions {
  readonly signal?: AbortSignal | undefined
  /** Called when the connection is lost, with what it was lost by, before it is tried again. */
  readonly onOffline?: ((error: unknown) => void) | undefined
}

interface ServerEvent {
  readonly id: string | undefined
  readonly type: string
  readonly data: string
}

/** The events in a body of server-sent events. A line may come in pieces. */
async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ""
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      text += decoder.decode(value, { stream: true })
      for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
        yield eventOf(text.slice(0, end))
        text = text.slice(end + 2)
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

const eventOf = (block: string): ServerEvent => {
  const fields = new Map<string, string>()
  for (const line of block.split("\n")) {
    const at = line.indexOf(":")
    if (at > 0) fields.set(line.slice(0, at), line.slice(at + 1).trimStart())
  }
  return { id: fields.get("id"), type: fields.get("event") ?? "", data: fields.get("data") ?? "" }
}

const changeTypes = new Set(["recording", "transcript", "delivery", "attempt", "ready", "reset"])

/** Iterates the changes. Reconnects by itself, and continues after the last change that it received. */
export async function* changesOf(
  transport: Transport,
  events: EventsResource,
  { onOffline, signal }: ChangesOptions = {}
): AsyncGenerator<Change, void, undefined> {
  const ending = signal ?? new AbortController().signal
  let lastId: string | undefined
  for (let tries = 1; !ending.aborted; tries += 1) {
    let failure = new TapedeckError("The stream of changes ended")
    try {
      const headers = lastId === undefined ? {} : { "last-event-id": lastId }
      const { body } = await events.stream({ headers, signal: ending, maxRetries: 0 })
      for await (const { data, id, type } of eventsIn(body)) {
        tries = 0
        lastId = id ?? lastId
        if (changeTypes.has(type)) yield { ...JSON.parse(data), type } as Change
        if (type === "closed") break
      }
    } catch (error) {
      if (ending.aborted) return
      const { status } = error instanceof TapedeckError ? error : { status: undefined }
      if (status !== undefined && !isRetryableStatus(status)) throw error
      onOffline?.(error)
      failure = error instanceof TapedeckError ? error : new TapedeckError("The stream of changes was interrupted")
    }
    // Also after an orderly end: a proxy may end each stream at once.
    if (!ending.aborted) await transport.waitBeforeRetry(Math.min(Math.max(tries, 1), 5), failure, ending)
  }
}
