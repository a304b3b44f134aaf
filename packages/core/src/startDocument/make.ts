import { type Account, AccountId, type RecordingUuid, type TranscriptStatus } from "@tapedeck/domain"
import { Effect } from "effect"
import { Store } from "../Store.ts"
import type { CheckContext } from "./context.ts"
import {
  type MadeAccount,
  type MadeAutomation,
  type MadeDestination,
  type MadeFolder,
  type MadeUser,
  type MakeContext,
  madeAccount,
  makeAutomation,
  makeDestination,
  makeFolder,
  makeUser
} from "./entries.ts"
import { emailKey } from "./known.ts"
import { freeNumber } from "./numbers.ts"
import type { Outcome } from "./outcome.ts"
import type { RecordingEntry } from "./recordingSchema.ts"
import { type MadeRecording, makeRecording, type RecordingContext } from "./recordings.ts"
import { sinkIn } from "./references.ts"
import type { SinkEntry, StartDocument, UserEntry } from "./schema.ts"

/**
 * What a document made, in its own shape, with ids, tokens, secrets and defaults filled in. It is a start document
 * again: in another world it makes the same.
 */
export interface MadeDocument {
  readonly account?: MadeAccount
  readonly accounts?: ReadonlyArray<MadeAccount>
  readonly users: ReadonlyArray<MadeUser>
  readonly recordings: ReadonlyArray<MadeRecording>
  readonly folders: ReadonlyArray<MadeFolder>
  readonly sinks: ReadonlyArray<MadeSink>
  readonly automations: ReadonlyArray<MadeAutomation>
  readonly audit_destinations: ReadonlyArray<MadeDestination>
}

export interface MadeSink {
  readonly id: string
  readonly respond: ReadonlyArray<Outcome>
}

/** A transcript that turns `status` with its read number `reads`, counted from when the document was loaded. */
export interface ReadScript {
  readonly recordingUuid: RecordingUuid
  readonly steps: ReadonlyArray<{ readonly reads: number; readonly status: TranscriptStatus }>
}

export interface LoadedDocument {
  readonly made: MadeDocument
  /** Sinks live outside the store: the caller makes these. */
  readonly sinks: ReadonlyArray<MadeSink>
  /** Reads are counted outside the store: the caller counts these. */
  readonly readScripts: ReadonlyArray<ReadScript>
}

/** Makes what a checked document describes. */
export const makeDocument = Effect.fnUntraced(function* (
  document: StartDocument,
  accounts: ReadonlyArray<Account>,
  context: CheckContext
) {
  const store = yield* Store
  const { known, now, options } = context
  const making: MakeContext = {
    now,
    accountOf: (account) => AccountId.make(account ?? defined(context.firstAccountId)),
    accountOfFolder: (folder) => AccountId.make(defined(context.accountOfFolder.get(folder))),
    webhookUrl: (url) => {
      const sink = sinkIn(url)
      return sink === undefined ? url : defined(options.sinkUrl)(sink)
    }
  }
  yield* Effect.forEach(accounts, store.accounts.save, { discard: true })

  const users = yield* makeUsers(document.users ?? [], making)
  const folders = yield* Effect.forEach(document.folders ?? [], (entry) => makeFolder(entry, making))
  const recordings = yield* makeRecordings(document.recordings ?? [], {
    vendor: options.vendor,
    now,
    accountOf: making.accountOf,
    userIds: new Map([
      ...[...known.users.values()].map(({ email, id }) => [emailKey(email), id] as const),
      ...users.map(({ user }) => [emailKey(user.email), user.id] as const)
    ]),
    files: context.files
  })
  const sinks = namedSinks(document.sinks ?? [], context)
  const made: MadeDocument = {
    ...madeAccounts(document, accounts),
    users: users.map((one) => one.made),
    recordings: recordings.map((one) => one.made),
    folders: folders.map((one) => one.made),
    sinks,
    automations: yield* Effect.forEach(document.automations ?? [], (entry) => makeAutomation(entry, making)),
    audit_destinations: yield* Effect.forEach(document.audit_destinations ?? [], (entry) =>
      makeDestination(entry, making)
    )
  }
  const readScripts = recordings.flatMap(({ recordingUuid, steps }) =>
    steps.length === 0 ? [] : [{ recordingUuid, steps }]
  )
  const loaded: LoadedDocument = { made, sinks, readScripts }
  return loaded
})

const makeUsers = Effect.fnUntraced(function* (entries: ReadonlyArray<UserEntry>, context: MakeContext) {
  const nextId = freeNumber("user", entries)
  return yield* Effect.forEach(entries, (entry) => makeUser(entry, nextId, context))
})

const makeRecordings = Effect.fnUntraced(function* (entries: ReadonlyArray<RecordingEntry>, context: RecordingContext) {
  const nextId = freeNumber("recording", entries)
  return yield* Effect.forEach(entries, (entry) => makeRecording(entry, nextId, context))
})

/** Sinks that were given no id are `sink1`, `sink2`, …: the first that are free. */
const namedSinks = (entries: ReadonlyArray<SinkEntry>, { sinkIds }: CheckContext): ReadonlyArray<MadeSink> => {
  let number = 0
  const nextId = (): string => {
    do number++
    while (sinkIds.has(`sink${number}`))
    return `sink${number}`
  }
  return entries.map(({ id, respond }) => ({ id: id ?? nextId(), respond: respond ?? [200] }))
}

const madeAccounts = (document: StartDocument, accounts: ReadonlyArray<Account>) => {
  const [first] = accounts
  if (document.accounts !== undefined) return { accounts: accounts.map(madeAccount) }
  return first === undefined ? {} : { account: madeAccount(first) }
}

/** The checks have seen to it that it is there. */
const defined = <A>(value: A | undefined): A => {
  if (value === undefined) throw new Error("a checked start document lacks what it refers to")
  return value
}
