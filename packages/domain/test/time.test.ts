import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Instant, parseIso, toIso } from "../src/index.ts"

const FIRST = Date.parse("0000-01-01T00:00:00.000Z")
const LAST = Date.parse("9999-12-31T23:59:59.999Z")
const anyInstant = fc.integer({ min: FIRST, max: LAST }).map((ms) => ms as Instant)

describe("an instant", () => {
  it("is written in UTC with milliseconds, even if they are zero", () => {
    expect(toIso(0 as Instant)).toBe("1970-01-01T00:00:00.000Z")
    expect(toIso(1_767_225_600_000 as Instant)).toBe("2026-01-01T00:00:00.000Z")
  })

  it("is unchanged by writing and reading", () => {
    fc.assert(
      fc.property(anyInstant, (at) => {
        expect(toIso(at)).toHaveLength(24)
        expect(parseIso(toIso(at))).toBe(at)
      })
    )
  })

  it("is equal whatever the offset of its text", () => {
    const offsets = fc.tuple(fc.constantFrom(1, -1), fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
    const DAY_MS = 86_400_000
    const inside = fc.integer({ min: FIRST + DAY_MS, max: LAST - DAY_MS })
    fc.assert(
      fc.property(inside, offsets, (at, [sign, hours, minutes]) => {
        const local = toIso((at + sign * (hours * 60 + minutes) * 60_000) as Instant).slice(0, -1)
        const offset = [hours, minutes].map((part) => String(part).padStart(2, "0")).join(":")
        expect(parseIso(`${local}${sign < 0 ? "-" : "+"}${offset}`)).toBe(at)
      })
    )
  })

  it.each([
    ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"],
    ["2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.500Z"],
    ["2026-01-01T00:00:00.123999999Z", "2026-01-01T00:00:00.123Z"],
    ["2026-01-01T00:30:00+02:00", "2025-12-31T22:30:00.000Z"],
    ["2024-02-29T23:59:59-05:30", "2024-03-01T05:29:59.000Z"]
  ])("is read from %s as %s", (text, iso) => {
    expect(toIso(parseIso(text)!)).toBe(iso)
  })

  it.each([
    "",
    "2026-01-01",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00Z",
    "2026-01-01 00:00:00Z",
    "2026-01-01t00:00:00z",
    "2026-02-29T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T23:60:00Z",
    "2026-01-01T23:59:60Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00+0200",
    "+002026-01-01T00:00:00Z",
    "0000-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "2026-01-01T00:00:00Z\n",
    "1767225600000"
  ])("is not read from %j", (text) => {
    expect(parseIso(text)).toBeUndefined()
  })

  it("has whole milliseconds in the years 0000 to 9999", () => {
    for (const ms of [FIRST, LAST, 0]) expect(Schema.is(Instant)(ms)).toBe(true)
    for (const ms of [FIRST - 1, LAST + 1, 0.5, Number.NaN, "0"]) expect(Schema.is(Instant)(ms)).toBe(false)
  })
})
