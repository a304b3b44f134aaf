import { Schema } from "effect"
import { count } from "./fields.ts"

/** Position of a page in its list. */
export const Pagination = Schema.Struct({
  count: count("Total number of records.", 251),
  page: count("Number of this page, counted from 1.", 2),
  items: count("Number of records on a full page.", 100),
  pages: count("Total number of pages, at least 1.", 3),
  last_page: count("Number of the last page.", 3),
  from: count("Index of the first record on this page, counted from 1; 0 for an empty page.", 101),
  to: count("Index of the last record on this page, counted from 1; 0 for an empty page.", 200),
  next_page: Schema.optionalKey(count("Number of the next page. Omitted on the last page.", 3)),
  prev_page: Schema.optionalKey(count("Number of the previous page. Omitted on the first page.", 1))
}).annotate({
  identifier: "Pagination",
  description: "Position of this page in the whole list.",
  examples: [{ count: 1, page: 1, items: 100, pages: 1, last_page: 1, from: 1, to: 1 }]
})

export type Pagination = typeof Pagination.Type
