import type { AuditEventType } from "@tapedeck/domain/audit"
import { AccessTokenChange, AccessTokenInput, AccountChange, UserChange, UserInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { AccountSettings, TokenSettings, UserSettings } from "../src/index.ts"
import { ada, callerOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"

const admin = callerOf(ada, { kind: "session" })
type Entry = readonly [AuditEventType, string, unknown]

const made = (to: unknown) => ({ from: null, to })
const gone = (from: unknown) => ({ from, to: null })

const invited = Effect.flatMap(UserSettings, ({ invite }) =>
  invite(admin, inputOf(UserInput, { email: "g@acme.test", name: "Grace" }))
)
const issued = Effect.flatMap(TokenSettings, ({ create }) => create(admin, inputOf(AccessTokenInput, { name: "CI" })))

/** Changes to access tokens, users and the account, and the audit entry that each makes. */
export const peopleRows = [
  {
    does: "making an access token",
    change: issued,
    entry: ["user.api_token_created", "api_token", { name: made("CI") }] as Entry
  },
  {
    does: "viewing an access token",
    after: issued,
    change: Effect.gen(function* () {
      const { list, view } = yield* TokenSettings
      const page = yield* list(admin, 1)
      return yield* view(admin, page.items[0]!.token.id)
    }),
    entry: ["user.api_token_viewed", "api_token", {}] as Entry
  },
  {
    does: "renaming an access token",
    after: issued,
    change: Effect.gen(function* () {
      const { list, rename } = yield* TokenSettings
      const page = yield* list(admin, 1)
      return yield* rename(admin, page.items[0]!.token.id, inputOf(AccessTokenChange, { name: "CD" }))
    }),
    entry: ["user.api_token_renamed", "api_token", { name: { from: "CI", to: "CD" } }] as Entry
  },
  {
    does: "revoking an access token",
    after: issued,
    change: Effect.gen(function* () {
      const { list, revoke } = yield* TokenSettings
      const page = yield* list(admin, 1)
      return yield* revoke(admin, page.items[0]!.token.id)
    }),
    entry: ["user.api_token_deleted", "api_token", { name: gone("CI") }] as Entry
  },
  {
    does: "inviting a user",
    change: invited,
    entry: [
      "user.invited",
      "user 32",
      {
        email: made("g@acme.test"),
        name: made("Grace"),
        role: made("member"),
        notifications: made({
          notify_first_view: "Enabled",
          notify_all_recordings: "Enabled",
          notify_own_recordings: "Enabled"
        }),
        notify_failed_deliveries: made("Enabled")
      }
    ] as Entry
  },
  {
    does: "changing a user",
    change: Effect.flatMap(UserSettings, ({ update }) => update(admin, "12", inputOf(UserChange, { name: "Robert" }))),
    entry: ["user.updated", "user 12", { name: { from: "Bob", to: "Robert" } }] as Entry
  },
  {
    does: "changing a role",
    change: Effect.flatMap(UserSettings, ({ update }) => update(admin, "12", inputOf(UserChange, { role: "admin" }))),
    entry: ["user.role_changed", "user 12", { role: { from: "member", to: "admin" } }] as Entry
  },
  {
    does: "deactivating a user",
    change: Effect.flatMap(UserSettings, ({ deactivate }) => deactivate(admin, "12")),
    entry: ["user.deactivated", "user 12", { active: { from: true, to: false } }] as Entry
  },
  {
    does: "reactivating a user",
    after: Effect.flatMap(UserSettings, ({ deactivate }) => deactivate(admin, "12")),
    change: Effect.flatMap(UserSettings, ({ reactivate }) => reactivate(admin, "12")),
    entry: ["user.reactivated", "user 12", { active: { from: false, to: true } }] as Entry
  },
  {
    does: "renaming the account",
    change: Effect.flatMap(AccountSettings, ({ update }) =>
      update(admin, inputOf(AccountChange, { name: "Acme Inc." }))
    ),
    entry: ["account.updated", "account 1", { name: { from: "Acme", to: "Acme Inc." } }] as Entry
  }
]
