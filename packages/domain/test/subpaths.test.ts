import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { describe, expect, it } from "vitest"
import { auditSchedule, folderSchedule, type Instant, timelineOf } from "../src/delivery/index.ts"
import { parseTemplate, renderTemplate } from "../src/template/index.ts"

/** In bytes, of a program that imports all of the subpath, with what it needs of Effect. */
const minifiedAndGzipped = async (subpath: string): Promise<number> => {
  const bundle = await rolldown({
    input: join(import.meta.dirname, "../src", subpath, "index.ts"),
    platform: "browser",
    resolve: { conditionNames: ["source", "import"] }
  })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  return output.reduce((sum, file) => sum + gzipSync("code" in file ? file.code : file.source).length, 0)
}

describe("a program that imports one subpath", () => {
  it.each([
    ["delivery", 8_000],
    ["template", 8_000]
  ])("has at most the bytes that the README names for /%s: no schema comes with it", async (subpath, limit) => {
    const bytes = await minifiedAndGzipped(subpath)
    expect(bytes).toBeGreaterThan(2_000)
    expect(bytes).toBeLessThanOrEqual(limit)
  })
})

describe("the timeline of a delivery", () => {
  const start = 5_000 as Instant
  const failed = { isSuccess: false, durationMs: 40 }
  const minutes = (attempts: ReadonlyArray<{ readonly at: number }>) => attempts.map(({ at }) => (at - start) / 60_000)

  it("has all attempts at their times if none was made", () => {
    const { attempts, state } = timelineOf(folderSchedule, [], start)
    expect(minutes(attempts)).toEqual([0, 1, 6, 36, 156, 876])
    expect(attempts.every(({ isSuccess }) => isSuccess === null)).toBe(true)
    expect(state).toEqual({ _tag: "Scheduled", dueAt: start })
  })

  it("has what was made, and what follows", () => {
    const { attempts, state } = timelineOf(auditSchedule(3), [failed, failed], start)
    expect(attempts.map(({ isSuccess }) => isSuccess)).toEqual([false, false, null, null])
    expect(minutes(attempts)).toEqual([0, 1, 6, 21])
    expect(state).toMatchObject({ _tag: "Waiting", retry: 2, dueAt: start + 6 * 60_000 })
  })

  it("ends with the first success, and with the last retry", () => {
    const succeeded = { isSuccess: true, durationMs: 1 }
    expect(timelineOf(folderSchedule, [failed, succeeded, failed], start)).toMatchObject({
      attempts: [{ attempt: 1 }, { attempt: 2, isSuccess: true }],
      state: { _tag: "Delivered", at: start + 60_001 }
    })
    expect(timelineOf([], [failed], start).state).toEqual({ _tag: "PermanentlyFailed", at: start + 40 })
  })

  it("puts off a retry until the attempt before has ended", () => {
    const slow = { isSuccess: false, durationMs: 90_000 }
    expect(minutes(timelineOf(folderSchedule, [slow], start).attempts).slice(0, 3)).toEqual([0, 1.5, 6.5])
  })
})

describe("a template of one's own variables", () => {
  const variables = ["order.id", "order.items"] as const

  it("is read and rendered with their values", () => {
    const parsed = parseTemplate('{"id":"{{order.id}}","items":{{order.items}}}', variables)
    if (parsed._tag === "Failure") throw new Error(parsed.failure.map(({ message }) => message).join())
    const text = renderTemplate(parsed.success, { "order.id": 'a"b', "order.items": [1, null] })
    expect(JSON.parse(text ?? "")).toEqual({ id: 'a"b', items: [1, null] })
  })

  it("is refused with a variable of others, at its place", () => {
    expect(parseTemplate('{\n  "a": {{recording.title}}}', variables)).toMatchObject({
      _tag: "Failure",
      failure: [{ message: "there is no variable recording.title", line: 2, column: 8 }]
    })
  })
})
