import type { JsonObject } from "../../json.ts"
import { nearestInstant, parseIso, toIso } from "../../time.ts"
import { utf8Length } from "../../utf8.ts"
import type { LogHeader, LogHeaders, NavigationEvent, NetworkEvent } from "../log.ts"

/** The program that writes the file. */
export interface HarCreator {
  readonly name: string
  readonly version: string
}

/**
 * Writes the network events of a log as HAR 1.2 in pieces of text: `head`, a page for each navigation, `between`, an entry for each
 * request, `tail`. The first page is the one at the start of the log. Unknown parts of times are -1.
 */
export class HarWriter {
  readonly head: string
  readonly between = '],"entries":['
  readonly tail = "]}}"
  private readonly start: number
  private readonly pages = new Pages()
  private entries = 0

  constructor({ page, started_at }: LogHeader, creator: HarCreator) {
    this.start = parseIso(started_at) ?? 0
    const opening = JSON.stringify({ version: "1.2", creator: { name: creator.name, version: creator.version } })
    this.head = `{"log":${opening.slice(0, -1)},"pages":[${this.pageText({ t: 0, ...page })}`
  }

  page(event: NavigationEvent): string {
    return `,${this.pageText(event)}`
  }

  entry(event: NetworkEvent): string {
    const places = { at: this.at(event.t), page: this.pages.at(event.t) }
    return `${this.entries++ === 0 ? "" : ","}${JSON.stringify(entryOf(event, places))}`
  }

  private pageText({ t, title, url }: Pick<NavigationEvent, "t" | "title" | "url">): string {
    return JSON.stringify({
      startedDateTime: this.at(t),
      id: pageId(this.pages.add(t)),
      title: title === "" ? url : title,
      pageTimings: { onContentLoad: -1, onLoad: -1 },
      _url: url
    })
  }

  private at(t: number): string {
    return toIso(nearestInstant(this.start + t))
  }
}

const pageId = (index: number): string => `page_${index + 1}`

/** The times of pages, which need not ascend. */
class Pages {
  private readonly times: Array<number> = []
  /** Pages by time, each with the number of the last page up to that time. */
  private sorted: ReadonlyArray<{ readonly t: number; readonly last: number }> | null = null

  /** Adds a page. Returns its index. */
  add(t: number): number {
    this.sorted = null
    return this.times.push(t) - 1
  }

  /** Returns the id of the last page that started at or before `t`, else of the first page. */
  at(t: number): string {
    this.sorted ??= this.byTime()
    let [low, high] = [0, this.sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.sorted[middle]!.t <= t) low = middle + 1
      else high = middle
    }
    return pageId(this.sorted[low - 1]?.last ?? 0)
  }

  private byTime() {
    let last = 0
    return this.times
      .map((t, index) => ({ t, index }))
      .sort((a, b) => a.t - b.t)
      .map(({ index, t }) => {
        last = Math.max(last, index)
        return { t, last }
      })
  }
}

interface Places {
  readonly at: string
  readonly page: string
}

const entryOf = (event: NetworkEvent, { at, page }: Places): JsonObject => ({
  pageref: page,
  startedDateTime: at,
  time: event.duration_ms,
  request: {
    method: event.method,
    url: event.url,
    httpVersion: "",
    cookies: [],
    headers: pairs(event.request_headers),
    queryString: queryOf(event.url),
    ...(event.request_body !== undefined && {
      postData: { mimeType: event.request_headers["content-type"] ?? "", params: [], text: event.request_body }
    }),
    headersSize: -1,
    bodySize: event.request_body === undefined ? -1 : utf8Length(event.request_body)
  },
  response: {
    status: event.status,
    statusText: "",
    httpVersion: "",
    cookies: [],
    headers: pairs(event.response_headers),
    content: {
      size: event.size_bytes ?? -1,
      mimeType: event.response_headers["content-type"] ?? "",
      ...(event.response_body !== undefined && { text: event.response_body })
    },
    redirectURL: event.response_headers.location ?? "",
    headersSize: -1,
    bodySize: event.size_bytes ?? -1,
    ...(event.error !== undefined && { _error: event.error })
  },
  cache: {},
  timings: { send: 0, wait: event.duration_ms, receive: 0 },
  _id: event.id,
  _initiator: event.initiator
})

const pairs = (headers: LogHeaders): ReadonlyArray<JsonObject> =>
  Object.entries(headers).map(([name, value]) => ({ name, value }))

const queryOf = (url: string): ReadonlyArray<JsonObject> => {
  const query = url.split("#", 1)[0]!.split("?").slice(1).join("?")
  return [...new URLSearchParams(query)].map(([name, value]) => ({ name, value }))
}
