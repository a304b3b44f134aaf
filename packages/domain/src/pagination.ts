export interface Pagination {
  /** Total number of records. */
  readonly count: number
  /** Number of the page, counted from 1. */
  readonly page: number
  /** Number of records on a full page. */
  readonly items: number
  /** Number of pages, at least 1. */
  readonly pages: number
  /** Number of the next page; absent on the last page and after it. */
  readonly nextPage?: number
  /** Number of the previous page; absent on the first page. */
  readonly prevPage?: number
  readonly lastPage: number
  /** Indexes of the first and last record of the page, counted from 1; 0 for an empty page. */
  readonly from: number
  readonly to: number
}

export interface PageRequest {
  readonly count: number
  readonly page: number
  readonly items: number
}

/** Returns the position of the page in the list of all records, as parameters of `slice`. The range is empty after the end. */
export const pageSlice = ({ count, page, items }: PageRequest): { readonly start: number; readonly end: number } => {
  const start = Math.min(count, (page - 1) * items)
  return { start, end: Math.min(count, start + items) }
}

/**
 * Returns the pagination of page `page` (an integer from 1) of `count` records with `items` per page. A page after the end is empty, and
 * its `prevPage` is the last page.
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
