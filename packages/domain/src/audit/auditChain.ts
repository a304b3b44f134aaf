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
  /** A keyed hash over the entry, what is above, and the link before it. */
  link: Schema.String
})
export type AuditSeal = typeof AuditSeal.Type

/** What is left of the links from the first to `seq`, whose entries were pruned. The chain goes on from it. */
export const AuditCheckpoint = Schema.Struct({
  accountId: AccountId,
  seq: place,
  /** The last entry that was pruned, and when it was made. */
  entryId: AuditEntryId,
  lastAt: Instant,
  link: Schema.String,
  prunedAt: Instant,
  /** A keyed hash over all of the above. */
  signature: Schema.String
})
export type AuditCheckpoint = typeof AuditCheckpoint.Type

/** Where a chain ends: its last link, or the checkpoint where nothing follows it. */
export type AuditHead = Pick<AuditSeal, "seq" | "entryId" | "link">

/** A keyed hash of a text, as text. It cannot be computed without the key. */
export type Mac = (text: string) => string

/**
 * JSON with the keys of each object in order: one text for one content, however it was put together. What is undefined is
 * left out, as JSON leaves it out.
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

/** The link of an entry at its place, behind `previous`, which is null for an account's first. */
export const auditLink = (
  mac: Mac,
  previous: AuditHead["link"] | null,
  { accountId, entryId, sealedAt, seq }: Omit<AuditSeal, "link">,
  entry: AuditEntry
): string => mac(canonicalJson(["tapedeck/audit-link/1", accountId, seq, entryId, sealedAt, previous, entry]))

/** The next link of a chain whose end is `head`, which is null where it has none. */
export const nextSeal = (mac: Mac, head: AuditHead | null, entry: AuditEntry, sealedAt: Instant): AuditSeal => {
  const seal = { accountId: entry.accountId, seq: (head?.seq ?? 0) + 1, entryId: entry.id, sealedAt }
  return { ...seal, link: auditLink(mac, head?.link ?? null, seal, entry) }
}

const signatureOf = (mac: Mac, checkpoint: Omit<AuditCheckpoint, "signature">): string => {
  const { accountId, entryId, lastAt, link, prunedAt, seq } = checkpoint
  return mac(canonicalJson(["tapedeck/audit-checkpoint/1", accountId, seq, entryId, lastAt, link, prunedAt]))
}

/** In place of the links up to this one, whose entry was made at `lastAt`. */
export const checkpointAt = (mac: Mac, seal: AuditSeal, lastAt: Instant, prunedAt: Instant): AuditCheckpoint => {
  const { accountId, entryId, link, seq } = seal
  const checkpoint = { accountId, seq, entryId, lastAt, link, prunedAt }
  return { ...checkpoint, signature: signatureOf(mac, checkpoint) }
}

export const isSigned = (mac: Mac, checkpoint: AuditCheckpoint): boolean =>
  signatureOf(mac, checkpoint) === checkpoint.signature
