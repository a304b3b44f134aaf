import { Schema } from "effect"
import { dateTime, email, nullableDateTime, text } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { NotificationSetting, Role, User as UserV2 } from "../../wire/User.ts"
import { flag, id, listOf, numericId, optional } from "../fields.ts"
import { Sharing } from "./Sharing.ts"

/** A user as v2 shows it, with its id, and whether it is active. */
export const User = Schema.Struct({
  id: numericId("user", 1),
  ...UserV2.fields,
  notify_failed_deliveries: NotificationSetting,
  active: flag("A deactivated user's tokens and sessions are 401."),
  invited: flag("Whether the user was invited, and has not signed in since.", false)
}).annotate({
  identifier: "User",
  description:
    "A user of the account. An admin with `notify_failed_deliveries` is mailed when a delivery has failed for good."
})
export type User = typeof User.Type

export const UserPage = Schema.Struct({
  pagination: Pagination,
  users: listOf(User, "The users of this page, oldest first.")
}).annotate({ identifier: "UserPage", description: "A page of users." })

const name = Schema.String.annotate({
  description: "Full name: not blank.",
  examples: ["Ada Lovelace"],
  maxLength: 255
})

const notifications = Schema.Struct(
  optional({
    notify_first_view: NotificationSetting,
    notify_all_recordings: NotificationSetting,
    notify_own_recordings: NotificationSetting
  })
).annotate({ description: "What they are notified of. A key that is left out stays as it is." })

export const UserInput = Schema.Struct({
  email: email("E-mail address, unique beyond the account.", "grace@acme.test"),
  name,
  ...optional({ role: Role, notifications, notify_failed_deliveries: NotificationSetting })
}).annotate({
  identifier: "UserInput",
  description: "The user to invite. Default: a member with all notifications."
})

export const UserChange = Schema.Struct(
  optional({ name, role: Role, notifications, notify_failed_deliveries: NotificationSetting })
).annotate({
  identifier: "UserChange",
  description: "What to change of a user; at least one of these.",
  minProperties: 1
})

export const ProfileChange = Schema.Struct(
  optional({ name, notifications, notify_failed_deliveries: NotificationSetting })
).annotate({
  identifier: "ProfileChange",
  description: "What to change of the caller's own profile; at least one of these.",
  minProperties: 1
})

export const Account = Schema.Struct({
  id: numericId("account", 1),
  name: text("Label.", "Acme"),
  api_access: flag(
    "Whether access tokens of the account may be used. While it is off, each is 403; sessions go on working."
  ),
  sharing: Sharing
}).annotate({ identifier: "Account", description: "The caller's account." })
export type Account = typeof Account.Type

export const AccountChange = Schema.Struct(
  optional({
    name: Schema.String.annotate({ description: "Label: not blank.", examples: ["Acme"], maxLength: 255 }),
    api_access: flag("Whether access tokens of the account may be used. It takes a signed-in session to change."),
    sharing: Sharing
  })
).annotate({
  identifier: "AccountChange",
  description: "What to change of the account; at least one of these.",
  minProperties: 1
})

const tokenName = text("What it is for.", "Reporting")

const token = (description: string, example: string) =>
  Schema.Struct({
    id: id("access token"),
    name: tokenName,
    token: text(description, example),
    created_at: dateTime("When it was made."),
    last_used_at: nullableDateTime("When it was last used, give or take a minute; null: never.")
  })

export const AccessToken = token("Masked but for its last characters.", "••••••••3xQz").annotate({
  identifier: "AccessToken",
  description: "A personal access token of the caller."
})
export type AccessToken = typeof AccessToken.Type

export const ReadableAccessToken = token(
  "What is sent as `Authorization: Bearer <ACCESS_TOKEN>`.",
  "tdk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd0kXq3v"
).annotate({ identifier: "ReadableAccessToken", description: "A personal access token of the caller, with its text." })

export type ReadableAccessToken = typeof ReadableAccessToken.Type

export const AccessTokenPage = Schema.Struct({
  pagination: Pagination,
  tokens: listOf(AccessToken, "The tokens of this page, newest first.")
}).annotate({ identifier: "AccessTokenPage", description: "A page of access tokens." })

export const AccessTokenInput = Schema.Struct({
  name: Schema.String.annotate({ description: "What it is for: not blank.", examples: ["Reporting"], maxLength: 255 })
}).annotate({ identifier: "AccessTokenInput", description: "A token to make, or its new name." })
