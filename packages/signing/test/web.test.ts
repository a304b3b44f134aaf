import { sign, signSync, verify, verifySync } from "@tapedeck/signing"
import { expect, test, vi } from "vitest"
import { optionsOf, vectors } from "./support/vectors.ts"

// What runtimes get that are not Node: the package's `imports` choose this file there.
vi.mock("#hmac", () => import("../src/hmac/web.ts"))

test.each(vectors)("WebCrypto gives the same answer: %s", async (_name, file, vector) => {
  const { expected } = vector
  const answer = await verify(optionsOf(file, vector)).then(
    ({ secretIndex }) => ({ valid: true, secret_index: secretIndex }),
    ({ code }) => ({ valid: false, code })
  )
  expect(answer).toEqual(expected)
})

test("what answers at once says what to call instead", () => {
  const body = "{}"
  expect(() => signSync({ scheme: "folder", body, secret: "s" })).toThrow(/WebCrypto alone.*: use sign\./)
  const headers = { "x-tapedeck-signature": `sha256=${"0".repeat(64)}` }
  expect(() => verifySync({ body, headers, secret: "s" })).toThrow(/WebCrypto alone.*: use verify\./)
})

test("a key is imported once and kept", async () => {
  const importKey = vi.spyOn(globalThis.crypto.subtle, "importKey")
  for (let round = 0; round < 3; round++) {
    const headers = await sign({ scheme: "folder", body: "{}", secret: "kept by WebCrypto" })
    await verify({ body: "{}", headers, secret: "kept by WebCrypto" })
  }
  expect(importKey).toHaveBeenCalledTimes(1)
  importKey.mockRestore()
})

test("a runtime without WebCrypto is told so", async () => {
  vi.stubGlobal("crypto", {})
  await expect(sign({ scheme: "folder", body: "{}", secret: "never imported" })).rejects.toMatchObject({
    code: "crypto_unavailable"
  })
  vi.unstubAllGlobals()
})
