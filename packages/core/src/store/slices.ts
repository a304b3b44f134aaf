/** The part of an ordered list after `offset` items, at most `limit` of them. */
export interface Slice {
  readonly offset: number
  readonly limit: number
}

/** Page `page` (from 1), with `items` a page. */
export const sliceOf = ({ page, items }: { readonly page: number; readonly items: number }): Slice => ({
  offset: (page - 1) * items,
  limit: items
})

/** A part of an ordered list, and the number of items in the whole list. */
export interface Part<Item> {
  readonly count: number
  readonly items: ReadonlyArray<Item>
}

/** A part of a list in memory. */
export const partOf = <Item>(list: ReadonlyArray<Item>, { limit, offset }: Slice): Part<Item> => ({
  count: list.length,
  items: list.slice(offset, offset + limit)
})
