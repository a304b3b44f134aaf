import { AppendLog } from "../AppendLog.ts"

/** A body in the journal, as text. */
export interface JournaledBody {
  readonly body: string
  /** Whether `body` is only the beginning. */
  readonly truncated: boolean
}

interface Bytes {
  readonly _tag: "Uint8Array"
  readonly body: Uint8Array
  readonly contentLength: number
}

/** A body of Effect's, in words of its own: the package's types name none of Effect's. */
type ResponseBody = Bytes | { readonly _tag: "Empty" | "FormData" | "Raw" | "Stream" }

/** The body of a request, and its response. */
export interface NotedBodies {
  readonly body: Uint8Array | null
  readonly response: { readonly body: ResponseBody }
}

/** Maximum size of a body in the journal; the rest of a larger one is cut off. */
const maxBodyBytes = 64 * 1024

/** Maximum size of a response's body that is kept as it is, and cut when it is read: a list is joined of its records only then. */
const maxWholeBytes = 256 * 1024

/** Maximum size of a world's bodies together. Beyond it the oldest are dropped, and as much again before memory is freed. */
const maxBytes = 4 * 1024 * 1024

/** What a request without bodies counts. */
const entryBytes = 256

interface Part {
  readonly content: Uint8Array | Bytes
  readonly truncated: boolean
}

interface Bodies {
  readonly seq: number
  readonly request: Part | null
  readonly response: Part | null
  readonly sizeBytes: number
}

const partOf = (bytes: Uint8Array): Part =>
  bytes.length <= maxBodyBytes
    ? { content: bytes, truncated: false }
    : { content: bytes.slice(0, maxBodyBytes), truncated: true }

/** A body of a response. It is decoded when it is read; null for a stream. */
const partOfBody = (body: ResponseBody): Part | null => {
  if (body._tag === "Empty") return partOf(new Uint8Array())
  if (body._tag !== "Uint8Array") return null
  return body.contentLength <= maxWholeBytes
    ? { content: body, truncated: body.contentLength > maxBodyBytes }
    : partOf(body.body)
}

const bytesOf = ({ content }: Part): Uint8Array =>
  (content instanceof Uint8Array ? content : content.body).subarray(0, maxBodyBytes)

const sizeOf = (part: Part | null): number =>
  part === null ? 0 : part.content instanceof Uint8Array ? part.content.length : part.content.contentLength

/** Null for a body that is not text. */
const textOf = (part: Part | null): JournaledBody | null => {
  if (part === null) return null
  try {
    // The end of a body may be cut inside a character.
    const body = new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(part), { stream: part.truncated })
    return { body, truncated: part.truncated }
  } catch {
    return null
  }
}

interface Sizes {
  /** The number of dropped requests at the start of the log, which are removed together. */
  readonly dropped: number
  readonly droppedBytes: number
  readonly keptBytes: number
}

/** The bodies of the latest requests of a world as an immutable value, up to a size. They are no part of a snapshot. */
export class RecentBodies {
  static readonly none = new RecentBodies(AppendLog.empty(), { dropped: 0, droppedBytes: 0, keptBytes: 0 })

  private readonly log: AppendLog<Bodies>
  private readonly sizes: Sizes

  private constructor(log: AppendLog<Bodies>, sizes: Sizes) {
    this.log = log
    this.sizes = sizes
  }

  /** Adds the bodies of a request, whose journal entry has the number `seq`. */
  add(seq: number, { body, response }: NotedBodies): RecentBodies {
    const [request, answer] = [body === null ? null : partOf(body), partOfBody(response.body)]
    const added = { seq, request, response: answer, sizeBytes: entryBytes + sizeOf(request) + sizeOf(answer) }
    const log = this.log.push(added)
    let { dropped, droppedBytes, keptBytes } = this.sizes
    for (keptBytes += added.sizeBytes; keptBytes > maxBytes; dropped++) {
      const oldestBytes = log.at(dropped)?.sizeBytes ?? 0
      keptBytes -= oldestBytes
      droppedBytes += oldestBytes
    }
    return droppedBytes <= maxBytes
      ? new RecentBodies(log, { dropped, droppedBytes, keptBytes })
      : new RecentBodies(AppendLog.of(log.from(dropped)), { dropped: 0, droppedBytes: 0, keptBytes })
  }

  /** The bodies of the requests after `since`, by the number of their journal entry. */
  after(
    since: number
  ): ReadonlyMap<number, { readonly request: JournaledBody | null; readonly response: JournaledBody | null }> {
    const kept = this.log.from(this.sizes.dropped).filter(({ seq }) => seq > since)
    return new Map(
      kept.map(({ request, response, seq }) => [seq, { request: textOf(request), response: textOf(response) }])
    )
  }
}
