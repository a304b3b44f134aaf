import * as Result from "effect/Result"
import { hasMoreValues, parseLenient } from "../../jsonValues.ts"
import type { Sliced } from "../../slices.ts"
import { type Instant, parseIso, toIso } from "../../time.ts"
import type { IndexedLog } from "../IndexedLog.ts"
import { initiators, type LogHeaders, MAX_LOG_EVENTS, type NetworkEvent } from "../log.ts"
import { Repairs } from "../Repairs.ts"
import { LogUnreadable } from "../readLog.ts"
import { type JsonPlace, JsonPlaces, NotJson } from "./jsonPlaces.ts"

/** Maximum number of pages and entries of a file. */
const MAX_HAR_ITEMS = 2 * MAX_LOG_EVENTS

/** Maximum number of JSON values of a page or an entry. */
const MAX_ITEM_VALUES = 50_000

/** Thrown to stop reading an item or the file. It does not leave this module. */
class Wrong {
  readonly problem: string
  constructor(problem: string) {
    this.problem = problem
  }
}

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads HAR 1.2 as a log: each entry becomes a network event, and each page after the first becomes a navigation, in the order of
 * their times. The log starts with the first of them. Unreadable pages and entries are omitted, and values that cannot be stored are
 * changed; `repairs` lists both. A problem has the path of its position, and line 1.
 */
export function* logOfHar(text: string, repairs: Repairs): Sliced<Result.Result<IndexedLog, LogUnreadable>> {
  try {
    return Result.succeed(yield* read(text, repairs))
  } catch (wrong) {
    if (!(wrong instanceof Wrong)) throw wrong
    return Result.fail(new LogUnreadable({ problem: wrong.problem, line: 1 }))
  }
}

interface Page {
  readonly at: Instant
  readonly title: string
  readonly url: string
}

interface Entry {
  readonly at: Instant
  readonly fields: Omit<NetworkEvent, "seq" | "t">
}

function* read(text: string, repairs: Repairs): Sliced<IndexedLog> {
  const places = yield* placesIn(text)
  const items = new Items(text, repairs)
  const pages = yield* items.read("log.pages", places.pages, pageIn)
  const entries = yield* items.read("log.entries", places.entries, entryIn)
  const [first, ...others] = pages.sort(byTime)
  yield workPerSorted * pages.length
  const timed = [...others, ...entries].sort(byTime)
  yield workPerSorted * timed.length
  const start = Math.min(first?.at ?? Number.POSITIVE_INFINITY, timed[0]?.at ?? Number.POSITIVE_INFINITY)
  if (start === Number.POSITIVE_INFINITY) throw new Wrong(items.problem ?? "log must have an entry, or a page")
  const firstPage = first && items.again(first, pageIn)
  const firstEntry = entries[0] && items.again(entries[0], entryIn)
  return {
    header: {
      version: 1,
      started_at: toIso(start as Instant),
      page: { url: firstPage?.url ?? "", title: firstPage?.title ?? "" },
      user_agent: firstEntry?.fields.request_headers["user-agent"] ?? "",
      viewport: { width: 0, height: 0 },
      timezone: "",
      language: ""
    },
    count: timed.length,
    event: (seq) => {
      const item = timed[seq]!
      const placed = { seq, t: item.at - start }
      if (item.list === "log.entries") return { ...placed, ...items.again(item, entryIn).fields }
      const { title, url } = items.again(item, pageIn)
      return { ...placed, kind: "navigation", url, title }
    }
  }
}

const byTime = (a: IndexedItem, b: IndexedItem): number => a.at - b.at

/** Finds the pages and entries of a file. */
function* placesIn(text: string) {
  const places = new JsonPlaces(text)
  const found: { readonly pages: Array<JsonPlace>; readonly entries: Array<JsonPlace> } = { pages: [], entries: [] }
  let hasLog = false
  let hasEntries = false
  const add = (list: Array<JsonPlace>) => (item: JsonPlace) => {
    list.push(item)
    if (found.pages.length + found.entries.length > MAX_HAR_ITEMS)
      throw new Wrong(`a HAR file has at most ${MAX_HAR_ITEMS} pages and entries`)
  }
  const inLog = function* (key: string, at: number): Sliced<number> {
    if (key !== "pages" && key !== "entries") return yield* places.skip(at)
    if (!places.isAt(at, "[")) {
      if (key === "entries") throw new Wrong("log.entries must be a list")
      return yield* places.skip(at)
    }
    hasEntries ||= key === "entries"
    found[key].length = 0
    return yield* places.items(at, add(found[key]))
  }
  const inFile = function* (key: string, at: number): Sliced<number> {
    if (key !== "log") return yield* places.skip(at)
    if (!places.isAt(at, "{")) throw new Wrong("log must be an object")
    hasLog = true
    return yield* places.members(at, inLog)
  }
  const notJson = "this is neither a capture log nor HAR: it is not JSON"
  const start = places.afterSpace(text.startsWith("\uFEFF") ? 1 : 0)
  try {
    if (places.isAt(start, "[")) throw new Wrong("the file must be an object")
    const end = yield* places.members(start, inFile)
    if (places.afterSpace(end) < text.length) throw new Wrong(notJson)
  } catch (failure) {
    throw failure instanceof NotJson ? new Wrong(notJson) : failure
  }
  if (!hasLog) throw new Wrong("log must be an object")
  if (!hasEntries) throw new Wrong("log.entries must be a list")
  return found
}

/** Costs of an item besides its characters, and of sorting it, in characters. */
const [workPerItem, workPerSorted] = [500, 10]

type ItemList = "log.pages" | "log.entries"

/** A readable item and its position. */
interface IndexedItem extends JsonPlace {
  readonly at: Instant
  readonly list: ItemList
  readonly index: number
}

type ItemIn<Item> = (value: unknown, place: ItemPlace) => Item

/** Reads items of a file one by one. */
class Items {
  /** Problem of the first omitted item. */
  problem: string | undefined
  private readonly text: string
  private readonly repairs: Repairs

  constructor(text: string, repairs: Repairs) {
    this.text = text
    this.repairs = repairs
  }

  /** Reads the items, and returns the readable ones. */
  *read(
    list: ItemList,
    places: ReadonlyArray<JsonPlace>,
    itemIn: ItemIn<{ readonly at: Instant }>
  ): Sliced<Array<IndexedItem>> {
    const { repairs } = this
    const items: Array<IndexedItem> = []
    for (const [index, { end, start }] of places.entries()) {
      yield end - start + workPerItem
      const path = `${list}[${index}]`
      try {
        const { at } = itemIn(this.valueAt(path, start, end, repairs), { path, index, repairs })
        items.push({ at, list, index, start, end })
      } catch (wrong) {
        if (!(wrong instanceof Wrong)) throw wrong
        this.problem ??= wrong.problem
        repairs.note(path, `Left out: ${wrong.problem}`)
      }
    }
    return items
  }

  /** Reads an item again, and records its repairs. */
  again<Item>({ end, index, list, start }: IndexedItem, itemIn: ItemIn<Item>): Item {
    const [path, repairs] = [`${list}[${index}]`, new Repairs()]
    return itemIn(this.valueAt(path, start, end, repairs), { path, index, repairs })
  }

  private valueAt(path: string, start: number, end: number, repairs: Repairs): unknown {
    const text = this.text.slice(start, end)
    if (hasMoreValues(text, MAX_ITEM_VALUES)) throw new Wrong(`${path} has more than ${MAX_ITEM_VALUES} values`)
    const parsed = parseLenient(text)
    if (parsed === undefined) throw new Wrong(`${path} is not JSON`)
    if (parsed.hadNaN) repairs.note(path, "NaN and Infinity became null")
    return parsed.value
  }
}

/** The position of an item, and the collector of its repairs. */
interface ItemPlace {
  readonly path: string
  readonly index: number
  readonly repairs: Repairs
}

const object = (value: unknown, path: string): Fields => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Wrong(`${path} must be an object`)
  return value as Fields
}

/** Reads an object. Any other value is read as an empty object, and recorded as a repair unless it is null or missing. */
const objectOr = (value: unknown, path: string, { repairs }: ItemPlace): Fields => {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields
  if (value !== undefined && value !== null) repairs.note(path, "Left out: it is not an object")
  return {}
}

const string = (value: unknown, path: string, { repairs }: ItemPlace): string => {
  if (typeof value !== "string") throw new Wrong(`${path} must be a string`)
  return repairs.storable(value, path)
}

const instant = (value: unknown, path: string): Instant => {
  const at = typeof value === "string" ? parseIso(value) : undefined
  if (at === undefined) throw new Wrong(`${path} must be an ISO 8601 timestamp with a time zone`)
  return at
}

const pageIn = (value: unknown, place: ItemPlace): Page => {
  const { path } = place
  const page = object(value, path)
  const title = textIn(page.title, `${path}.title`, place) ?? ""
  // Chromium's files have the address as the title.
  const url = textIn(page._url, `${path}._url`, place) ?? title
  return { at: instant(page.startedDateTime, `${path}.startedDateTime`), title, url }
}

const entryIn = (value: unknown, place: ItemPlace): Entry => {
  const { index, path } = place
  const entry = object(value, path)
  const request = object(entry.request, `${path}.request`)
  const response = objectOr(entry.response, `${path}.response`, place)
  const content = objectOr(response.content, `${path}.response.content`, place)
  const postData = objectOr(request.postData, `${path}.request.postData`, place)
  const fields: Entry["fields"] = {
    kind: "network",
    id: textIn(entry._id, `${path}._id`, place) ?? String(index + 1),
    method: string(request.method, `${path}.request.method`, place),
    url: string(request.url, `${path}.request.url`, place),
    status: statusIn(response.status, `${path}.response.status`, place),
    initiator: initiatorOf(entry),
    duration_ms: atLeastZero(entry.time) ?? 0,
    request_headers: headersIn(request.headers, `${path}.request.headers`, place),
    response_headers: headersIn(response.headers, `${path}.response.headers`, place),
    ...part("request_body", bodyIn(postData, `${path}.request.postData.text`, place)),
    ...part("response_body", bodyIn(content, `${path}.response.content.text`, place)),
    ...sizeIn(content.size),
    ...part("error", textIn(response._error, `${path}.response._error`, place) || undefined)
  }
  return { at: instant(entry.startedDateTime, `${path}.startedDateTime`), fields }
}

/** Reads an optional text. */
const textIn = (value: unknown, path: string, { repairs }: ItemPlace): string | undefined =>
  typeof value === "string" ? repairs.storable(value, path) : undefined

const part = <Key extends string>(key: Key, text: string | undefined): { readonly [K in Key]?: string } =>
  text === undefined ? {} : ({ [key]: text } as { readonly [K in Key]?: string })

/** Reads a status. 0 and negative numbers mean that there was no response. */
const statusIn = (value: unknown, path: string, { repairs }: ItemPlace): number => {
  if (value === undefined || value === null) return 0
  if (typeof value === "number" && Number.isInteger(value) && value <= 999) return Math.max(value, 0)
  repairs.note(path, "Became 0: it is not a status")
  return 0
}

const atLeastZero = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined

/** Reads a body. An encoded body is not text, and is omitted. */
const bodyIn = ({ encoding, text }: Fields, path: string, place: ItemPlace): string | undefined =>
  encoding === undefined || encoding === null || encoding === "" ? textIn(text, path, place) : undefined

const sizeIn = (size: unknown): { readonly size_bytes?: number } => {
  const bytes = atLeastZero(size)
  return bytes === undefined ? {} : { size_bytes: Math.round(bytes) }
}

/** Returns Tapedeck's own field if it is present, else Chromium's type of the resource. */
const initiatorOf = ({ _initiator, _resourceType }: Fields): NetworkEvent["initiator"] =>
  initiators.find((each) => each === _initiator || each === _resourceType) ??
  (_resourceType === "ping" ? "beacon" : "resource")

/** Reads headers. Values of the same name are joined, as in HTTP. */
const headersIn = (value: unknown, path: string, place: ItemPlace): LogHeaders => {
  if (value === undefined || value === null) return {}
  const { repairs } = place
  if (!Array.isArray(value)) {
    repairs.note(path, "Left out: it is not a list")
    return {}
  }
  const headers = new Map<string, string>()
  for (const [index, pair] of value.entries()) {
    const where = `${path}[${index}]`
    const { name, value: text } = objectOr(pair, where, place)
    if (typeof name !== "string" || (typeof text !== "string" && text !== undefined && text !== null)) {
      repairs.note(where, "Left out: it is not a name and a value")
      continue
    }
    const key = repairs.storable(name, `${where}.name`).toLowerCase()
    const given = repairs.storable(text ?? "", `${where}.value`)
    const before = headers.get(key)
    headers.set(key, before === undefined ? given : `${before}, ${given}`)
  }
  return Object.fromEntries(headers)
}
