import { ExportsSpans } from "@tapedeck/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import type { Parameter } from "./statements.ts"

/**
 * The database with a span for each statement, where spans are exported: Effect's SQL templates create their own, `query` does
 * not. Statements contain no values.
 */
export const withSpans = (database: Database): Effect.Effect<Database> =>
  Effect.map(ExportsSpans, (isOn) => {
    if (!isOn) return database
    const system = database.dialect.name === "pg" ? "postgresql" : "sqlite"
    const query: Database["query"] = <Row extends ReadonlyArray<unknown>>(
      text: string,
      ...parameters: ReadonlyArray<Parameter>
    ) =>
      Effect.withSpan(database.query<Row>(text, ...parameters), system, {
        kind: "client",
        attributes: { "db.system.name": system, "db.query.text": text }
      })
    return { ...database, query }
  })
