import { Answer, type Received } from "./Answer.ts"

interface Paged {
  readonly pagination: { readonly count: number; readonly from?: number; readonly next_page?: number }
}

interface PageMethods<Body, Item> {
  /** The records of this page, whatever the API calls them. */
  readonly items: ReadonlyArray<Item>
  readonly hasNextPage: boolean
  /** The next page, or null on the last one. */
  readonly nextPage: () => Promise<Page<Body, Item> | null>
}

/** A page as the API wrote it. Its methods are not enumerable, so that it compares and encodes as the API's JSON. */
export type Page<Body, Item> = Body & PageMethods<Body, Item>

type Load<Body> = (page: number | undefined) => Promise<Received<Body>>

const pageOf = <Body, Item>(body: Body, load: Load<Body>): Page<Body, Item> => {
  const { next_page: next } = (body as unknown as Paged).pagination
  return Object.defineProperties(body as object, {
    items: { value: Object.values(body as object).find(Array.isArray) ?? [] },
    hasNextPage: { value: next !== undefined },
    nextPage: {
      value: async () => (next === undefined ? null : pageOf((await load(next)).data, load))
    }
  }) as Page<Body, Item>
}

/** What tells two records apart; a transcript's segments have no such key, and do not move. */
const keyOf = (item: object): unknown => {
  const { email, id, uuid } = item as Readonly<Record<string, unknown>>
  return uuid ?? id ?? email
}

/**
 * Walks a list page by page. Records that are added meanwhile shift the others to later pages: no record comes twice, and the
 * walk ends after as many records as the list had at the start.
 */
export class Walk {
  readonly #seen = new Set<unknown>()
  #left: number

  /** `from`: index of the first record on the first page, counted from 1. */
  constructor({ count, from = 1 }: { readonly count: number; readonly from?: number }) {
    this.#left = count - Math.max(from - 1, 0)
  }

  /** The records of the next page that did not come before. */
  take<Item>(items: ReadonlyArray<Item>): ReadonlyArray<Item> {
    const taken: Array<Item> = []
    for (const item of items) {
      const key = keyOf(item as object)
      if (key !== undefined && this.#seen.has(key)) continue
      if (key !== undefined) this.#seen.add(key)
      taken.push(item)
      this.#left -= 1
      if (this.isOver) break
    }
    return taken
  }

  get isOver(): boolean {
    return this.#left <= 0
  }
}

/** A list: await it for one page, or iterate it for all records, one request a page. */
export class Pages<Body, Item> extends Answer<Page<Body, Item>> implements AsyncIterable<Item> {
  constructor(load: Load<Body>) {
    super(load(undefined).then((received) => ({ ...received, data: pageOf<Body, Item>(received.data, load) })))
  }

  /** All records from the first page on, as a `Walk` gives them. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    let page: Page<Body, Item> | null = await this
    const walk = new Walk((page as unknown as Paged).pagination)
    while (page !== null) {
      yield* walk.take(page.items)
      page = walk.isOver ? null : await page.nextPage()
    }
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
