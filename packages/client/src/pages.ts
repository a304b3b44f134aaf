import { Answer, type Sent } from "./Answer.ts"
import { TapedeckError } from "./errors.ts"

/** Pagination of a list, which is read by page number or by cursor. */
export interface Pagination {
  readonly count: number
  readonly count_is_exact?: boolean
  readonly page?: number
  readonly from?: number
  readonly next_page?: number
  readonly next_cursor?: string
}

interface Paged {
  readonly pagination: Pagination
}

/** Returns the query of the page after the one of `asked`; undefined if that is the last. */
const nextOf = ({ next_cursor, next_page, page }: Pagination, asked: PageKey | undefined): PageKey | undefined => {
  if (typeof next_cursor === "string" && next_cursor !== "") return next_cursor === asked ? undefined : next_cursor
  return Number(next_page) > (typeof asked === "number" ? asked : (page ?? 0)) ? next_page : undefined
}

/** A page's number, or its cursor. */
export type PageKey = number | string

/** The query that asks for a page; the first is asked for by none. */
export const pageQuery = (key: PageKey | undefined): { readonly page?: number; readonly cursor?: string } =>
  key === undefined ? {} : typeof key === "number" ? { page: key } : { cursor: key }

interface PageMethods<Body, Item> {
  /** The records of this page, whatever the API calls them. */
  readonly items: ReadonlyArray<Item>
  readonly hasNextPage: boolean
  /** The next page, or null on the last one. */
  readonly nextPage: () => Promise<Page<Body, Item> | null>
}

/** A page as the API wrote it. Its methods are not enumerable, so that it compares and encodes as the API's JSON. */
export type Page<Body, Item> = Body & PageMethods<Body, Item>

type Load<Body> = (page: PageKey | undefined) => Promise<Sent<Body>>

const pageOf = async <Body, Item>(load: Load<Body>, asked?: PageKey): Promise<Sent<Page<Body, Item>>> => {
  const { data: body, response } = await load(asked)
  const pagination = (body as Paged | undefined)?.pagination as Pagination | null | undefined
  const items = Object.values(body ?? {}).find(Array.isArray)
  const isMissing = typeof pagination !== "object" || pagination === null
  if (isMissing || items === undefined) {
    const { headers, status } = response
    const missing = isMissing ? "`pagination`" : "list of records"
    throw new TapedeckError(`The response is no page of a list: it has no ${missing}`, { status, headers, body })
  }
  const next = nextOf(pagination, asked)
  const data = Object.defineProperties(body as object, {
    items: { value: items },
    hasNextPage: { value: next !== undefined },
    nextPage: {
      value: async () => (next === undefined ? null : (await pageOf(load, next)).data)
    }
  }) as Page<Body, Item>
  return { data, response }
}

/** Returns the key of a record. Segments of a transcript have none, and keep their places. */
const keyOf = (item: unknown): unknown => {
  const record = item as Readonly<Record<string, unknown>> | null
  return record?.uuid ?? record?.id ?? record?.email
}

/** FNV-1a of the last 12 characters, 30 bits of it. Keys differ at their end: ids are counted, UUIDs random. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = Math.max(text.length - 12, 0); index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 2
}

/**
 * The keys that came. As long as no two have the same hash, a set of hashes tells them apart: V8 needs several times as long
 * for a set of as many strings.
 */
class Keys {
  readonly #hashes = new Set<number>()
  readonly #keys: Array<unknown> = []
  #exact: Set<unknown> | undefined

  /** Adds a key, and returns whether it is new. */
  add(key: unknown): boolean {
    if (this.#exact === undefined) {
      const { size } = this.#hashes
      if (this.#hashes.add(hashOf(String(key))).size > size) {
        this.#keys.push(key)
        return true
      }
      this.#exact = new Set(this.#keys)
    }
    if (this.#exact.has(key)) return false
    this.#exact.add(key)
    return true
  }
}

/** How many pages without a new record may follow each other: a search by cursor answers one for each part that it looked through. */
const maxPagesWithoutRecords = 1000

/**
 * Walks a list page by page. One that is read by cursor is walked to its end. Of one that is read by number, records that are
 * added in the meantime shift the others to later pages: no record comes twice, and the walk ends after as many records as the
 * list had at the start. Records that are deleted shift the others to earlier pages: where the count has fallen, the pages that
 * were passed are read again as far back as a record can have moved, and the walk goes on to the end of the list. A list ends,
 * too, where its pages do not advance.
 */
export class Walk {
  readonly #seen = new Keys()
  readonly #cursors = new Set<string>()
  readonly #before: number
  readonly #firstPage: number
  #count: number
  #left: number
  #received = 0
  #pagesWithoutRecords = 0
  #isKeyed = false
  /** Records of a full page. */
  #size = 1
  /** The last page that was reached. */
  #reached = 0
  #next: PageKey | undefined

  /** `from`: index of the first record on the first page, counted from 1. */
  constructor(first: Pagination) {
    const { count, count_is_exact: isExact = true, from = 1, next_cursor: cursor, page = 1 } = first
    this.#before = Math.max(from - 1, 0)
    this.#firstPage = page
    this.#count = count
    this.#left = isExact && typeof cursor !== "string" ? count - this.#before : Infinity
  }

  /** The records that did not come before, of the page that was asked for by `asked`. */
  take<Item>(items: ReadonlyArray<Item>, pagination: Pagination, asked: PageKey | undefined): Array<Item> {
    const taken: Array<Item> = []
    for (const item of items) {
      const key = keyOf(item)
      if (key !== undefined) {
        this.#isKeyed = true
        if (!this.#seen.add(key)) continue
      }
      taken.push(item)
      this.#left -= 1
      if (this.#left <= 0) break
    }
    this.#next = this.#after(items.length, pagination, asked)
    this.#pagesWithoutRecords = taken.length > 0 ? 0 : this.#pagesWithoutRecords + 1
    if (this.next !== undefined && this.#pagesWithoutRecords === maxPagesWithoutRecords) {
      throw new TapedeckError(`The list does not end: ${maxPagesWithoutRecords} pages added nothing`)
    }
    return taken
  }

  /** The page to be read next; undefined where the walk is over. */
  get next(): PageKey | undefined {
    return this.#left > 0 ? this.#next : undefined
  }

  #after(received: number, pagination: Pagination, asked: PageKey | undefined): PageKey | undefined {
    const { count, count_is_exact: isExact = true, next_cursor: cursor, page: number = 1 } = pagination
    const following = nextOf(pagination, asked)
    if (typeof cursor === "string" || typeof asked === "string") {
      const isRepeated = this.#cursors.size === this.#cursors.add(String(cursor)).size
      return isRepeated ? undefined : following
    }
    const page = asked ?? number
    const isFurther = page > this.#reached
    if (isFurther) {
      this.#reached = page
      this.#received += received
      this.#size = Math.max(this.#size, received)
    }
    const fallen = isExact && this.#isKeyed ? this.#count - count : 0
    if (isExact) this.#count = count
    if (fallen > 0) this.#left = Infinity
    if (fallen > 0 && page > this.#firstPage) return Math.max(page - Math.ceil(fallen / this.#size), this.#firstPage)
    // To the last page reached, also where that was read after the deletion: additions move records on again.
    if (page < this.#reached) return page + 1
    const isAll = isExact && this.#received >= count - this.#before
    if (isAll || (isFurther && received === 0)) return undefined
    return isFurther ? following : this.#reached + 1
  }
}

/** The records of a list in turn. An async generator does the same, and takes five times as long for a record. */
class Items<Body, Item> implements AsyncIterator<Item, void, undefined> {
  readonly #load: Load<Body>
  #next: (() => PromiseLike<Page<Body, Item>>) | undefined
  #asked: PageKey | undefined
  #walk: Walk | undefined
  #items: ReadonlyArray<Item> = []
  #index = 0
  /** Calls of `next` that wait for a page. They take turns, also where the caller does not wait for one before another. */
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()

  constructor(load: Load<Body>, first: PromiseLike<Page<Body, Item>>) {
    this.#load = load
    this.#next = () => first
  }

  next(): Promise<IteratorResult<Item, void>> {
    if (this.#waiting === 0 && this.#index < this.#items.length) return Promise.resolve(this.#taken())
    this.#waiting += 1
    const taken = this.#last.then(() => this.#loaded())
    this.#last = taken.catch(() => {})
    return taken
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.#next = undefined
    this.#items = []
    return { done: true, value: undefined }
  }

  #taken(): IteratorResult<Item, void> {
    const value = this.#items[this.#index] as Item
    this.#index += 1
    return { done: false, value }
  }

  async #loaded(): Promise<IteratorResult<Item, void>> {
    try {
      while (this.#index >= this.#items.length) {
        const load = this.#next
        // This page is requested once, whatever the outcome.
        this.#next = undefined
        const page = await load?.()
        if (!page) return { done: true, value: undefined }
        const { pagination } = page as unknown as Paged
        this.#walk ??= new Walk(pagination)
        this.#items = this.#walk.take(page.items, pagination, this.#asked)
        this.#index = 0
        const { next } = this.#walk
        this.#asked = next
        if (next !== undefined) this.#next = async () => (await pageOf<Body, Item>(this.#load, next)).data
      }
      return this.#taken()
    } finally {
      this.#waiting -= 1
    }
  }
}

/** A list: await it for one page, or iterate it for all records, one request a page. */
export class Pages<Body, Item> extends Answer<Page<Body, Item>> implements AsyncIterable<Item> {
  readonly #load: Load<Body>

  constructor(load: Load<Body>) {
    super(pageOf<Body, Item>(load))
    this.#load = load
  }

  /** All records from the first page on, as a `Walk` gives them. */
  [Symbol.asyncIterator](): AsyncIterator<Item, void, undefined> {
    return new Items(this.#load, this)
  }

  /** The first `limit` records in one array. */
  async all({ limit }: { readonly limit: number }): Promise<Array<Item>> {
    if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError("limit must be an integer of at least 1")
    const items: Array<Item> = []
    for await (const item of this) {
      items.push(item)
      if (items.length === limit) break
    }
    return items
  }
}
