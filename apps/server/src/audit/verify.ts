import { type AuditReport, auditAccounts, type KnownHeads, macToVerify, Vault, verifyAudit } from "@tapedeck/core"
import type { AccountId } from "@tapedeck/domain"
import { Cause, Effect, Exit } from "effect"
import { UsageError, type VerifyOptions } from "../cli/commandLine.ts"
import { type Config, readConfig, type Written } from "../config/Config.ts"
import { type DataDirectory, dataDirectoryToRead, locate } from "../dataDirectory.ts"
import { findKey } from "../key/findKey.ts"
import { readHeads } from "./headFile.ts"
import { reportJson, reportText } from "./report.ts"

/**
 * `tapedeck audit verify`: goes through the audit log's chains as they are at this moment, and says what does not fit; gives
 * whether all does. It writes nothing: a server may run meanwhile.
 */
export const verify = async (written: Written, options: VerifyOptions): Promise<boolean> => {
  const config = readConfig(written)
  // Before the chains are opened: a running server moves the file on only after what it stands for is committed.
  const kept: KnownHeads = config.audit_heads === undefined ? new Map() : readHeads(config.audit_heads)
  const directory = directoryOf(config)
  const { key } = findKey(written.environment, directory)
  const vault = Vault.make(key)
  const opened = await chainsIn(config, directory, vault)
  const reports = Effect.gen(function* () {
    const chains = yield* opened
    const mac = yield* macToVerify(chains)
    const accounts = yield* asked(auditAccounts(chains), options, kept)
    return yield* Effect.forEach(accounts, (account) =>
      verifyAudit(chains, mac, account, options.head ?? kept.get(account) ?? null)
    )
  }).pipe(Effect.scoped, Effect.provideService(Vault, vault))
  const exit = await Effect.runPromiseExit(reports)
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  const { value } = exit
  const isHeadKnown = options.head !== undefined || (value.length > 0 && value.every((one) => kept.has(one.accountId)))
  process.stdout.write(
    options.json ? `${JSON.stringify(reportJson(value, isHeadKnown))}\n` : reportText(value, isHeadKnown)
  )
  return fits(value)
}

/** On PostgreSQL a data directory holds little, and may be on another machine. */
const directoryOf = ({ data, database_url }: Config) =>
  database_url === undefined ? dataDirectoryToRead(data) : { ...locate(data), isNew: false }

const chainsIn = async ({ database_url }: Config, { database }: DataDirectory, vault: Vault["Service"]) => {
  if (database_url !== undefined) {
    const { openAuditChains } = await import("@tapedeck/storage/postgres")
    return openAuditChains(database_url, vault)
  }
  const { openAuditChains } = await import("@tapedeck/storage/sqlite")
  return openAuditChains(database, vault)
}

const fits = (reports: ReadonlyArray<AuditReport>) => reports.every(({ found }) => found === 0)

/** A head is one account's: where there are several, it has to be said whose. An account that is asked for may have lost all. */
const asked = Effect.fnUntraced(function* (
  all: ReturnType<typeof auditAccounts>,
  { account, head }: Pick<VerifyOptions, "account" | "head">,
  kept: KnownHeads
) {
  if (account !== undefined) return [account as AccountId]
  const accounts = yield* all
  if (head !== undefined && accounts.length !== 1) {
    return yield* Effect.fail(new UsageError("--head: say whose chain it is of, with --account"))
  }
  // One whose chain is gone altogether is found by its kept head alone.
  return [...new Set([...accounts, ...kept.keys()])].toSorted((a, b) => a - b)
})
