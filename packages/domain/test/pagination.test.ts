import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { pageSlice, paginate } from "../src/pagination.ts"

/** Deals the numbers 1 to `count` out into pages, one by one. */
const dealtPages = (count: number, items: number): ReadonlyArray<ReadonlyArray<number>> => {
  const pages: Array<Array<number>> = [[]]
  for (let number = 1; number <= count; number++) {
    if (pages.at(-1)!.length === items) pages.push([])
    pages.at(-1)!.push(number)
  }
  return pages
}

describe("a page", () => {
  it("has the numbers of pages that are counted one by one (R8, R9)", () => {
    const request = fc.record({
      count: fc.nat({ max: 60 }),
      page: fc.integer({ min: 1, max: 20 }),
      items: fc.integer({ min: 1, max: 12 })
    })
    fc.assert(
      fc.property(request, ({ count, page, items }) => {
        const pages = dealtPages(count, items)
        const records = pages[page - 1] ?? []
        const expected: Record<string, number> = { count, page, items, pages: pages.length, lastPage: pages.length }
        if (page < pages.length) expected.nextPage = page + 1
        if (page > 1) expected.prevPage = page <= pages.length ? page - 1 : pages.length
        expected.from = records[0] ?? 0
        expected.to = records.at(-1) ?? 0
        expect(paginate({ count, page, items })).toStrictEqual(expected)
        const { start, end } = pageSlice({ count, page, items })
        expect(Array.from({ length: count }, (_, index) => index + 1).slice(start, end)).toEqual(records)
      }),
      { numRuns: 1_000 }
    )
  })

  it("omits next and previous page instead of writing undefined", () => {
    expect(Object.keys(paginate({ count: 0, page: 1, items: 100 }))).toEqual([
      "count",
      "page",
      "items",
      "pages",
      "lastPage",
      "from",
      "to"
    ])
  })

  it("has exact numbers for the largest page number", () => {
    const page = Number.MAX_SAFE_INTEGER
    expect(paginate({ count: 250, page, items: 100 })).toEqual({
      count: 250,
      page,
      items: 100,
      pages: 3,
      prevPage: 3,
      lastPage: 3,
      from: 0,
      to: 0
    })
    expect(pageSlice({ count: 250, page, items: 100 })).toEqual({ start: 250, end: 250 })
  })
})
