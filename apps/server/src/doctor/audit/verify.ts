import { type AuditReport, auditAccounts, type KnownHeads, macToVerify, Vault, verifyAudit } from "@tapedeck/core"
import type { AccountId } from "@tapedeck/domain"
import { Cause, Effect, Exit } from "effect"
import { UsageError, type VerifyOptions } from "../../cli/commandLine.ts"
import { type Config, readConfig, type Written } from "../../config/Config.ts"
import { type DataDirectory, dataDirectoryToRead, locate } from "../../config/dataDirectory.ts"
import { findKey } from "../../config/key/findKey.ts"
import { readHeads } from "./headFile.ts"
import { reportJson, reportText } from "./report.ts"

/**
 * `tapedeck audit verify`: verifies the chains of the audit log as they are now, prints their faults, and returns whether
 * everything is right. It only reads: a server may run at the same time.
 */
export const verify = async (written: Written, options: VerifyOptions): Promise<boolean> => {
  const config = readConfig(written)
  // Read before the chains, because a running server updates the file after it has committed the entries.
  const storedHeads: KnownHeads = config.audit_heads === undefined ? new Map() : readHeads(config.audit_heads)
  const directory = directoryOf(config)
  const { key } = findKey(written.environment, directory)
  const vault = Vault.make(key)
  const opened = await chainsIn(config, directory, vault)
  const reports = Effect.gen(function* () {
    const chains = yield* opened
    const mac = yield* macToVerify(chains)
    const accounts = yield* accountsToVerify(auditAccounts(chains), options, storedHeads)
    return yield* Effect.forEach(accounts, (account) =>
      verifyAudit(chains, mac, account, options.head ?? storedHeads.get(account) ?? null)
    )
  }).pipe(Effect.scoped, Effect.provideService(Vault, vault))
  const exit = await Effect.runPromiseExit(reports)
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  const { value } = exit
  const isHeadKnown =
    options.head !== undefined || (value.length > 0 && value.every((one) => storedHeads.has(one.accountId)))
  process.stdout.write(
    options.json ? `${JSON.stringify(reportJson(value, isHeadKnown))}\n` : reportText(value, isHeadKnown)
  )
  return fits(value)
}

/** On PostgreSQL a data directory contains little, and may be on another machine. */
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

/** The accounts to verify. A head belongs to one account, so with several accounts `--account` is required. */
const accountsToVerify = Effect.fnUntraced(function* (
  all: ReturnType<typeof auditAccounts>,
  { account, head }: Pick<VerifyOptions, "account" | "head">,
  storedHeads: KnownHeads
) {
  if (account !== undefined) return [account as AccountId]
  const accounts = yield* all
  if (head !== undefined && accounts.length !== 1) {
    return yield* Effect.fail(new UsageError("--head: give --account too, because there are several accounts"))
  }
  // An account whose chain was removed as a whole is found only by its stored head.
  return [...new Set([...accounts, ...storedHeads.keys()])].toSorted((a, b) => a - b)
})
