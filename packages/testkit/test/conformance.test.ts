import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

/** Runs a suite in a process of its own; returns its lines without colours. */
const run = (suite: string, ...parameters: ReadonlyArray<string>) => {
  const root = join(import.meta.dirname, "suites")
  const env = { ...process.env, NO_COLOR: "1", VITEST: "" }
  const vitest = join(import.meta.dirname, "../node_modules/.bin/vitest")
  const { status, stdout } = spawnSync(vitest, ["run", "--root", root, suite, ...parameters], { env, encoding: "utf8" })
  return { status, lines: stdout.split("\n") }
}

test("a store that keeps its promises passes, and what it cannot show without `reopen` is skipped, with the reason", () => {
  const { lines, status } = run("inMemory")
  const skipped = lines.filter((line) => line.includes("[untested: "))
  expect(skipped.map((line) => line.replace(/^.* in memory > (.*) \d+ms \[(.*)\]$/, "$1: $2"))).toMatchInlineSnapshot(`
    [
      "changes of recordings > continues in the next process: untested: the store is given without reopen",
      "the views of a recording > are kept over a restart: untested: the store is given without reopen",
      "stored answers of idempotency keys > are kept over a restart: untested: the store is given without reopen",
      "opened again > contains everything that it contained, byte for byte: untested: the store is given without reopen",
      "opened again > contains a user's picture that was uploaded as a stream: untested: the store is given without reopen",
      "opened again > returns no number twice: untested: the store is given without reopen",
      "opened again > returns earlier agenda entries first on ties: untested: the store is given without reopen",
      "opened again > releases deliveries in flight, whose worker ended with its process: untested: the store is given without reopen",
      "opened again > releases jobs that were being run, whose claims ended with their process: untested: the store is given without reopen",
      "opened again > releases uploads that were being completed, whose claims ended with their process: untested: the store is given without reopen",
      "opened again > returns a held result at its time: untested: the store is given without reopen",
      "opened again > has no changes of a failed transaction: untested: the store is given without reopen",
      "opened again > has no changes of a transaction in which its process was killed, and all that were committed before: untested: the store is given without reopen and crash",
    ]
  `)
  expect(status).toBe(0)
})

test("a store without rollback fails where it breaks a promise", () => {
  const { lines, status } = run("withoutRollback", "--testNamePattern", "commits nothing of a body that fails")
  expect(status).toBe(1)
  expect(lines).toContainEqual(
    expect.stringMatching(/^ *(×|✗|FAIL).*commits nothing of a body that fails, and ends in the same way/)
  )
})
