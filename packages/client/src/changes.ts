import { TapedeckError } from "./errors.ts"
import type { EventsResource } from "./generated/settings.gen.ts"
import type { RecordingChanges } from "./generated/settings.types.gen.ts"
import type { RequestOptions } from "./options.ts"
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

/**
 * `ready`: connected, again and again. `reset`: changes were missed; read anew. `missed`, with `since` only: changes of transcripts,
 * deliveries and attempts were missed; those of recordings follow.
 */
export interface StreamState {
  readonly type: "ready" | "reset" | "missed"
}

/** All changes of recordings up to `next_since` were returned. With `since`: after each connection, and at least once an hour. */
export interface Synced {
  readonly type: "synced"
  readonly next_since: string
}

export type Change = RecordingChange | DeliveryChange | AttemptChange | StreamState | Synced

export interface ChangesOptions {
  /**
   * `next_since` of the last `synced`, or an empty text: changes of recordings that were committed since are returned first, and after
   * each interruption. `reset` then means that the list starts again: recordings that are not returned before the next `synced` are
   * deleted.
   */
  readonly since?: string | undefined
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

/** Time after which a connected reader lists changes again: `next_since` is valid for 30 days only. */
const syncIntervalMs = 3_600_000

const changeTypes = new Set(["recording", "transcript", "delivery", "attempt", "ready", "reset"])

/** Iterates the pages of changes of recordings up to the present. */
export async function* recordingChangesOf(
  transport: Transport,
  since: string,
  options?: RequestOptions
): AsyncGenerator<RecordingChanges, void, undefined> {
  for (let [next, hasMore] = [since, true]; hasMore; ) {
    const call = { method: "GET", path: "/api/settings/recordings", query: { updated_since: next } }
    const { data } = await transport.json<RecordingChanges>(call, options)
    next = data.pagination.next_since
    hasMore = data.pagination.has_more
    yield data
  }
}

/** Iterates the changes. Reconnects by itself, and continues after the last change that it received. */
export async function* changesOf(
  transport: Transport,
  events: EventsResource,
  { onOffline, signal, since }: ChangesOptions = {}
): AsyncGenerator<Change, void, undefined> {
  const ending = signal ?? new AbortController().signal
  let lastId: string | undefined
  let place = since
  let syncedAtMs = 0
  for (let tries = 1; !ending.aborted; tries += 1) {
    let failure = new TapedeckError("The stream of changes ended")
    try {
      const headers = lastId === undefined ? {} : { "last-event-id": lastId }
      const { body } = await events.stream({ headers, signal: ending, maxRetries: 0 })
      for await (const { data, id, type } of eventsIn(body)) {
        tries = 0
        lastId = id ?? lastId
        if (type === "closed") break
        const isConnected = type === "ready" || type === "reset"
        if (type === "reset" && place !== undefined) yield { type: "missed" }
        else if (changeTypes.has(type)) yield { ...JSON.parse(data), type } as Change
        if (place === undefined) continue
        // The stream has a heartbeat, so an idle one also gets here.
        if (!isConnected && transport.nowMs - syncedAtMs < syncIntervalMs) continue
        // Changes that are committed by now. Later ones wait in the stream.
        for await (const { pagination, records } of recordingChangesOf(transport, place, { signal: ending })) {
          for (const one of records) {
            if ("deleted" in one) yield { type: "recording", uuid: one.uuid, removed: true }
            else yield { type: "recording", uuid: one.uuid, folder_id: one.folder_id, removed: false }
          }
          place = pagination.next_since
        }
        syncedAtMs = transport.nowMs
        yield { type: "synced", next_since: place }
      }
    } catch (error) {
      if (ending.aborted) return
      const { status } = error instanceof TapedeckError ? error : { status: undefined }
      if (status === 410 && place) {
        place = ""
        yield { type: "reset" }
        continue
      }
      if (status !== undefined && !isRetryableStatus(status)) throw error
      onOffline?.(error)
      failure = error instanceof TapedeckError ? error : new TapedeckError("The stream of changes was interrupted")
    }
    // Also after an orderly end: a proxy may end each stream at once.
    if (!ending.aborted) await transport.waitBeforeRetry(Math.min(Math.max(tries, 1), 5), failure, ending)
  }
}
