import {
  type AuditEncoding,
  type SignOptions,
  sign,
  signSync,
  type VerifySyncOptions,
  verify,
  verifyResultSync,
  verifySync
} from "@tapedeck/signing"
import * as fc from "fast-check"
import { expect, test } from "vitest"

const bytes = fc.uint8Array({ minLength: 0, maxLength: 300 })
const text = fc.string({ unit: "binary", minLength: 1, maxLength: 40 })
const whsec = fc
  .uint8Array({ minLength: 1, maxLength: 64 })
  .map((key) => `whsec_${Buffer.from(key).toString("base64")}`)
const secret = fc.oneof(text, whsec, fc.uint8Array({ minLength: 1, maxLength: 100 }))
const id = fc.string({ unit: fc.constantFrom(..."abcXYZ019_-!~"), minLength: 1, maxLength: 40 })
const timestamp = fc.integer({ min: 0, max: 10_000_000_000 })
const encoding = fc.constantFrom<AuditEncoding>("hex", "sha256=hex", "base64")
const vendor = fc.constantFrom("Tapedeck", "Acme", "x-1")

interface Delivery {
  readonly signing: SignOptions
  readonly verifying: VerifySyncOptions
}

/** A delivery of any scheme, and what verifies it. */
const delivery: fc.Arbitrary<Delivery> = fc
  .oneof(
    fc.record({ scheme: fc.constant("folder" as const), body: bytes, secret, vendor }),
    fc.record({ scheme: fc.constant("audit" as const), body: bytes, secret, encoding }),
    fc.record({ scheme: fc.constant("standard" as const), body: bytes, secret, id, timestamp })
  )
  .map((signing) => ({
    signing,
    verifying: {
      body: signing.body,
      secret: signing.secret,
      headers: signSync(signing),
      ...("vendor" in signing ? { vendor: signing.vendor } : {}),
      ...("timestamp" in signing ? { now: signing.timestamp * 1000 } : {})
    }
  }))

const runs = { numRuns: 500, seed: 20_260_101 }

test("verify accepts what sign made, for any bytes, at once and later", async () => {
  await fc.assert(
    fc.asyncProperty(delivery, async ({ signing, verifying }) => {
      const verified = verifySync(verifying)
      expect(verified).toMatchObject({ scheme: signing.scheme, secretIndex: 0 })
      expect(await sign(signing)).toEqual(verifying.headers)
      expect(await verify(verifying)).toEqual(verified)
    }),
    runs
  )
})

/** The same bytes with one bit turned over. */
const flipped = (given: Uint8Array, bit: number): Uint8Array => {
  const changed = Uint8Array.from(given)
  changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7))
  return changed
}

const flippedText = (given: string, bit: number) =>
  Buffer.from(flipped(Buffer.from(given, "latin1"), bit)).toString("latin1")

test("any single flipped bit in the body fails", () => {
  fc.assert(
    fc.property(delivery, fc.nat(), ({ verifying }, anyBit) => {
      const body = verifying.body as Uint8Array
      fc.pre(body.length > 0)
      const changed = flipped(body, anyBit % (body.length * 8))
      expect(verifyResultSync({ ...verifying, body: changed })).toMatchObject({ error: { code: "signature_mismatch" } })
    }),
    runs
  )
})

test("every single flipped bit in every header fails: signature, id and timestamp", () => {
  fc.assert(
    fc.property(delivery, ({ verifying }) => {
      for (const [name, value] of Object.entries(verifying.headers as Record<string, string>)) {
        for (let bit = 0; bit < value.length * 8; bit++) {
          const headers = { ...verifying.headers, [name]: flippedText(value, bit) }
          // However far the new timestamp is: it is not its age that must refuse it.
          const toleranceSeconds = "webhook-id" in headers ? Number.POSITIVE_INFINITY : undefined
          expect(verifyResultSync({ ...verifying, headers, toleranceSeconds }).ok).toBe(false)
        }
      }
    }),
    { ...runs, numRuns: 25 }
  )
})

test("any byte added or removed at either end of the body fails", () => {
  fc.assert(
    fc.property(delivery, fc.nat({ max: 255 }), ({ verifying }, byte) => {
      const body = verifying.body as Uint8Array
      const changes = [Uint8Array.of(byte, ...body), Uint8Array.of(...body, byte)]
      if (body.length > 0) changes.push(body.slice(1), body.slice(0, -1))
      for (const changed of changes) expect(verifyResultSync({ ...verifying, body: changed }).ok).toBe(false)
    }),
    runs
  )
})

test("different bytes never share a signature, whatever their decoded text", () => {
  const body = fc.oneof(bytes, fc.string({ unit: "binary", maxLength: 20 }))
  const signature = (given: Uint8Array | string) => signSync({ scheme: "folder", body: given, secret: "s" })
  const same = (a: Uint8Array | string, b: Uint8Array | string) =>
    Buffer.from(a as string).equals(Buffer.from(b as string))
  fc.assert(
    fc.property(body, body, (a, b) => {
      expect(signature(a)["X-Tapedeck-Signature"] === signature(b)["X-Tapedeck-Signature"]).toBe(same(a, b))
    }),
    runs
  )
})

test("two deliveries never share signed text, wherever their full stops are", () => {
  const part = fc.string({ unit: fc.constantFrom("1", "2", ".", "a"), minLength: 1, maxLength: 6 })
  const tried = fc.record({ id: part, timestamp: fc.nat({ max: 30 }), body: part })
  const signature = (given: { id: string; timestamp: number; body: string }) => {
    try {
      return signSync({ scheme: "standard", secret: "s", ...given })["webhook-signature"]
    } catch {
      return undefined
    }
  }
  fc.assert(
    fc.property(tried, tried, (a, b) => {
      const [first, second] = [signature(a), signature(b)]
      if (first !== undefined && first === second) expect(a).toEqual(b)
      if (a.id.includes(".")) expect(first).toBeUndefined()
    }),
    { ...runs, numRuns: 5000 }
  )
})

test("headers of any content, and bodies of any kind, give a documented result", () => {
  const value = fc.oneof(
    fc.string(),
    fc.array(fc.string(), { maxLength: 3 }),
    fc.constant(undefined),
    fc.constant(null),
    fc.integer()
  )
  const names = [
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "x-webhook-signature",
    "x-tapedeck-signature"
  ] as const
  const headers = fc.record(Object.fromEntries(names.map((name) => [name, value])), { requiredKeys: [] })
  fc.assert(
    fc.property(headers, fc.anything(), secret, (given, body, key) => {
      const options = { headers: given, body, secret: key, now: 0 } as unknown as VerifySyncOptions
      expect(verifyResultSync(options)).toMatchObject({ ok: false, error: { name: "SigningError" } })
    }),
    runs
  )
})
