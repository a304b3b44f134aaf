import * as Result from "effect/Result"
import { isJsonWithinDepth, MAX_JSON_DEPTH } from "../../json.ts"
import { isStorableText, UNSTORABLE_TEXT, unstorableTextPaths } from "../../storableText.ts"
import { type Instant, parseIso, toIso } from "../../time.ts"
import {
  type CaptureLog,
  initiators,
  type LogEvent,
  type LogHeaders,
  MAX_LOG_EVENTS,
  type NetworkEvent
} from "../log.ts"
import { LogUnreadable } from "../readLog.ts"

/** Pages and entries that are read of a file. */
const maxHarItems = 2 * MAX_LOG_EVENTS

/** Ends the reading; it does not leave this file. */
class Wrong {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads HAR 1.2 as a log: an entry is a network event, a page after the first a navigation, in the order of their times. The log
 * starts with the first of them. A problem has the path of its place, and line 1.
 */
export const logOfHar = (text: string): Result.Result<CaptureLog, LogUnreadable> => {
  try {
    return Result.succeed(read(text))
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong
    return Result.fail(new LogUnreadable({ problem: wrong.problem, line: 1 }))
  }
}

interface Timed {
  readonly at: Instant
  readonly event: (placed: { readonly seq: number; readonly t: number }) => LogEvent
}

interface Page {
  readonly at: Instant
  readonly title: string
  readonly url: string
}

const read = (text: string): CaptureLog => {
  const log = object(object(parsed(text), "the file").log, "log")
  const pages = list(log.pages ?? [], "log.pages").map(pageIn)
  const entries = list(log.entries, "log.entries").map(entryIn)
  if (pages.length + entries.length > maxHarItems)
    throw new Wrong(`a HAR file has at most ${maxHarItems} pages and entries`)
  const [first, ...others] = pages.sort((a, b) => a.at - b.at)
  const timed: Array<Timed> = [
    ...others.map(({ at, title, url }) => ({
      at,
      event: (placed: { readonly seq: number; readonly t: number }): LogEvent => ({
        ...placed,
        kind: "navigation",
        url,
        title
      })
    })),
    ...entries
  ].sort((a, b) => a.at - b.at)
  const start = Math.min(first?.at ?? Number.POSITIVE_INFINITY, timed[0]?.at ?? Number.POSITIVE_INFINITY)
  if (start === Number.POSITIVE_INFINITY) throw new Wrong("log must have an entry, or a page")
  return {
    header: {
      version: 1,
      started_at: toIso(start as Instant),
      page: { url: first?.url ?? "", title: first?.title ?? "" },
      user_agent: userAgentIn(log.entries as ReadonlyArray<unknown>),
      viewport: { width: 0, height: 0 },
      timezone: "",
      language: ""
    },
    events: timed.map(({ at, event }, seq) => event({ seq, t: at - start }))
  }
}

const parsed = (text: string): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""))
  } catch {
    throw new Wrong("this is neither a capture log nor HAR: it is not JSON")
  }
  if (!isJsonWithinDepth(value)) throw new Wrong(`JSON may be nested at most ${MAX_JSON_DEPTH} deep`)
  if (isStorableText(text)) {
    const [path] = unstorableTextPaths(value)
    if (path === undefined) return value
    throw new Wrong(`${path.join(".")} ${UNSTORABLE_TEXT}`)
  }
  throw new Wrong(`the file ${UNSTORABLE_TEXT}`)
}

const object = (value: unknown, path: string): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Wrong(`${path} must be an object`)
  return value as Fields
}

const list = (value: unknown, path: string): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) throw new Wrong(`${path} must be a list`)
  return value
}

const string = (value: unknown, path: string): string => {
  if (typeof value !== "string") throw new Wrong(`${path} must be a string`)
  return value
}

const instant = (value: unknown, path: string): Instant => {
  const at = parseIso(string(value, path))
  if (at === undefined) throw new Wrong(`${path} must be an ISO 8601 timestamp with a time zone`)
  return at
}

const pageIn = (value: unknown, index: number): Page => {
  const path = `log.pages[${index}]`
  const page = object(value, path)
  const title = string(page.title ?? "", `${path}.title`)
  // Chromium's files have the address as the title.
  const url = typeof page._url === "string" ? page._url : title
  return { at: instant(page.startedDateTime, `${path}.startedDateTime`), title, url }
}

const entryIn = (value: unknown, index: number): Timed => {
  const path = `log.entries[${index}]`
  const entry = object(value, path)
  const request = object(entry.request, `${path}.request`)
  const response = object(entry.response, `${path}.response`)
  const content = object(response.content ?? {}, `${path}.response.content`)
  const status = response.status ?? 0
  if (typeof status !== "number" || !Number.isInteger(status) || status > 999) {
    throw new Wrong(`${path}.response.status must be a status`)
  }
  const fields: Omit<NetworkEvent, "seq" | "t"> = {
    kind: "network",
    id: typeof entry._id === "string" ? entry._id : String(index + 1),
    method: string(request.method, `${path}.request.method`),
    url: string(request.url, `${path}.request.url`),
    status: Math.max(status, 0),
    initiator: initiatorOf(entry),
    duration_ms: atLeastZero(entry.time) ?? 0,
    request_headers: headersIn(request.headers, `${path}.request.headers`),
    response_headers: headersIn(response.headers, `${path}.response.headers`),
    ...bodyIn("request_body", object(request.postData ?? {}, `${path}.request.postData`)),
    ...bodyIn("response_body", content),
    ...sizeIn(content.size),
    ...errorIn(response._error)
  }
  return {
    at: instant(entry.startedDateTime, `${path}.startedDateTime`),
    event: (placed) => ({ ...placed, ...fields })
  }
}

const atLeastZero = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

/** What is encoded is no text: it is left out. */
const bodyIn = <Key extends string>(key: Key, { encoding, text }: Fields): { readonly [K in Key]?: string } =>
  typeof text === "string" && encoding === undefined ? ({ [key]: text } as { readonly [K in Key]?: string }) : {}

const sizeIn = (size: unknown): { readonly size_bytes?: number } => {
  const bytes = atLeastZero(size)
  return bytes === undefined ? {} : { size_bytes: Math.round(bytes) }
}

const errorIn = (error: unknown): { readonly error?: string } =>
  typeof error === "string" && error !== "" ? { error } : {}

/** Ours; else Chromium's type of the resource. */
const initiatorOf = ({ _initiator, _resourceType }: Fields): NetworkEvent["initiator"] =>
  initiators.find((each) => each === _initiator || each === _resourceType) ??
  (_resourceType === "ping" ? "beacon" : "resource")

/** Values of the same name are joined, as HTTP does. */
const headersIn = (value: unknown, path: string): LogHeaders => {
  const headers = new Map<string, string>()
  for (const [index, pair] of list(value ?? [], path).entries()) {
    const { name, value: text } = object(pair, `${path}[${index}]`)
    const key = string(name, `${path}[${index}].name`).toLowerCase()
    const before = headers.get(key)
    const given = string(text, `${path}[${index}].value`)
    headers.set(key, before === undefined ? given : `${before}, ${given}`)
  }
  return Object.fromEntries(headers)
}

const userAgentIn = (entries: ReadonlyArray<unknown>): string => {
  const [first] = entries
  if (first === undefined) return ""
  const { headers } = object(object(first, "log.entries[0]").request, "log.entries[0].request")
  return headersIn(headers, "log.entries[0].request.headers")["user-agent"] ?? ""
}
