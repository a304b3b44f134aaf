import type { HeaderList, Instant } from "@tapedeck/domain"
import type { HelpdeskKind, Outcome } from "@tapedeck/fixtures"
import { AppendLog } from "../world/AppendLog.ts"

/** The address of sinks. It does not exist outside the emulator, and each world resolves it for itself. */
const origin = "https://sinks.tapedeck.test"

export const sinkUrl = (id: string): string => `${origin}/${encodeURIComponent(id)}`

/** A request to a sink. */
export interface SinkRequest {
  readonly at: Instant
  readonly method: string
  readonly path: string
  readonly headers: HeaderList
  readonly body: string
  readonly outcome: Outcome
}

/** A receiver inside the emulator. It answers with the given outcomes; the last one repeats. */
export interface Sink {
  readonly id: string
  /** Helpdesk that the sink imitates. */
  readonly kind?: HelpdeskKind
  readonly respond: ReadonlyArray<Outcome>
  /** The number of outcomes used since `respond` was last set. */
  readonly used: number
  readonly requests: AppendLog<SinkRequest>
}

export const makeSink = ({ id, kind, respond }: Pick<Sink, "id" | "kind" | "respond">): Sink => ({
  id,
  ...(kind !== undefined && { kind }),
  respond,
  used: 0,
  requests: AppendLog.empty()
})

export const nextOutcome = (sink: Sink): Outcome => sink.respond[Math.min(sink.used, sink.respond.length - 1)] ?? 200

interface SinkAddress {
  readonly id: string
  readonly path: string
}

/** The last parsed URL, cached because an attempt reads it twice. */
let last: { readonly url: string; readonly address: SinkAddress | null } = { url: "", address: null }

/** The id of a sink's URL and the path; null if the URL is no sink's. */
export const sinkAt = (url: string): SinkAddress | null => {
  if (url !== last.url) last = { url, address: addressIn(url) }
  return last.address
}

const addressIn = (url: string): SinkAddress | null => {
  if (!url.startsWith(`${origin}/`)) return null
  const { pathname, search } = new URL(url)
  const segment = pathname.split("/")[1] ?? ""
  return { id: decodeURIComponent(segment), path: pathname + search }
}
