import { infiniteQueryOptions, type QueryClient, useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useCallback, useMemo, useRef, useSyncExternalStore } from "react"

interface ListPage<Item> {
  readonly items: ReadonlyArray<Item>
  readonly pagination: Pagination
}

interface Pagination {
  readonly count: number
  /** False if there may be more than `count`. */
  readonly count_is_exact?: boolean
  readonly next_page?: number
  readonly next_cursor?: string
}

/** Page to request from the API, by its number or by the end of the previous page. */
export type PageAsked = { readonly page?: number } | { readonly cursor: string }

const nextOf = ({ next_cursor: cursor, next_page: page }: Pagination): PageAsked | undefined =>
  cursor !== undefined ? { cursor } : page !== undefined ? { page } : undefined

/** The items of all pages. An additional page is appended to the previous items, so that a list of 1,000 pages costs one page. */
class Flat<Item> {
  readonly #keyOf: (item: Item) => unknown
  #pages: ReadonlyArray<ListPage<Item>> = []
  #seen = new Set<unknown>()
  #items: Array<Item> = []

  constructor(keyOf: (item: Item) => unknown) {
    this.#keyOf = keyOf
  }

  of(pages: ReadonlyArray<ListPage<Item>>): ReadonlyArray<Item> {
    if (!this.#pages.every((page, index) => page === pages[index])) {
      this.#pages = []
      this.#seen = new Set()
      this.#items = []
    }
    const added = pages.slice(this.#pages.length).flatMap(({ items }) => items)
    this.#pages = pages
    if (added.length > 0) {
      this.#items = this.#items.concat(
        added.filter((item) => {
          const key = this.#keyOf(item)
          const isNew = !this.#seen.has(key)
          this.#seen.add(key)
          return isNew
        })
      )
    }
    return this.#items
  }
}

export interface PagesQuery<Item> {
  readonly key: ReadonlyArray<unknown>
  readonly read: (asked: PageAsked) => PromiseLike<ListPage<Item>>
  readonly keyOf: (item: Item) => unknown
}

const optionsOf = <Item>({ key, read }: PagesQuery<Item>) =>
  infiniteQueryOptions({
    queryKey: key,
    queryFn: async ({ pageParam }) => {
      const { items, pagination } = await read(pageParam)
      return { items, pagination }
    },
    initialPageParam: {} as PageAsked,
    // A comparison of all pages with those before would take longer with each page.
    structuralSharing: false,
    getNextPageParam: ({ pagination }) => nextOf(pagination)
  })

/** Reads the first page before its screen is rendered. */
export const startReading = <Item>(client: QueryClient, pages: PagesQuery<Item>): void => {
  void client.prefetchInfiniteQuery(optionsOf(pages))
}

/** A list, page by page as it is scrolled. No record appears twice, although new records shift the pages. */
export const usePages = <Item>(
  key: ReadonlyArray<unknown>,
  read: (asked: PageAsked) => PromiseLike<ListPage<Item>>,
  keyOf: (item: Item) => unknown,
  isEnabled = true
) => {
  const query = useInfiniteQuery({ ...optionsOf({ key, read, keyOf }), enabled: isEnabled })
  const { data, fetchNextPage, hasNextPage, isFetching } = query
  const flat = useRef<Flat<Item>>(undefined)
  flat.current ??= new Flat(keyOf)
  const items = useMemo(() => data && flat.current?.of(data.pages), [data])
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetching])
  const client = useQueryClient()
  const isOutdated = useSyncExternalStore(
    (listener) => client.getQueryCache().subscribe(listener),
    () => !isFetching && client.getQueryState(key)?.isInvalidated === true
  )
  const first = data?.pages[0]?.pagination
  return {
    data: items,
    error: query.error,
    refetch: query.refetch,
    onEnd,
    /** True if the list has changed since it was read, and is too long to be read again as a whole. */
    isOutdated,
    /** Reads the list from its start. */
    restart: () => client.resetQueries({ queryKey: key, exact: true }),
    total: first?.count ?? 0,
    isTotalExact: first?.count_is_exact ?? true
  }
}
