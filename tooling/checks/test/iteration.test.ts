import { describe, expect, it } from "vitest"
import { findHashIteration } from "../src/rules/iteration.ts"
import { parseSource } from "../src/syntax.ts"

const uses = (code: string) => findHashIteration(parseSource("packages/core/src/a.ts", code))

describe("iteration of hash collections", () => {
  it.each([
    ["HashMap.values", "const all = HashMap.toValues(byId)"],
    ["HashMap.forEach in a pipe", "byId.pipe(HashMap.forEach((each) => out.push(each)))"],
    ["HashSet.reduce", "const text = HashSet.reduce(names, '', (a, b) => a + b)"],
    ["for-of", "const names = HashSet.make(1, 2)\nfor (const name of names) out.push(name)"],
    ["for-of over a parameter", "const f = (byId: HashMap.HashMap<string, A>) => { for (const [id] of byId) out(id) }"],
    ["spread", "const f = (names: HashSet.HashSet<string>) => [...names]"],
    ["spread of a call", "const all = [...HashMap.set(byId, id, value)]"],
    ["Array.from", "const f = (names: HashSet.HashSet<string>) => Array.from(names)"],
    ["yield*", "const f = function* (names: HashSet.HashSet<string>) { yield* names }"]
  ])("refuses %s", (_name, code) => {
    expect(uses(code)).toMatchObject([{ rule: "hash-order", line: code.split("\n").length }])
  })

  it.each([
    ["look-ups", "const found = HashMap.get(byId, id); const has = HashSet.has(names, name)"],
    ["the size", "const f = (byId: HashMap.HashMap<string, A>) => HashMap.size(byId)"],
    ["a question whose answer has no order", "const any = HashMap.some(byId, isLate)"],
    ["an Effect about a map", "const f = function* () { const found = yield* HashMap.get(byId, id) }"],
    ["arrays and maps that keep their order", "const all = [...byId.values()]; for (const each of list) out(each)"]
  ])("allows %s", (_name, code) => {
    expect(uses(code)).toEqual([])
  })
})
