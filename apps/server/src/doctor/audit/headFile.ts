import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs"
import type { AuditHeadFile, KnownHead, KnownHeads } from "@tapedeck/core"
import type { AccountId } from "@tapedeck/domain"
import { Effect } from "effect"
import { ConfigInvalid } from "../../config/Config.ts"
import { type FileUnreadable, readGivenFile } from "../../config/readGivenFile.ts"
import { headIn, headText } from "./headText.ts"

/** Reads heads from a file, `{"1": "5:GeYR0ntL…"}`. Empty if the file does not exist. Throws a `ConfigInvalid`. */
export const readHeads = (path: string): KnownHeads => {
  const refused = (why: string) => new ConfigInvalid([{ names: ["audit_heads"], text: `${path}: ${why}` }])
  const refuse = () => refused("contains no heads of audit chains")
  let text: string
  try {
    text = readGivenFile(path)
  } catch (error) {
    const { code, message } = error as FileUnreadable
    if (code === "ENOENT") return new Map()
    throw refused(message)
  }
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    throw refuse()
  }
  if (typeof found !== "object" || found === null || Array.isArray(found)) throw refuse()
  const heads = new Map<AccountId, KnownHead>()
  for (const [account, written] of Object.entries(found)) {
    const head = headIn(String(written))
    if (!/^[1-9]\d{0,14}$/.test(account) || head === undefined) throw refuse()
    heads.set(Number(account) as AccountId, head)
  }
  return heads
}

/** Replaces the file by a rename, so that a crash leaves either the old heads or the new ones. */
const writeHeads = (path: string, heads: KnownHeads): void => {
  const accounts = [...heads].toSorted(([a], [b]) => a - b)
  const text = JSON.stringify(Object.fromEntries(accounts.map(([account, head]) => [account, headText(head)])), null, 2)
  const file = openSync(`${path}.new`, "w", 0o600)
  try {
    writeSync(file, `${text}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(`${path}.new`, path)
}

export const headFile = (path: string): AuditHeadFile => ({
  read: Effect.sync(() => readHeads(path)),
  write: (heads) => Effect.sync(() => writeHeads(path, heads))
})
