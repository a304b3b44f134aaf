import { Schema } from "effect"
import { count, text } from "../../wire/fields.ts"
import { flag } from "../fields.ts"

/** Position of a page in a list that is read by cursor. */
export const CursorPagination = Schema.Struct({
  count: count("Number of records, up to 10,000.", 251),
  count_is_exact: flag("Whether `count` is the exact number. If false, there are more records."),
  items: count("Number of records on a full page.", 100),
  next_cursor: Schema.optionalKey(text("Cursor of the next page. Omitted on the last page.", "WyJyZWNv"))
}).annotate({
  identifier: "CursorPagination",
  description: "Position of this page in a list that is read by cursor.",
  examples: [{ count: 1, count_is_exact: true, items: 100 }]
})
