import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import { defaultTemplate, type Json, type TemplateValues, templateVariables } from "../../src/index.ts"
import { utf8Length } from "../../src/internal/text.ts"
import { MAX_ARRAYS_BYTES, MAX_BODY_BYTES, parseTemplate, renderTemplate } from "../../src/template/index.ts"

const render = (template: string, values: Partial<TemplateValues>) => {
  const missing = Object.fromEntries(templateVariables.map((name) => [name, null])) as unknown as TemplateValues
  return renderTemplate(Result.getOrThrow(parseTemplate(template, templateVariables)), { ...missing, ...values })
}

const errors = (count: number, text: string): ReadonlyArray<Json> => Array.from({ length: count }, () => text)

const bytesOf = (value: unknown) => utf8Length(JSON.stringify(value))

/** An array whose JSON text has exactly so many bytes. */
const arrayOf = (bytes: number): ReadonlyArray<Json> => {
  const items = errors(Math.floor((bytes - 3) / 103) - 1, "x".repeat(100))
  const rest = bytes - bytesOf(items) - 3
  return [...items, "y".repeat(rest)]
}

describe("arrays of errors in a body share 256 KiB", () => {
  it.each([
    [0, false],
    [1, true]
  ])("one of them with %i bytes more than that is cut: %s", (more, isCut) => {
    const array = arrayOf(MAX_ARRAYS_BYTES + more)
    expect(bytesOf(array)).toBe(MAX_ARRAYS_BYTES + more)
    const read: ReadonlyArray<Json> = JSON.parse(
      render("{{recording.console_errors}}", { "recording.console_errors": array })!
    )
    if (!isCut) return expect(read).toEqual(array)
    expect(read.at(-1)).toBe("…")
    expect(read.slice(0, -1)).toEqual(array.slice(0, read.length - 1))
    expect(bytesOf(read)).toBeLessThanOrEqual(MAX_ARRAYS_BYTES)
    // No item more would have had room.
    expect(bytesOf([...read, array[read.length - 1]])).toBeGreaterThan(MAX_ARRAYS_BYTES)
  })

  it("a small array is complete beside a large one, which has the remaining bytes", () => {
    const values = {
      "recording.console_errors": errors(100_000, "boom"),
      "recording.network_errors": errors(3, "GET /cart 500")
    }
    const missing = Object.fromEntries(templateVariables.map((name) => [name, null])) as unknown as TemplateValues
    const { recording } = JSON.parse(renderTemplate(defaultTemplate, { ...missing, ...values })!)
    expect(recording.network_errors).toEqual(values["recording.network_errors"])
    const together = bytesOf(recording.console_errors) + bytesOf(recording.network_errors)
    expect([together <= MAX_ARRAYS_BYTES, together > MAX_ARRAYS_BYTES - 20]).toEqual([true, true])
  })

  it("two large arrays have half each, outside and inside a string", () => {
    const values = {
      "recording.console_errors": errors(50_000, 'say "é"'),
      "recording.network_errors": errors(50_000, "b")
    }
    const template = '{"c": "{{recording.console_errors}}", "n": {{recording.network_errors}}}'
    const { c, n } = JSON.parse(render(template, values)!)
    expect(JSON.parse(c).at(-1)).toBe("…")
    expect(n.at(-1)).toBe("…")
    for (const bytes of [bytesOf(c) - 2, bytesOf(n)]) {
      expect([bytes <= MAX_ARRAYS_BYTES / 2, bytes > MAX_ARRAYS_BYTES / 2 - 30]).toEqual([true, true])
    }
  })

  it("a template that repeats them thousands of times has a valid array in each place", () => {
    const template = `[${Array.from({ length: 2_100 }, () => "{{recording.console_errors}}").join(",")}]`
    const read = JSON.parse(render(template, { "recording.console_errors": errors(20_000, "0123456789") })!)
    expect(read).toHaveLength(2_100)
    expect(read[0]).toEqual([...errors(9, "0123456789"), "…"])
  })

  it("an item that is too large for its share is dropped with all items after it", () => {
    const values = { "recording.console_errors": ["a", "x".repeat(300_000), "b"] }
    expect(render("{{recording.console_errors}}", values)).toBe('["a","…"]')
  })
})

describe("a body", () => {
  it.each([
    [0, true],
    [1, false]
  ])("of 1 MiB and %i bytes is rendered: %s", (more, isRendered) => {
    // 1,024 times 1,021 bytes and a comma between, in brackets.
    const template = `[${Array.from({ length: 1_024 }, () => "{{recording.title}}").join(",")}]${" ".repeat(1_023 + more)}`
    const text = render(template, { "recording.title": "é".repeat(510) })
    expect(text === null ? null : utf8Length(text)).toBe(isRendered ? MAX_BODY_BYTES : null)
  })

  it("of a small template and a long value is not built beyond the limit", () => {
    const template = `[${Array.from({ length: 3_000 }, () => "{{recording.title}}").join(",")}]`
    expect(render(template, { "recording.title": "x".repeat(1_000_000) })).toBeNull()
  })
})

it.each(["", "a", "é", "€", "🎥", "a🎥é€", "\ud83c", "\udfa5\ud83c"])(
  "the byte length of %j equals that of its UTF-8",
  (text) => {
    expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length)
  }
)
