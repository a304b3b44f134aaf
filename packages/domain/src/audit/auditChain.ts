import * as Schema from "effect/Schema"
import { AccountId, AuditEntryId } from "../ids.ts"
import { Instant } from "../time.ts"
import type { AuditEntry } from "./AuditEntry.ts"

/** Places in an account's chain are counted from 1, without gaps. */
const place = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

/** One link of an account's chain of audit entries. */
export const AuditSeal = Schema.Struct({
  accountId: AccountId,
  seq: place,
  entryId: AuditEntryId,
  sealedAt: Instant,
  /** A keyed hash over the entry, the fields above, and the previous link. */
  link: Schema.String
})
export type AuditSeal = typeof AuditSeal.Type

/** Replaces the links from the first to `seq`, whose entries were pruned. The chain continues from it. */
export const AuditCheckpoint = Schema.Struct({
  accountId: AccountId,
  seq: place,
  /** The last pruned entry, and the time of its creation. */
  entryId: AuditEntryId,
  lastAt: Instant,
  link: Schema.String,
  prunedAt: Instant,
  /** A keyed hash over all of the above. */
  signature: Schema.String
})
export type AuditCheckpoint = typeof AuditCheckpoint.Type

/** The end of a chain: its last link, or the checkpoint if no link follows it. */
export type AuditHead = Pick<AuditSeal, "seq" | "entryId" | "link">

/** A keyed hash of a text, as text. It cannot be computed without the key. */
export type Mac = (text: string) => string

/**
 * Returns JSON with sorted keys in each object, so that equal contents give the same text. Undefined values are omitted, as in
 * JSON.
 */
export const canonicalJson = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join(",")}}`
}

/** Returns the link of an entry at its place, after `previous`, which is null for the first one of an account. */
export const auditLink = (
  mac: Mac,
  previous: AuditHead["link"] | null,
  { accountId, entryId, sealedAt, seq }: Omit<AuditSeal, "link">,
  entry: AuditEntry
): string => mac(canonicalJson(["tapedeck/audit-link/1", accountId, seq, entryId, sealedAt, previous, entry]))

/** Returns the next link of a chain that ends with `head`; null for an empty chain. */
export const nextSeal = (mac: Mac, head: AuditHead | null, entry: AuditEntry, sealedAt: Instant): AuditSeal => {
  const seal = { accountId: entry.accountId, seq: (head?.seq ?? 0) + 1, entryId: entry.id, sealedAt }
  return { ...seal, link: auditLink(mac, head?.link ?? null, seal, entry) }
}

const signatureOf = (mac: Mac, checkpoint: Omit<AuditCheckpoint, "signature">): string => {
  const { accountId, entryId, lastAt, link, prunedAt, seq } = checkpoint
  return mac(canonicalJson(["tapedeck/audit-checkpoint/1", accountId, seq, entryId, lastAt, link, prunedAt]))
}

/** Returns the checkpoint that replaces the links up to `seal`, whose entry was created at `lastAt`. */
export const checkpointAt = (mac: Mac, seal: AuditSeal, lastAt: Instant, prunedAt: Instant): AuditCheckpoint => {
  const { accountId, entryId, link, seq } = seal
  const checkpoint = { accountId, seq, entryId, lastAt, link, prunedAt }
  return { ...checkpoint, signature: signatureOf(mac, checkpoint) }
}

export const isSigned = (mac: Mac, checkpoint: AuditCheckpoint): boolean =>
  signatureOf(mac, checkpoint) === checkpoint.signature
