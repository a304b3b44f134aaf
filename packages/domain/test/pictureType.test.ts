import { describe, expect, it } from "vitest"
import { pictureTypeOf } from "../src/internal/files.ts"

describe("the type of a picture", () => {
  it.each([
    ["89504e470d0a1a0a", "image/png"],
    ["89504e470d0a1a0a0000000d49484452", "image/png"],
    ["ffd8ffe0", "image/jpeg"],
    ["ffd8ff", "image/jpeg"],
    ["89504e470d0a1a", undefined],
    ["ffd8", undefined],
    ["474946383961", undefined],
    ["3c73766720786d6c6e733d", undefined],
    ["00ffd8ffe0", undefined],
    ["", undefined]
  ])("of a file that begins with %s is %s", (hex, type) => {
    expect(pictureTypeOf(Buffer.from(hex, "hex"))).toBe(type)
  })
})
