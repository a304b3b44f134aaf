import {
  type Account,
  AutomationId,
  DestinationId,
  type Folder,
  FolderId,
  parseRecordingUuid,
  RecordingId,
  type User,
  UserId
} from "@tapedeck/domain"
import { Effect } from "effect"
import { Store } from "../Store.ts"
import { Vault } from "../Vault.ts"
import { type Lenient, present } from "./lenient.ts"
import type { StartDocument } from "./schema.ts"

/** What the world already holds of what a document names. */
export interface Known {
  readonly accounts: ReadonlyArray<Account>
  /** By `emailKey`. */
  readonly users: ReadonlyMap<string, User>
  readonly folders: ReadonlyMap<string, Folder>
  readonly userIds: ReadonlySet<number>
  readonly recordingIds: ReadonlySet<number>
  readonly recordingUuids: ReadonlySet<string>
  readonly automationIds: ReadonlySet<string>
  readonly destinationIds: ReadonlySet<string>
  readonly tokens: ReadonlySet<string>
}

/** E-mail addresses match without regard to case (R16). */
export const emailKey = (email: string): string => email.toLowerCase()

/** Looks up in the store all that a document names: what it refers to, and what it would make. */
export const lookUp = Effect.fnUntraced(function* (document: Lenient<StartDocument>) {
  const store = yield* Store
  const vault = yield* Vault
  const users = given(document.users)
  const recordings = given(document.recordings)
  const automations = given(document.automations)
  const emails = [...pick(users, "email"), ...pick(recordings, "user")].map(emailKey)
  const folders = [
    ...pick(given(document.folders), "id"),
    ...pick(recordings, "folder"),
    ...pick(automations, "folder")
  ]
  const uuids = pick(recordings, "uuid").flatMap((uuid) => parseRecordingUuid(uuid) ?? [])

  const known: Known = {
    accounts: yield* store.accounts.list,
    users: yield* find(emails, store.users.byEmail),
    folders: yield* find(folders, (id) => store.folders.byId(FolderId.make(id))),
    userIds: yield* taken(pick(users, "id"), (id) => store.users.byId(UserId.make(id))),
    recordingIds: yield* taken(pick(recordings, "id"), (id) => store.recordings.byId(RecordingId.make(id))),
    recordingUuids: yield* taken(uuids, store.recordings.byUuid),
    automationIds: yield* taken(pick(automations, "id"), (id) => store.automations.byId(AutomationId.make(id))),
    destinationIds: yield* taken(pick(given(document.audit_destinations), "id"), (id) =>
      store.destinations.byId(DestinationId.make(id))
    ),
    tokens: yield* taken(pick(users, "token"), (token) => store.tokens.holder(vault.hash(token)))
  }
  return known
})

const given = <Item>(list: ReadonlyArray<Item | undefined> | undefined): ReadonlyArray<Item> =>
  present(list).map(([, item]) => item)

/** The values of a key, where it is given. */
const pick = <Item extends object, Key extends keyof Item>(items: ReadonlyArray<Item>, key: Key) =>
  items.flatMap((item) => {
    const value = item[key]
    return value === undefined || value === null ? [] : [value as NonNullable<Item[Key]>]
  })

const find = Effect.fnUntraced(function* <Key, Value>(
  keys: ReadonlyArray<Key>,
  look: (key: Key) => Effect.Effect<Value | undefined>
) {
  const found = new Map<Key, Value>()
  for (const key of new Set(keys)) {
    const value = yield* look(key)
    if (value !== undefined) found.set(key, value)
  }
  return found
})

const taken = <Key, Value>(
  keys: ReadonlyArray<Key>,
  look: (key: Key) => Effect.Effect<Value | undefined>
): Effect.Effect<ReadonlySet<Key>> => Effect.map(find(keys, look), (found) => new Set(found.keys()))
