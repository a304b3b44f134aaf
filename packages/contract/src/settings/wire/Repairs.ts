import { Schema } from "effect"
import { count, text } from "../../wire/fields.ts"
import { listOf } from "../fields.ts"

const Repair = Schema.Struct({
  where: text("Path in the file, or line and field.", "log.entries[3].response.content.text"),
  repair: text("Change, or reason why the item was omitted.", "NUL and lone surrogates became U+FFFD")
}).annotate({ identifier: "Repair", description: "Repair of an imported file." })

/** Repairs of an imported file. */
export const Repairs = Schema.Struct({
  count: count("Number of repairs.", 1),
  first: listOf(Repair, "The first 20 repairs.")
}).annotate({ identifier: "Repairs", description: "Repairs of an imported file: changes that made it readable." })
