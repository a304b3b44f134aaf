export interface Pagination {
  /** Records in all. */
  readonly count: number
  /** From 1. */
  readonly page: number
  /** The page size. */
  readonly items: number
  /** At least 1. */
  readonly pages: number
  /** Absent on the last page and past it. */
  readonly nextPage?: number
  /** Absent on the first page. */
  readonly prevPage?: number
  readonly lastPage: number
  /** Of the page's first and last record, from 1; 0 on an empty page. */
  readonly from: number
  readonly to: number
}

export interface PageRequest {
  readonly count: number
  readonly page: number
  readonly items: number
}

/** Where the page lies in the list of all records, as `slice` takes it; empty past the end. */
export const pageSlice = ({ count, page, items }: PageRequest): { readonly start: number; readonly end: number } => {
  const start = Math.min(count, (page - 1) * items)
  return { start, end: Math.min(count, start + items) }
}

/**
 * The pagination of page `page` (an integer from 1) of `count` records, `items` a page. A page past the end is empty,
 * and its `prevPage` is the last page.
 */
export const paginate = (request: PageRequest): Pagination => {
  const { count, page, items } = request
  const pages = Math.max(1, Math.ceil(count / items))
  const { start, end } = pageSlice(request)
  const isEmpty = start === end
  return {
    count,
    page,
    items,
    pages,
    ...(page < pages && { nextPage: page + 1 }),
    ...(page > 1 && { prevPage: Math.min(page - 1, pages) }),
    lastPage: pages,
    from: isEmpty ? 0 : start + 1,
    to: isEmpty ? 0 : end
  }
}
