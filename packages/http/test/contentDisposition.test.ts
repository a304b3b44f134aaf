import { describe, expect, it } from "vitest"
import { attachment, fileName } from "../src/recordings/contentDisposition.ts"

const uuid = "7d0f3c1e-0000-4000-8000-000000000001"
const named = (title: string, type = "video/mp4") => fileName(title, uuid, type)

/** The name that a reader takes from `filename*`. */
const extended = (name: string) => decodeURIComponent(/filename\*=UTF-8''(\S+)$/.exec(attachment(name))?.[1] ?? "")

describe("the name of a downloaded file (R12)", () => {
  it.each([
    ["one byte each", "x".repeat(100)],
    ["two bytes each", "ö".repeat(300)],
    ["three bytes each", "録".repeat(300)],
    ["four bytes each", "🎥".repeat(300)],
    ["graphemes of 25 bytes", "👨‍👩‍👧‍👦".repeat(100)],
    ["one character and a thousand accents", `a${"\u0301".repeat(1_000)}`]
  ])("has at most 255 bytes, of %s", (_title, title) => {
    const name = extended(named(title))
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    expect(name).toMatch(/\.mp4$/)
    expect(name).not.toContain("\ufffd")
  })

  it("has exactly 255 bytes where the title has them, and one character less beyond", () => {
    const accents = "a\u0328\u0328"
    expect(named(`${"録".repeat(83)}xx`)).toBe(`${"録".repeat(83)}xx.mp4`)
    expect(Buffer.byteLength(named(`${"録".repeat(83)}xx`))).toBe(255)
    expect(named(`${"録".repeat(83)}xxx`)).toBe(`${"録".repeat(83)}xx.mp4`)
    expect(named(accents)).toBe(`${accents.normalize("NFC")}.mp4`)
  })

  it("keeps joiners, and whole graphemes where it is cut", () => {
    for (const title of ["می\u200cخواهم", "👩\u200d🚀 launch", "क्\u200dष"]) {
      expect(extended(named(title))).toBe(`${title.normalize("NFC")}.mp4`)
    }
    expect(named("👨‍👩‍👧‍👦".repeat(30))).toBe(`${"👨‍👩‍👧‍👦".repeat(10)}.mp4`)
    expect(named("a\u202eb\ufeffc")).toBe("a b c.mp4")
  })

  it("has its extension once", () => {
    expect(named("call.mp4")).toBe("call.mp4")
    expect(named("Call.MP4")).toBe("Call.mp4")
    expect(named("call.webm", "video/webm")).toBe("call.webm")
    expect(named("call.mov", "video/quicktime")).toBe("call.mov")
    expect(named("call.webm")).toBe("call.webm.mp4")
    expect(named("call.mp4.MP4")).toBe("call.mp4")
    expect(named("call.mp4.")).toBe("call.mp4")
    expect(named("call.mp4 . .MP4 ..")).toBe("call.mp4")
    expect(named("Is it done?...")).toBe("Is it done.mp4")
    expect(named(`${"x".repeat(96)}.mp4 and more`)).toBe(`${"x".repeat(96)}.mp4`)
    expect(named(`${"🎥".repeat(61)}xxx.mp4 and more`)).toBe(`${"🎥".repeat(61)}xxx.mp4`)
    expect(named("...")).toBe(`${uuid}.mp4`)
    expect(named(".mp4.mp4.")).toBe(`${uuid}.mp4`)
    expect(named(".mp4")).toBe(`${uuid}.mp4`)
    expect(named("mp4")).toBe("mp4.mp4")
    expect(named(`${"x".repeat(98)}.mp4`)).toBe(`${"x".repeat(98)}.mp4`)
  })
})
