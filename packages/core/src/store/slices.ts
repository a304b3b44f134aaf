/** Which part of an ordered list is read: `offset` items are passed over, at most `limit` come back. */
export interface Slice {
  readonly offset: number
  readonly limit: number
}

/** Page `page` (from 1) of a list with `items` a page. */
export const sliceOf = ({ page, items }: { readonly page: number; readonly items: number }): Slice => ({
  offset: (page - 1) * items,
  limit: items
})

/** One part of an ordered list, and how many items the whole list has. */
export interface Part<Item> {
  readonly count: number
  readonly items: ReadonlyArray<Item>
}

/** The part of a list that is at hand as a whole. */
export const partOf = <Item>(list: ReadonlyArray<Item>, { limit, offset }: Slice): Part<Item> => ({
  count: list.length,
  items: list.slice(offset, offset + limit)
})
