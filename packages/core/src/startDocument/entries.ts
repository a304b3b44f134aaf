import {
  type Account,
  type AccountId,
  type AuditDestination,
  type Automation,
  AutomationId,
  auditDestinationDefaults,
  DestinationId,
  type Folder,
  FolderId,
  type Instant,
  type User,
  UserId
} from "@tapedeck/domain"
import { Effect } from "effect"
import { AccessTokens } from "../AccessTokens.ts"
import { Ids } from "../Ids.ts"
import { Store } from "../Store.ts"
import type { AccountEntry, AuditDestinationEntry, AutomationEntry, FolderEntry, UserEntry } from "./schema.ts"

/** Each as it was made, in the document's shape: ids, tokens, secrets and defaults are filled in. */
export type MadeAccount = Required<AccountEntry>
export type MadeUser = Required<UserEntry>
export type MadeFolder = Required<FolderEntry>
export type MadeAutomation = Required<AutomationEntry>
export type MadeDestination = Required<AuditDestinationEntry>

/** What the entries of a checked document are made with. */
export interface MakeContext {
  readonly now: Instant
  readonly accountOf: (account: number | undefined) => AccountId
  readonly accountOfFolder: (folder: FolderId) => AccountId
  /** What a webhook's `url` means: a sink's URL for `sink:ID`. */
  readonly webhookUrl: (url: string) => string
}

export const madeAccount = (account: Account): MadeAccount => ({
  id: account.id,
  name: account.name,
  api_access: account.apiAccess
})

/** What the token is called that a start document's user has. */
export const START_TOKEN = "Start document"

/** Makes a user and its access token. */
export const makeUser = Effect.fnUntraced(function* (
  entry: UserEntry,
  nextId: Effect.Effect<number, never, Store>,
  { accountOf, now }: MakeContext
) {
  const store = yield* Store
  const tokens = yield* AccessTokens
  const user: User = {
    id: UserId.make(entry.id ?? (yield* nextId)),
    accountId: accountOf(entry.account),
    email: entry.email,
    name: entry.name,
    role: entry.role ?? "member",
    active: entry.active ?? true,
    hasProfilePicture: entry.has_profile_picture ?? false,
    notifications: {
      notifyFirstView: entry.notifications?.notify_first_view ?? "Enabled",
      notifyAllRecordings: entry.notifications?.notify_all_recordings ?? "Enabled",
      notifyOwnRecordings: entry.notifications?.notify_own_recordings ?? "Enabled"
    },
    createdAt: now,
    updatedAt: now
  }
  yield* store.users.save(user)
  const text = entry.token === undefined ? {} : { text: entry.token }
  const token = yield* tokens.create({ user, name: START_TOKEN, kind: "access", ...text })
  const made: MadeUser = {
    id: user.id,
    account: user.accountId,
    email: user.email,
    name: user.name,
    role: user.role,
    active: user.active,
    token,
    notifications: {
      notify_first_view: user.notifications.notifyFirstView,
      notify_all_recordings: user.notifications.notifyAllRecordings,
      notify_own_recordings: user.notifications.notifyOwnRecordings
    },
    has_profile_picture: user.hasProfilePicture
  }
  return { user, made }
})

export const makeFolder = Effect.fnUntraced(function* (entry: FolderEntry, { accountOf, now }: MakeContext) {
  const store = yield* Store
  const folder: Folder = {
    id: FolderId.make(entry.id ?? (yield* Ids.uuid("folder"))),
    accountId: accountOf(entry.account),
    name: entry.name,
    createdAt: now
  }
  yield* store.folders.save(folder)
  const made: MadeFolder = { id: folder.id, account: folder.accountId, name: folder.name }
  return { folder, made }
})

export const makeAutomation = Effect.fnUntraced(function* (entry: AutomationEntry, context: MakeContext) {
  const store = yield* Store
  const folderId = FolderId.make(entry.folder)
  const automation: Automation = {
    id: AutomationId.make(entry.id ?? (yield* Ids.uuid("automation"))),
    accountId: context.accountOfFolder(folderId),
    folderId,
    url: context.webhookUrl(entry.url),
    method: entry.method ?? "POST",
    headers: entry.headers ?? {},
    secret: entry.secret ?? (yield* Ids.webhookSecret),
    previousSecrets: [],
    payloadTemplate: entry.payload ?? null,
    enabled: entry.enabled ?? true,
    createdAt: context.now
  }
  yield* store.automations.save(automation)
  const made: MadeAutomation = {
    id: automation.id,
    folder: folderId,
    url: entry.url,
    method: automation.method,
    headers: automation.headers,
    secret: automation.secret,
    payload: automation.payloadTemplate,
    enabled: automation.enabled
  }
  return made
})

export const makeDestination = Effect.fnUntraced(function* (entry: AuditDestinationEntry, context: MakeContext) {
  const store = yield* Store
  const timeoutMs = entry.timeout_seconds === undefined ? undefined : entry.timeout_seconds * 1000
  const destination: AuditDestination = {
    id: DestinationId.make(entry.id ?? (yield* Ids.uuid("destination"))),
    accountId: context.accountOf(entry.account),
    name: entry.name,
    url: context.webhookUrl(entry.url),
    description: entry.description ?? null,
    secret: entry.secret ?? null,
    previousSecrets: [],
    headers: entry.headers ?? {},
    timeoutMs: timeoutMs ?? auditDestinationDefaults.timeoutMs,
    maxRetries: entry.max_retries ?? auditDestinationDefaults.maxRetries,
    filters: {
      categories: entry.filters?.categories ?? [],
      eventTypes: entry.filters?.event_types ?? [],
      severities: entry.filters?.severities ?? []
    },
    signature: entry.signature ?? auditDestinationDefaults.signature,
    enabled: entry.enabled ?? true,
    createdAt: context.now
  }
  yield* store.destinations.save(destination)
  const made: MadeDestination = {
    id: destination.id,
    account: destination.accountId,
    name: destination.name,
    url: entry.url,
    description: destination.description,
    secret: destination.secret,
    headers: destination.headers,
    timeout_seconds: destination.timeoutMs / 1000,
    max_retries: destination.maxRetries,
    filters: {
      categories: destination.filters.categories,
      event_types: destination.filters.eventTypes,
      severities: destination.filters.severities
    },
    signature: destination.signature,
    enabled: destination.enabled
  }
  return made
})
