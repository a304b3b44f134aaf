import {
  type Account,
  AccountId,
  type Folder,
  FolderId,
  type Recording,
  RecordingId,
  RecordingUuid,
  type User,
  UserId
} from "@tapedeck/domain"
import { Effect } from "effect"
import { Ids } from "./Ids.ts"
import { now } from "./now.ts"
import { allEnabled } from "./people/auditedUser.ts"
import { newRecording } from "./recordings/recordingInput.ts"
import { ServiceConfig } from "./ServiceConfig.ts"
import { accessChange, recordingChange } from "./store/changes/changes.ts"
import { storeOf } from "./store/Store.ts"

/** Content of an account. Omitted ids and fields are generated. */
export interface Seed {
  readonly account?: Partial<Account>
  /** The first is an admin unless its `role` is set; the others are members. */
  readonly users?: ReadonlyArray<Partial<User> & Pick<User, "email">>
  readonly folders?: ReadonlyArray<Partial<Folder> & Pick<Folder, "name">>
  /** `owner` is the e-mail address of one of the users, `folder` the name of one of the folders. */
  readonly recordings?: ReadonlyArray<Partial<Recording> & { readonly owner?: string; readonly folder?: string }>
}

/**
 * Writes an account and its content, in one transaction, for tests and demos, and returns what it wrote. It checks nothing, writes no
 * audit entry and fires no automation. Dies if an owner or a folder is not in the seed.
 */
export const seed = Effect.fn("seed")(function* (content: Seed) {
  const store = yield* storeOf("accounts", "changes", "folders", "nextNumber", "recordings", "transaction", "users")
  const { vendor } = yield* ServiceConfig
  const at = yield* now

  const writeAll = Effect.gen(function* () {
    const account: Account = {
      id: AccountId.make(yield* store.nextNumber("account")),
      name: "Account",
      apiAccess: true,
      ...content.account
    }
    yield* store.accounts.save(account)
    yield* store.changes.publishOnCommit(accessChange)

    const users = yield* Effect.forEach(
      content.users ?? [],
      Effect.fnUntraced(function* (entry, index) {
        const user: User = {
          id: UserId.make(yield* store.nextNumber("user")),
          accountId: account.id,
          name: entry.email,
          role: index === 0 ? "admin" : "member",
          active: true,
          hasProfilePicture: false,
          notifications: allEnabled,
          notifyFailedDeliveries: "Enabled",
          createdAt: at,
          updatedAt: at,
          ...entry
        }
        yield* store.users.save(user)
        return user
      })
    )

    const folders = yield* Effect.forEach(
      content.folders ?? [],
      Effect.fnUntraced(function* (entry) {
        const folder: Folder = {
          id: FolderId.make(yield* Ids.uuid("folder")),
          accountId: account.id,
          createdAt: at,
          ...entry
        }
        yield* store.folders.save(folder)
        return folder
      })
    )

    const recordings = yield* Effect.forEach(
      content.recordings ?? [],
      Effect.fnUntraced(function* ({ folder, owner, ...entry }) {
        const made = newRecording(
          {},
          {
            id: RecordingId.make(yield* store.nextNumber("recording")),
            uuid: RecordingUuid.make(yield* Ids.uuid("recording")),
            accountId: account.id,
            ownerId: owner === undefined ? null : named(users, "email", owner).id,
            at,
            vendor
          }
        )
        const folderId = folder === undefined ? null : named(folders, "name", folder).id
        const recording: Recording = { ...made, folderId, ...entry }
        return recording
      })
    )
    yield* store.recordings.add(recordings)
    yield* store.changes.publishOnCommit(recordings.map((one) => recordingChange(one)))
    return { account, users, folders, recordings }
  })

  return yield* store.transaction(writeAll)
})

const named = <Field extends string, Item extends { readonly [Name in Field]: string }>(
  items: ReadonlyArray<Item>,
  field: Field,
  name: string
): Item => {
  const found = items.find((item) => item[field] === name)
  if (found === undefined) throw new Error(`The seed has nothing with the ${field} ${JSON.stringify(name)}`)
  return found
}
