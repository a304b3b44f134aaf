/** A body in the journal, as text. */
export interface JournaledBody {
  readonly body: string
  /** Whether `body` was cut. */
  readonly truncated: boolean
}

interface Bytes {
  readonly _tag: "Uint8Array"
  readonly body: Uint8Array
  readonly contentLength: number
  /** Returns the start of a body that is not joined yet. */
  readonly firstBytes?: (sizeBytes: number) => Uint8Array
}

/** A body of Effect, as a separate type, because the types of the package do not refer to Effect. */
type ResponseBody = Bytes | { readonly _tag: "Empty" | "FormData" | "Raw" | "Stream" }

/** The body of a request, and its response. */
export interface NotedBodies {
  readonly body: Uint8Array | null
  readonly response: { readonly body: ResponseBody }
}

/** Maximum size of a body in the journal; the rest of a larger one is cut off. */
const maxBodyBytes = 64 * 1024

/** Maximum size of a response's body that is stored whole, and cut on read, because the body of a list is joined only then. */
const maxWholeBytes = 256 * 1024

/** Maximum size of a world's bodies together. Beyond it the oldest are dropped. */
const maxBytes = 1024 * 1024

/** Size that a request without bodies counts, in bytes. */
const entryBytes = 256

/** A body as it was read or written; null for one that is not stored as bytes. */
type Part = Uint8Array | Bytes | null

interface Bodies {
  readonly seq: number
  readonly request: Part
  readonly response: Part
  readonly sizeBytes: number
}

/** Returns the part to store. The body of a response is joined and cut on read, unless it is very large. */
const partOf = (body: ResponseBody): Part => {
  if (body._tag === "Empty") return new Uint8Array()
  if (body._tag !== "Uint8Array") return null
  if (body.contentLength <= maxWholeBytes) return body
  return body.firstBytes?.(maxBodyBytes + 1) ?? beginningOf(body.body)
}

/** Returns the start of a body, with one byte more than is shown if there is more. */
const beginningOf = (bytes: Uint8Array): Uint8Array =>
  bytes.length <= maxBodyBytes ? bytes : bytes.slice(0, maxBodyBytes + 1)

const sizeOf = (part: Part): number =>
  part === null ? 0 : part instanceof Uint8Array ? part.length : part.contentLength

/** Returns the text of a body; null if it is not text. */
const textOf = (part: Part): JournaledBody | null => {
  if (part === null) return null
  const bytes = part instanceof Uint8Array ? part : part.body
  const truncated = bytes.length > maxBodyBytes
  try {
    // The end of a body may be cut inside a character.
    const decoder = new TextDecoder("utf-8", { fatal: true })
    return { body: decoder.decode(bytes.subarray(0, maxBodyBytes), { stream: truncated }), truncated }
  } catch {
    return null
  }
}

/** Number of dropped requests whose places in the list are removed together. */
const surplus = 1_024

/** The bodies of the latest requests of a world, up to a size. Snapshots do not contain them. */
export class RecentBodies {
  /** Bodies, oldest first; undefined for dropped ones. */
  private list: Array<Bodies | undefined> = []
  private dropped = 0
  private sizeBytes = 0

  /** Adds the bodies of a request, whose journal entry has the number `seq`. */
  add(seq: number, { body, response }: NotedBodies) {
    const request = body === null ? null : beginningOf(body)
    const answer = partOf(response.body)
    const sizeBytes = entryBytes + sizeOf(request) + sizeOf(answer)
    this.list.push({ seq, request, response: answer, sizeBytes })
    this.sizeBytes += sizeBytes
    while (this.sizeBytes > maxBytes) {
      this.sizeBytes -= this.list[this.dropped]!.sizeBytes
      this.list[this.dropped++] = undefined
    }
    if (this.dropped < surplus) return
    this.list = this.list.slice(this.dropped)
    this.dropped = 0
  }

  /** A second list of the same bodies. */
  copy(): RecentBodies {
    const copy = new RecentBodies()
    copy.list = this.list.slice(this.dropped)
    copy.sizeBytes = this.sizeBytes
    return copy
  }

  /** The bodies of the requests after `since`, by the number of their journal entry. */
  after(
    since: number
  ): ReadonlyMap<number, { readonly request: JournaledBody | null; readonly response: JournaledBody | null }> {
    const kept = this.list.flatMap((bodies) => (bodies !== undefined && bodies.seq > since ? [bodies] : []))
    return new Map(
      kept.map(({ request, response, seq }) => [seq, { request: textOf(request), response: textOf(response) }])
    )
  }
}
