import { sign, signSync, verify, verifySync } from "@tapedeck/signing"
import { expect, test, vi } from "vitest"
import { optionsOf, vectors } from "./support/vectors.ts"

// What runtimes get that are not Node: the package's `imports` choose this file there.
vi.mock("#hmac", () => import("../src/hmac/web.ts"))

test.each(vectors)("WebCrypto gives the same result: %s", async (_name, file, vector) => {
  const { expected } = vector
  const answer = await verify(optionsOf(file, vector)).then(
    ({ secretIndex }) => ({ valid: true, secret_index: secretIndex }),
    ({ code }) => ({ valid: false, code })
  )
  expect(answer).toEqual(expected)
})

test("a synchronous call throws an error that names the asynchronous one", () => {
  const body = "{}"
  expect(() => signSync({ scheme: "folder", body, secret: "s" })).toThrow(/WebCrypto alone.*: use sign\./)
  const headers = { "x-tapedeck-signature": `sha256=${"0".repeat(64)}` }
  expect(() => verifySync({ body, headers, secret: "s" })).toThrow(/WebCrypto alone.*: use verify\./)
})

test("a key is imported once and cached", async () => {
  const importKey = vi.spyOn(globalThis.crypto.subtle, "importKey")
  for (let round = 0; round < 3; round++) {
    const headers = await sign({ scheme: "folder", body: "{}", secret: "kept by WebCrypto" })
    await verify({ body: "{}", headers, secret: "kept by WebCrypto" })
  }
  expect(importKey).toHaveBeenCalledTimes(1)
  importKey.mockRestore()
})

test("a runtime without WebCrypto gets a named error", async () => {
  vi.stubGlobal("crypto", {})
  await expect(sign({ scheme: "folder", body: "{}", secret: "never imported" })).rejects.toMatchObject({
    code: "crypto_unavailable"
  })
  vi.unstubAllGlobals()
})
