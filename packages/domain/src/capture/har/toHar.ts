import type { JsonObject } from "../../json.ts"
import { type Instant, parseIso, toIso } from "../../time.ts"
import { utf8Length } from "../../utf8.ts"
import type { CaptureLog, LogHeaders, NavigationEvent, NetworkEvent } from "../log.ts"

/** The program that writes the file. */
export interface HarCreator {
  readonly name: string
  readonly version: string
}

/** The network events of a log as HAR 1.2, with a page for where it began and for each navigation. Times without parts are -1. */
export const harOf = ({ events, header }: CaptureLog, creator: HarCreator): { readonly log: JsonObject } => {
  const start = parseIso(header.started_at) ?? (0 as Instant)
  const at = (t: number): string => toIso((start + t) as Instant)
  const navigations = events.filter((event): event is NavigationEvent => event.kind === "navigation")
  const pages = [{ t: 0, url: header.page.url, title: header.page.title }, ...navigations]
  const pageAt = (t: number): string => {
    const index = pages.findLastIndex((page) => page.t <= t)
    return `page_${Math.max(index, 0) + 1}`
  }
  const requests = events.filter((event): event is NetworkEvent => event.kind === "network")
  return {
    log: {
      version: "1.2",
      creator: { ...creator },
      pages: pages.map(({ t, title, url }, index) => ({
        startedDateTime: at(t),
        id: `page_${index + 1}`,
        title: title === "" ? url : title,
        pageTimings: { onContentLoad: -1, onLoad: -1 },
        _url: url
      })),
      entries: requests.map((event) => entryOf(event, { at, pageAt }))
    }
  }
}

interface Places {
  readonly at: (t: number) => string
  readonly pageAt: (t: number) => string
}

const entryOf = (event: NetworkEvent, { at, pageAt }: Places): JsonObject => ({
  pageref: pageAt(event.t),
  startedDateTime: at(event.t),
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
