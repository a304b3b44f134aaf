import type * as crypto from "node:crypto"
import { signSync, verifySync } from "@tapedeck/signing"
import { afterEach, expect, test, vi } from "vitest"

const seen = vi.hoisted(() => ({ imported: 0, compared: [] as Array<readonly [number, number]> }))
vi.mock("node:crypto", async (actual) => {
  const real = await actual<typeof crypto>()
  const createSecretKey = (...args: Parameters<typeof real.createSecretKey>) => {
    seen.imported++
    return real.createSecretKey(...args)
  }
  const timingSafeEqual = (...[a, b]: Parameters<typeof real.timingSafeEqual>) => {
    seen.compared.push([a.byteLength, b.byteLength])
    return real.timingSafeEqual(a, b)
  }
  return { ...real, createSecretKey, timingSafeEqual }
})

afterEach(() => {
  seen.imported = 0
  seen.compared = []
})

const body = "{}"
const use = (secret: string | Uint8Array) => {
  verifySync({ body, secret, headers: signSync({ scheme: "folder", body, secret }) })
  verifySync({ body, secret, headers: signSync({ scheme: "standard", id: "a", timestamp: 0, body, secret }), now: 0 })
}

test("a secret is imported once, whichever scheme uses it", () => {
  for (let round = 0; round < 5; round++) use("once")
  expect(seen.imported).toBe(1)
})

test("a whsec_ secret gives two keys: its text and its bytes", () => {
  for (let round = 0; round < 5; round++) use("whsec_c2VjcmV0")
  expect(seen.imported).toBe(2)
})

test("key bytes are imported once, and again after they were overwritten", () => {
  const bytes = Uint8Array.of(1, 2, 3)
  for (let round = 0; round < 5; round++) use(bytes)
  expect(seen.imported).toBe(1)
  bytes[0] = 9
  for (let round = 0; round < 5; round++) use(bytes)
  expect(seen.imported).toBe(2)
})

test("the cache of keys is bounded, and keeps keys in use", () => {
  for (let index = 0; index < 10_000; index++) {
    signSync({ scheme: "folder", body, secret: `secret ${index}` })
    signSync({ scheme: "folder", body, secret: "always" })
  }
  expect(seen.imported).toBe(10_001)
  signSync({ scheme: "folder", body, secret: "secret 0" })
  expect(seen.imported).toBe(10_002)
  signSync({ scheme: "folder", body, secret: "secret 9999" })
  expect(seen.imported).toBe(10_002)
})

test("signatures are compared by the runtime's function, 32 bytes with 32, for every candidate and secret", () => {
  const headers = signSync({ scheme: "standard", id: "a", timestamp: 0, body, secret: ["x", "y", "z"] })
  const { secretIndex } = verifySync({ body, headers, secret: ["x", "y", "q"], now: 0 })
  expect(secretIndex).toBe(0)
  // The first secret matched the first entry, and still everything was compared.
  expect(seen.compared).toEqual(Array(9).fill([32, 32]))
})
