import { expect, it } from "vitest"
import { headerMap } from "../../src/internal/delivery.ts"

it("joins the values of a header by commas, and those of set-cookie by line feeds", () => {
  const headers = [
    ["x-a", "1"],
    ["set-cookie", "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT"],
    ["x-a", "2"],
    ["set-cookie", "b=2"],
    ["__proto__", "3"]
  ] as const
  expect(Object.entries(headerMap(headers))).toEqual([
    ["x-a", "1, 2"],
    ["set-cookie", "a=1; Expires=Thu, 01 Jan 2026 00:00:00 GMT\nb=2"],
    ["__proto__", "3"]
  ])
})
