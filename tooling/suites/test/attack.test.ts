import { describe, expect, test } from "vitest"
import { attacks } from "../src/attack/attacks/index.ts"
import { runAttacks } from "../src/attack/runAttacks.ts"
import { targets } from "../src/attack/targets.ts"

/** The short form of `pnpm test:attack`, which alone asserts times. */

const inTests = [
  "transcript-text",
  "words-times-segments",
  "placed-error-in-long-string",
  "start-document-problems",
  "public-views",
  "bodies-without-token",
  "buffered-bodies-together",
  "readers-that-do-not-read",
  "connections-of-one-address",
  "folder-with-waiting-deliveries",
  "clock-jumps-forward",
  "clock-jumps-back",
  "full-disk",
  "lists-of-long-transcripts",
  "lists-that-are-not-read",
  "execution-log-page",
  "endless-1xx",
  "audit-flood",
  "nul-and-surrogates",
  "rendered-payload",
  "foreign-host",
  "odd-fields"
]
/** Attacks that depend on the store: on PostgreSQL the tests run these alone, and `pnpm test:attack`, each night, all. */
const onPostgres = ["nul-and-surrogates", "public-views", "lists-of-long-transcripts", "execution-log-page"]
const seed = 20_261_123

describe("Attacked, it names each error, answers its health check, and takes 400 MiB at most:", () => {
  test.each(targets)("%s", async (target) => {
    const chosen = attacks.filter(({ name }) => inTests.includes(name))
    expect(chosen.map(({ name }) => name).sort()).toEqual(inTests.toSorted())
    const run = target === "postgres" ? chosen.filter(({ name }) => onPostgres.includes(name)) : chosen
    const results = await runAttacks(run, { target, size: "short", seed })
    const faults = results.flatMap((result) => result.faults.map((fault) => `${result.attack.name}: ${fault}`))
    expect(faults, `npx pnpm -s test:attack --short --seed ${seed} --target ${target}`).toEqual([])
    const aimed = run.filter(({ targets }) => targets.includes(target))
    expect(results.map(({ attack }) => attack.name).sort()).toEqual(aimed.map(({ name }) => name).sort())
  })
})
