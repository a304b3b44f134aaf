import { describe, expect, it } from "vitest"
import { findClockUses } from "../src/rules/clock.ts"
import { parseSource } from "../src/syntax.ts"

const uses = (code: string) => findClockUses(parseSource("packages/core/src/a.ts", code))

describe("the ban on wall clock and randomness", () => {
  it.each([
    ["Date.now", "const t = Date.now()"],
    ["Date.now by key", 'const t = Date["now"]()'],
    ["Date.now on the global object", "const t = globalThis.Date.now()"],
    ["Date.now as a value", "const clock = { now: Date.now }"],
    ["Date under another name", "const { now } = Date"],
    ["new Date()", "const t = new Date()"],
    ["new Date without parentheses", "const t = new Date"],
    ["new Date with what may be nothing", "const t = new Date(...parts)"],
    ["Date()", "const t = Date()"],
    ["Date behind a type assertion", "const t = (Date as any).now()"],
    ["performance", "const t = performance.now()"],
    ["performance of the global object", "const t = globalThis.performance.now()"],
    ["perf_hooks", 'import * as hooks from "node:perf_hooks"'],
    ["process.hrtime", "const t = process.hrtime.bigint()"],
    ["process.uptime", "const t = process.uptime()"],
    ["Math.random", "const r = Math.random()"],
    ["Math.random by key", 'const r = Math["random"]()'],
    ["Math.random taken apart", "const { random } = Math"],
    ["randomUUID", "const id = crypto.randomUUID()"],
    ["randomUUID by its import", 'import { randomUUID } from "node:crypto"\nconst id = randomUUID()'],
    ["randomUUID by another name", 'import { randomUUID as fresh } from "node:crypto"'],
    ["randomBytes", "const key = NodeCrypto.randomBytes(32)"],
    ["getRandomValues", "crypto.getRandomValues(new Uint8Array(8))"],
    ["getRandomValues taken apart", "const { getRandomValues } = crypto"],
    ["setTimeout", "setTimeout(() => {}, 1)"],
    ["setTimeout of a socket", "socket.setTimeout(1000)"],
    ["setTimeout handed on", "const later = { wait: setTimeout }"],
    ["setTimeout behind !", "globalThis.setTimeout!(() => {}, 1)"],
    ["setInterval", "setInterval(() => {}, 1)"],
    ["setImmediate", "setImmediate(() => {})"],
    ["timers/promises", 'import { setTimeout as sleep } from "node:timers/promises"'],
    ["AbortSignal.timeout", "fetch(url, { signal: AbortSignal.timeout(5) })"],
    ["DateTime.nowUnsafe", "const t = DateTime.nowUnsafe()"],
    ["DateTime.isPastUnsafe", "const late = DateTime.isPastUnsafe(at)"],
    ["nowUnsafe by its import", 'import { nowUnsafe as now } from "effect/DateTime"'],
    ["SQL's now()", 'const rows = sql("select * from t where due_at <= now()")'],
    ["SQL's now() in a template", "const rows = sql`update t set at = now() where id = 1`"],
    ["SQL's CURRENT_TIMESTAMP", "const rows = sql`select CURRENT_TIMESTAMP`"],
    ["SQLite's datetime('now')", "const rows = sql`select datetime('now')`"],
    ["PostgreSQL's random ids", "const rows = sql`insert into t values (gen_random_uuid())`"],
    ["a file's time", "const at = stat.mtime"],
    ["a file's time in ms", "const at = stat.birthtimeMs"],
    ["a file's time taken apart", "const { mtime: at } = stat"],
    ["a locale's date", "const text = at.toLocaleDateString()"],
    ["a locale's number", "const text = count.toLocaleString()"],
    ["Intl.DateTimeFormat", 'const format = new Intl.DateTimeFormat("en")'],
    ["the machine's time zone", "const hour = at.getHours()"]
  ])("refuses %s", (_name, code) => {
    const found = uses(code)
    expect(found.length).toBeGreaterThan(0)
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set(["wall-clock"]))
  })

  it.each([
    ["a Date from an instant", "const at = new Date(millis)"],
    ["parsing", "const at = Date.parse(text) + Date.UTC(2024, 0)"],
    ["instanceof", "const isDate = value instanceof Date"],
    ["the type", "const f = (at: Date): Date => at; type T = ReturnType<typeof Date.now>"],
    ["a schema called Date", "const field = Schema.Date"],
    ["UTC getters", "const year = at.getUTCFullYear()"],
    ["Effect's clock", "const at = yield* Clock.currentTimeMillis; const now = yield* DateTime.now"],
    ["Effect's sleep", 'const wait = Effect.sleep("5 minutes")'],
    ["a key that is only called so", "const options = { setTimeout: 5, mtime: 3 }"],
    ["a parameter that is only called so", "const token = (randomBytes: Uint8Array) => randomBytes.length"],
    ["a type's property", "interface Stat { readonly mtime: Date; setTimeout(ms: number): void }"],
    ["words in a sentence", 'const text = "now (at last) performance matters"'],
    ["a comment", "// Date.now() would be wrong here, setTimeout too\nconst a = 1"]
  ])("allows %s", (_name, code) => {
    expect(uses(`const gen = function* () {\n${code.startsWith("import") ? "" : code}\n}`)).toEqual([])
  })

  it("names the line and the rule once", () => {
    expect(uses("const a = 1\n\nconst t = Date.now()\n")).toEqual([
      {
        path: "packages/core/src/a.ts",
        line: 3,
        rule: "wall-clock",
        message: "Date.now reads the wall clock: time comes from Effect's Clock"
      }
    ])
  })
})
