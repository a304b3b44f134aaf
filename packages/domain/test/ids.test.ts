import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { parseRecordingUuid, RecordingUuid } from "../src/index.ts"

describe("a recording's uuid (R5)", () => {
  it("is read in either case and stored in lower case", () => {
    expect(parseRecordingUuid("7D0F3C1E-AAAA-4bbb-8000-00000000000F")).toBe("7d0f3c1e-aaaa-4bbb-8000-00000000000f")
  })

  it.each([
    "",
    "42",
    "7d0f3c1e",
    "7d0f3c1e-aaaa-4bbb-8000-00000000000g",
    " 7d0f3c1e-aaaa-4bbb-8000-00000000000f",
    "7d0f3c1e-aaaa-4bbb-8000-00000000000f\n",
    "{7d0f3c1e-aaaa-4bbb-8000-00000000000f}",
    "7d0f3c1eaaaa4bbb800000000000000f"
  ])("cannot be written as %j", (text) => {
    expect(parseRecordingUuid(text)).toBeUndefined()
  })

  it("is in lower case in every stored record", () => {
    expect(Schema.is(RecordingUuid)("7d0f3c1e-aaaa-4bbb-8000-00000000000f")).toBe(true)
    expect(Schema.is(RecordingUuid)("7D0F3C1E-aaaa-4bbb-8000-00000000000f")).toBe(false)
  })
})
