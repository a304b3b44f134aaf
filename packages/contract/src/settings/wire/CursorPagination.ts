import { Schema } from "effect"
import { count, text } from "../../wire/fields.ts"
import { flag } from "../fields.ts"

/** Where a page lies in a list that is read by cursor. */
export const CursorPagination = Schema.Struct({
  count: count("Number of records, counted to 10,000 at most.", 251),
  count_is_exact: flag("Whether there are no more than `count`."),
  items: count("How many records a full page holds.", 100),
  next_cursor: Schema.optionalKey(text("Reads the next page; left out on the last one.", "WyJyZWNv"))
}).annotate({
  identifier: "CursorPagination",
  description: "Where this page lies in a list that is read by cursor.",
  examples: [{ count: 1, count_is_exact: true, items: 100 }]
})
