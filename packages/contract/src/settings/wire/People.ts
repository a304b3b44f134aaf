import * as input from "@tapedeck/domain/input"
import { Schema } from "effect"
import { dateTime, nullableDateTime, text } from "../../wire/fields.ts"
import { Pagination } from "../../wire/Pagination.ts"
import { NotificationSetting, User as UserV2 } from "../../wire/User.ts"
import { flag, flagAs, id, listOf, numericId, textAs, textsAs, textsFrom } from "../fields.ts"
import { Sharing } from "./Sharing.ts"

/** A user as in v2, with the id and the state of the user. */
export const User = Schema.Struct({
  id: numericId("user", 1),
  ...UserV2.fields,
  notify_failed_deliveries: NotificationSetting,
  active: flag("Whether the user is active. Tokens and sessions of a deactivated user are refused with 401."),
  invited: flag("Whether the user was invited, and has not signed in since then.", false)
}).annotate({
  identifier: "User",
  description:
    "User of the account. An admin with `notify_failed_deliveries` gets a mail when a delivery has failed permanently."
})
export type User = typeof User.Type

export const UserPage = Schema.Struct({
  pagination: Pagination,
  users: listOf(User, "The users of this page, oldest first.")
}).annotate({ identifier: "UserPage", description: "A page of users." })

export const UserInput = input.UserInput.annotate({
  identifier: "UserInput",
  examples: [{ email: "grace@acme.test", name: "Grace Hopper" }]
})

export const UserChange = input.UserChange.annotate({ identifier: "UserChange", examples: [{ name: "Ada Lovelace" }] })

export const ProfileChange = input.ProfileChange.annotate({
  identifier: "ProfileChange",
  examples: [{ name: "Ada Lovelace" }]
})

/** Addresses of an account's helpdesks. */
export const HelpdeskAddresses = Schema.Record(Schema.String, Schema.String).annotate(
  textsFrom(input.accountFields.helpdesk_addresses)
)

export const Account = Schema.Struct({
  id: numericId("account", 1),
  name: textAs(input.accountFields.name),
  api_access: flagAs(input.accountFields.api_access),
  sharing: Sharing,
  embed_origins: textsAs(input.accountFields.embed_origins),
  link_previews: flagAs(input.accountFields.link_previews),
  helpdesk_addresses: HelpdeskAddresses
}).annotate({ identifier: "Account", description: "The caller's account." })
export type Account = typeof Account.Type

export const AccountChange = input.AccountChange.annotate({ identifier: "AccountChange", examples: [{ name: "Acme" }] })

const token = (description: string, example: string) =>
  Schema.Struct({
    id: id("access token"),
    name: textAs(input.tokenFields.name),
    token: text(description, example),
    created_at: dateTime("Time at which the token was created."),
    last_used_at: nullableDateTime(
      "Time of the last use of the token, to the minute; null if the token was never used."
    )
  })

export const AccessToken = token("Text of the token, masked except for its last characters.", "••••••••3xQz").annotate({
  identifier: "AccessToken",
  description: "A personal access token of the caller."
})
export type AccessToken = typeof AccessToken.Type

export const ReadableAccessToken = token(
  "Text of the token. Send it as `Authorization: Bearer <ACCESS_TOKEN>`.",
  "tdk_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd0kXq3v"
).annotate({ identifier: "ReadableAccessToken", description: "A personal access token of the caller, with its text." })

export type ReadableAccessToken = typeof ReadableAccessToken.Type

export const AccessTokenPage = Schema.Struct({
  pagination: Pagination,
  tokens: listOf(AccessToken, "The tokens of this page, newest first.")
}).annotate({ identifier: "AccessTokenPage", description: "A page of access tokens." })

export const AccessTokenInput = input.AccessTokenInput.annotate({
  identifier: "AccessTokenInput",
  examples: [{ name: "Reporting" }]
})

export const AccessTokenChange = input.AccessTokenChange.annotate({
  identifier: "AccessTokenChange",
  examples: [{ name: "Reporting" }]
})
