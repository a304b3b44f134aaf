import * as fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Journal, type JournalNote } from "../src/journal/Journal.ts"
import { matches } from "../src/journal/wait.ts"

const at = "2026-01-01T00:00:00.000Z"
const note = (id: string): JournalNote => ({ kind: "transcript", id, status: "ready" })
const written = (size: number, count: number) =>
  Array.from({ length: count }).reduce<Journal>(
    (journal, _, index) => journal.write(at, note(`${index + 1}`)),
    Journal.empty(size)
  )
const seqs = (journal: Journal, since?: number) => journal.entries(since).map(({ seq }) => seq)

describe("The journal", () => {
  test("numbers its entries from 1, with their instants", () => {
    expect(written(10, 2).entries()).toEqual([
      { seq: 1, at, ...note("1") },
      { seq: 2, at, ...note("2") }
    ])
  })

  test("keeps the latest ones, and counts dropped ones", () => {
    const journal = written(3, 5)
    expect(seqs(journal)).toEqual([3, 4, 5])
    expect([journal.dropped, journal.length]).toEqual([2, 5])
  })

  test("of size 0 keeps nothing, and counts all", () => {
    for (const count of [0, 1, 63, 64, 65, 200]) {
      const journal = written(0, count)
      expect([journal.entries(), journal.dropped, journal.length]).toEqual([[], count, count])
    }
  })

  test("returns the entries after a sequence number, whether it was dropped or does not exist yet", () => {
    const journal = written(3, 5)
    expect([0, 2, 3, 5, 9].map((since) => seqs(journal, since))).toEqual([[3, 4, 5], [3, 4, 5], [4, 5], [], []])
  })

  test("is equal to the end of a plain list, at any size and length", () => {
    fc.assert(
      fc.property(fc.nat(40), fc.nat(400), fc.nat(450), (size, count, since) => {
        const journal = written(size, count)
        const kept = Array.from({ length: count }, (_, index) => index + 1).slice(Math.max(0, count - size))
        expect(seqs(journal, since)).toEqual(kept.filter((seq) => seq > since))
        expect([journal.dropped, journal.length]).toEqual([count - kept.length, count])
      }),
      { numRuns: 60 }
    )
  })

  test("continues unchanged after it is restored", () => {
    fc.assert(
      fc.property(fc.nat(20), fc.nat(100), fc.nat(100), (size, before, after) => {
        const whole = written(size, before + after)
        const half = written(size, before)
        let again = Journal.of(size, half.entries(), half.dropped)
        for (let number = before + 1; number <= before + after; number++) again = again.write(at, note(`${number}`))
        expect(again.entries()).toEqual(whole.entries())
        expect([again.dropped, again.length]).toEqual([whole.dropped, whole.length])
      }),
      { numRuns: 60 }
    )
  })

  test("shows a fork no later entries of its origin", () => {
    const origin = written(5, 3)
    const [one, other] = [origin.write(at, note("one")), origin.write(at, note("other"))]
    expect(one.entries().at(-1)).toMatchObject({ seq: 4, id: "one" })
    expect(other.entries().at(-1)).toMatchObject({ seq: 4, id: "other" })
    expect(origin.length).toBe(3)
  })
})

describe("A filter of entries", () => {
  const entry = {
    seq: 1,
    at,
    kind: "fault",
    id: "fault1",
    method: "GET",
    path: "/a",
    outcome: { status: 503, body: "x" }
  } as const

  test("if each is equal; objects by their own fields, lists as a whole", () => {
    for (const wanted of [{}, { kind: "fault" }, { kind: "fault", path: "/a" }, { outcome: { status: 503 } }]) {
      expect(matches(entry, wanted)).toBe(true)
    }
    for (const wanted of [
      { kind: "request" },
      { user: null },
      { outcome: { status: 503, more: 1 } },
      { outcome: 503 }
    ]) {
      expect(matches(entry, wanted)).toBe(false)
    }
    expect(matches({ ...entry, outcome: [1, 2] }, { outcome: [1, 2] })).toBe(true)
    expect(matches({ ...entry, outcome: [1, 2] }, { outcome: [1] })).toBe(false)
  })
})
