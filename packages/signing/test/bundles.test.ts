import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import { bundle } from "./support/bundle.ts"

const gzipped = (code: string) => gzipSync(code, { level: 9 }).length
const importing = (names: string, condition = "browser") =>
  bundle(`export { ${names} } from "@tapedeck/signing"`, { condition })

test.each([
  ["verify", "browser"],
  ["verifyEvent", "browser"],
  ["verify", "edge-light"],
  ["verify", "node"],
  ["verifySync", "node"]
])("%s for %s is under 6 kB, gzipped; verifyEvent, which reads events too, under 6.2 kB", async (name, condition) => {
  expect(gzipped(await importing(name, condition))).toBeLessThan(name === "verifyEvent" ? 6200 : 6000)
})

test("a bundle does not contain unused functions", async () => {
  expect(gzipped(await importing("isAuditLogEvent"))).toBeLessThan(600)
  const verifying = await importing("verify")
  // The fields of events, the ways to sign, and the store in memory.
  for (const word of ["thumbnail_url", 'X-Webhook-Signature"]:', "capacity"]) expect(verifying).not.toContain(word)
  const signing = await importing("sign")
  for (const word of ["replayStore", "toleranceSeconds", "thumbnail_url"]) expect(signing).not.toContain(`${word}:`)
  expect(gzipped(signing)).toBeLessThan(gzipped(await importing("sign, verify")))
})

test("bundles for browsers and the edge import nothing of Node", async () => {
  for (const condition of ["browser", "edge-light", "workerd", "default"]) {
    for (const from of ["@tapedeck/signing", "@tapedeck/signing/fetch"]) {
      const code = await bundle(`export * from "${from}"`, { condition })
      expect(code).not.toMatch(/node:|\brequire\(|\bprocess\.|\bBuffer\./)
      expect(code).toContain("subtle")
    }
  }
  expect(await importing("verify", "node")).toContain("node:crypto")
})
