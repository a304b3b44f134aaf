import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { AppendLog } from "../src/world/AppendLog.ts"

describe("AppendLog", () => {
  test("returns a new value with each push, and keeps the old one", () => {
    const empty = AppendLog.empty<string>()
    const one = empty.push("a")
    const two = one.push("b")
    expect([empty, one, two].map((log) => [log.length, log.toArray()])).toEqual([
      [0, []],
      [1, ["a"]],
      [2, ["a", "b"]]
    ])
  })

  test("returns the entries after a position", () => {
    const log = AppendLog.empty<number>().push(1).push(2).push(3)
    expect([log.from(0), log.from(2), log.from(3), log.from(9)]).toEqual([[1, 2, 3], [3], [], []])
  })

  test("shows no branch the entries of another, whichever values they start from", () => {
    // Each step pushes its number onto one of the values that there are.
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 60 }), (steps) => {
        const logs = [AppendLog.empty<number>()]
        const lists: Array<ReadonlyArray<number>> = [[]]
        for (const [number, from] of steps.entries()) {
          const branch = from % logs.length
          logs.push(logs[branch]!.push(number))
          lists.push([...lists[branch]!, number])
        }
        expect(logs.map((log) => log.toArray())).toEqual(lists)
        expect(logs.map(({ length }) => length)).toEqual(lists.map(({ length }) => length))
      })
    )
  })

  test("does not keep entries of later values in an empty one", () => {
    const empty = AppendLog.empty<string>()
    empty.push("a").push("b")
    expect(empty).toEqual(AppendLog.empty())
  })

  test("returns a copy of the list, so that changing it does not change the log", () => {
    const log = AppendLog.empty<number>().push(1)
    ;(log.toArray() as Array<number>).push(2)
    expect(log.toArray()).toEqual([1])
    expect(log.push(3).toArray()).toEqual([1, 3])
  })
})
