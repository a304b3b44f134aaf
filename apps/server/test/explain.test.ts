import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { expect, test } from "vitest"
import { explain } from "../src/cli/explain.ts"

const of = (code: string) => Object.assign(new Error("postgres://db/x: it is gone"), { code })
const because = { message: "postgres://db/x: it is gone", operation: "query" }

test.each([
  ["cannot be connected to", new ConnectionError({ cause: of("ECONNREFUSED"), ...because })],
  ["stops", new UnknownError({ cause: of("57P01"), ...because })],
  ["is starting up", new UnknownError({ cause: of("57P03"), ...because })]
])("a start or a command during which PostgreSQL %s ends with 5 and one line", (_, reason) => {
  expect(explain(new SqlError({ reason }))).toEqual({ text: "postgres://db/x: it is gone", code: 5 })
})

test("an error of a statement is a defect, which prints its stack", () => {
  expect(explain(new SqlError({ reason: new UnknownError({ cause: of("42601"), ...because }) }))).toBeNull()
})
