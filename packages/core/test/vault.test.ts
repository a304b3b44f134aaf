import { createHash } from "node:crypto"
import { Effect, Exit, Redacted } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Ids, Vault } from "../src/index.ts"

const keyOf = (byte: number) => Redacted.make(new Uint8Array(32).fill(byte))
const vault = Vault.make(keyOf(1))

const countingIds = () => {
  let count = 0
  return Ids.of({
    bytes: (kind, length) =>
      Effect.sync(() => createHash("sha512").update(`${kind}/${++count}`).digest().subarray(0, length))
  })
}

const seal = (text: string, by = vault, ids = countingIds()) =>
  Effect.runSync(Effect.provideService(by.seal(text), Ids, ids))

const open = (sealed: string, by = vault) => Effect.runSync(by.open(sealed))
const opens = (sealed: string, by = vault) => Exit.isSuccess(Effect.runSyncExit(by.open(sealed)))

describe("the vault (R19)", () => {
  it("opens every text that it sealed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 300 }), (text) => {
        expect(open(seal(text))).toBe(text)
      })
    )
  })

  it("opens with its own key only; two vaults of the same key are equal", () => {
    const sealed = seal("tdk_secret")
    expect(open(sealed, Vault.make(keyOf(1)))).toBe("tdk_secret")
    expect(opens(sealed, Vault.make(keyOf(2)))).toBe(false)
  })

  it("dies if any bit of the sealed text was changed", () => {
    const bytes = Buffer.from(seal("tdk_secret"), "base64")
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const tampered = Buffer.from(bytes)
      tampered[bit >> 3]! ^= 1 << (bit & 7)
      expect([bit, opens(tampered.toString("base64"))]).toEqual([bit, false])
    }
  })

  it("dies on text that was cut, extended or never sealed", () => {
    const bytes = Buffer.from(seal("tdk_secret"), "base64")
    for (let length = 0; length < bytes.length; length++) {
      expect([length, opens(bytes.subarray(0, length).toString("base64"))]).toEqual([length, false])
    }
    expect(opens(Buffer.concat([bytes, Buffer.of(0)]).toString("base64"))).toBe(false)
    for (const text of ["", "tdk_secret", "AAAA"]) expect(opens(text)).toBe(false)
  })

  it("seals the same text differently each time", () => {
    const ids = countingIds()
    const sealed = Array.from({ length: 20 }, () => seal("tdk_secret", vault, ids))
    expect(new Set(sealed).size).toBe(20)
  })

  it("reveals nothing of the text in the sealed text or in its hash", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 60 }), (text) => {
        const bytes = Buffer.from(text, "utf8")
        expect(Buffer.from(seal(text), "base64").includes(bytes)).toBe(false)
        expect(vault.hash(text)).not.toContain(text)
        expect(Buffer.from(vault.hash(text), "base64url").includes(bytes)).toBe(false)
      })
    )
  })

  it("names neither the text nor the key when it dies", () => {
    const exit = Effect.runSyncExit(Vault.make(keyOf(2)).open(seal("tdk_secret")))
    const said = JSON.stringify(exit) + String(Exit.isFailure(exit) ? exit.cause : "")
    expect(said).not.toContain("tdk_secret")
  })
})

describe("a hash", () => {
  it("is equal for the same text and key, each time", () => {
    const long = "x".repeat(1_000)
    for (const text of ["tdk_secret", "", long]) {
      expect(vault.hash(text)).toBe(vault.hash(text))
      expect(Vault.make(keyOf(1)).hash(text)).toBe(vault.hash(text))
    }
  })

  it("differs by text and by key, so that hashes of one store are useless in another", () => {
    const texts = ["tdk_a", "tdk_b", "tdk_A", "tdk_a ", "", "x".repeat(256), "x".repeat(257)]
    expect(new Set(texts.map(vault.hash)).size).toBe(texts.length)
    for (const text of texts) expect(Vault.make(keyOf(2)).hash(text)).not.toBe(vault.hash(text))
  })

  it("is still correct after its cache was evicted", () => {
    const before = vault.hash("first")
    for (let count = 0; count < 10_001; count++) vault.hash(`other ${count}`)
    expect(vault.hash("first")).toBe(before)
  })
})
