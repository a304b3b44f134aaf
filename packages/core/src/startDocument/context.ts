import { type Account, AccountId, type Instant } from "@tapedeck/domain"
import { Effect } from "effect"
import { now } from "../now.ts"
import type { AllowHttp } from "../webhookChecks.ts"
import { emailKey, type Known, lookUp } from "./known.ts"
import { type Lenient, present } from "./lenient.ts"
import { freeNumber } from "./numbers.ts"
import type { StartDocument } from "./schema.ts"

export interface StartDocumentOptions {
  /** The vendor word (N2): the own app's platform, and a signature header that is refused among custom headers. */
  readonly vendor: string
  /** Whether a webhook may go by plain HTTP to this URL: the emulator's exemption. Else webhooks are HTTPS only. */
  readonly allowHttp: AllowHttp
  /** Where a sink is reached. Without it, as in the server, there are no sinks, and a document can have none. */
  readonly sinkUrl?: (id: string) => string
  /** Ids of sinks that there are already. */
  readonly takenSinks?: ReadonlySet<string>
  /** Reads the file of a video's `path`, or throws. Absent where files are not to be read: over HTTP. */
  readonly readFile?: (path: string) => Uint8Array
}

/** What a document is checked against: the world, its own other entries, and the options. */
export interface CheckContext {
  readonly options: StartDocumentOptions
  readonly now: Instant
  readonly known: Known
  /** Accounts of the world and of the document; the first is where things are that name none. */
  readonly accountIds: ReadonlySet<number>
  readonly firstAccountId: number | undefined
  /** The accounts of users (by `emailKey`) and folders, of the world and of the document; undefined: in doubt. */
  readonly accountOfUser: ReadonlyMap<string, number | undefined>
  readonly accountOfFolder: ReadonlyMap<string, number | undefined>
  /** Sinks of the world and of the document. */
  readonly sinkIds: ReadonlySet<string>
  /** What `path`s of videos hold, as far as they were read. */
  readonly files: Map<string, Uint8Array>
}

/** What a document is checked against, and the accounts that it makes. It writes nothing but the numbers it gives to accounts. */
export const contextOf = Effect.fnUntraced(function* (document: Lenient<StartDocument>, options: StartDocumentOptions) {
  const known = yield* lookUp(document)
  const accounts = yield* newAccounts(document, known)
  const accountIds = new Set<number>([...known.accounts, ...accounts].map(({ id }) => id))
  const firstAccountId = (accounts[0] ?? known.accounts[0])?.id
  const accountOf = (account: number | undefined) => (account === undefined ? firstAccountId : account)
  const accountOfUser = new Map<string, number | undefined>()
  for (const [key, { accountId }] of known.users) accountOfUser.set(key, accountId)
  for (const [, { account, email }] of present(document.users)) {
    if (email !== undefined) accountOfUser.set(emailKey(email), accountOf(account))
  }
  const accountOfFolder = new Map<string, number | undefined>()
  for (const [id, { accountId }] of known.folders) accountOfFolder.set(id, accountId)
  for (const [, { account, id }] of present(document.folders)) {
    if (id !== undefined) accountOfFolder.set(id, accountOf(account))
  }
  const sinkIds = new Set(options.takenSinks)
  for (const [, { id }] of present(document.sinks)) if (id !== undefined) sinkIds.add(id)
  const context: CheckContext = {
    options,
    now: yield* now,
    known,
    accountIds,
    firstAccountId,
    accountOfUser,
    accountOfFolder,
    sinkIds,
    files: new Map()
  }
  return { accounts, context }
})

/** The accounts that a document makes, with their numbers; one that it needs and nobody gave among them. */
const newAccounts = Effect.fnUntraced(function* (document: Lenient<StartDocument>, known: Known) {
  const given = [...(document.account ? [document.account] : []), ...present(document.accounts).map(([, one]) => one)]
  const entries = given.length === 0 && known.accounts.length === 0 && needsAccount(document) ? [{}] : given
  const nextId = freeNumber("account", entries)
  return yield* Effect.forEach(entries, (entry: Lenient<NonNullable<StartDocument["account"]>>) =>
    Effect.gen(function* () {
      const account: Account = {
        id: AccountId.make(entry.id ?? (yield* nextId)),
        name: entry.name ?? "Account",
        apiAccess: entry.api_access ?? true
      }
      return account
    })
  )
})

/** Whether anything is in the first account for want of another. */
const needsAccount = ({ audit_destinations, folders, recordings, users }: Lenient<StartDocument>): boolean =>
  [users, folders, recordings, audit_destinations].some((list) =>
    present<{ readonly account?: number | undefined }>(list).some(([, { account }]) => account === undefined)
  )
