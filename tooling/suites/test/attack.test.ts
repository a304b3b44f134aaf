// Takes long: starts first.
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
/**
 * Attacks that run on PostgreSQL in the tests: texts that it refuses, its largest reads, and its batched writes. Others use the store too;
 * `pnpm test:attack` runs all there each night.
 */
const onPostgres = ["nul-and-surrogates", "public-views", "lists-of-long-transcripts", "execution-log-page"]
const seed = 20_261_123

describe("Attacked, it names each error, answers its health check, and takes 400 MiB at most:", () => {
  test.each(targets)("%s", async (target) => {
    const names = target === "postgres" ? onPostgres : inTests
    const chosen = attacks.filter(({ name }) => names.includes(name))
    expect(chosen.map(({ name }) => name).sort()).toEqual(names.toSorted())
    const results = await runAttacks(chosen, { target, size: "short", seed })
    const faults = results.flatMap((result) => result.faults.map((fault) => `${result.attack.name}: ${fault}`))
    expect(faults, `npx pnpm -s test:attack --short --seed ${seed} --target ${target}`).toEqual([])
    const aimed = chosen.filter(({ targets }) => target === "postgres" || targets.includes(target))
    expect(results.map(({ attack }) => attack.name).sort()).toEqual(aimed.map(({ name }) => name).sort())
  })
})
