import { createHmac } from "node:crypto"
import { describe, expect, test } from "vitest"
import { canonicalJson } from "../src/audit/auditChain.ts"
import { type AuditEntry, checkpointAt, isSigned, nextSeal } from "../src/audit/index.ts"
import { AccountId, AuditEntryId, Instant, UserId } from "../src/index.ts"

const mac = (text: string) => createHmac("sha256", "key").update(text).digest("base64url")
const at = Instant.make(0)

const entry: AuditEntry = {
  id: AuditEntryId.make(1),
  accountId: AccountId.make(1),
  eventType: "user.login",
  status: "success",
  at,
  userId: UserId.make(11),
  ipAddress: null,
  userAgent: "curl/8",
  metadata: { targetType: "user", targetId: "11", changes: { name: { from: null, to: ["x"] } } }
}

describe("canonical JSON", () => {
  test("is the same text for the same content, whatever the order of the keys at any depth", () => {
    expect(canonicalJson({ b: 1, a: [{ d: null, c: "é\u0000" }] })).toBe('{"a":[{"c":"é\\u0000","d":null}],"b":1}')
    expect(canonicalJson({ a: [{ c: "é\u0000", d: null }], b: 1, gone: undefined })).toBe(
      canonicalJson({ b: 1, a: [{ d: null, c: "é\u0000" }] })
    )
  })

  test("has different hashes for different values", () => {
    const texts = [1, "1", null, "null", [], {}, [[]], { a: 1 }, { a: "1" }, [1, 2], ["1,2"], true].map(canonicalJson)
    expect(new Set(texts).size).toBe(texts.length)
  })
})

describe("a link (A5)", () => {
  const first = nextSeal(mac, null, entry, at)

  test("has the position after the previous link", () => {
    expect(first).toMatchObject({ accountId: 1, seq: 1, entryId: 1, sealedAt: 0 })
    expect(nextSeal(mac, first, { ...entry, id: AuditEntryId.make(5) }, at)).toMatchObject({ seq: 2, entryId: 5 })
  })

  const changes: ReadonlyArray<Partial<AuditEntry>> = [
    { id: AuditEntryId.make(2) },
    { accountId: AccountId.make(2) },
    { eventType: "user.logout" },
    { status: "failure" },
    { at: Instant.make(1) },
    { userId: null },
    { ipAddress: "::1" },
    { userAgent: null },
    { metadata: { ...entry.metadata, targetType: "token" } },
    { metadata: { ...entry.metadata, targetId: "12" } },
    { metadata: { ...entry.metadata, changes: { name: { from: null, to: ["y"] } } } }
  ]

  test.each(changes)("has another hash for an entry with %j", (change) => {
    expect(nextSeal(mac, null, { ...entry, ...change }, at).link).not.toBe(first.link)
  })

  test("has another hash at another position, after another link, at another time, and with another key", () => {
    const others = [
      nextSeal(mac, { seq: 1, entryId: entry.id, link: "a" }, entry, at),
      nextSeal(mac, { seq: 1, entryId: entry.id, link: "b" }, entry, at),
      nextSeal(mac, { seq: 2, entryId: entry.id, link: "a" }, entry, at),
      nextSeal(mac, null, entry, Instant.make(1)),
      nextSeal((text) => mac(`x${text}`), null, entry, at)
    ]
    expect(new Set([first, ...others].map(({ link }) => link)).size).toBe(6)
  })
})

describe("a checkpoint (A5)", () => {
  const checkpoint = checkpointAt(mac, nextSeal(mac, null, entry, at), at, Instant.make(9))

  test("has a signature over all of its fields", () => {
    expect(isSigned(mac, checkpoint)).toBe(true)
    const changes = [
      { accountId: AccountId.make(2) },
      { seq: 2 },
      { entryId: AuditEntryId.make(2) },
      { lastAt: Instant.make(1) },
      { link: "other" },
      { prunedAt: Instant.make(8) },
      { signature: "other" }
    ]
    for (const change of changes)
      expect(isSigned(mac, { ...checkpoint, ...change }), JSON.stringify(change)).toBe(false)
  })
})
