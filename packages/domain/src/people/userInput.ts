import { atMost, change, email, label, object, oneOf, optional } from "../input/fields.ts"
import { NotificationSetting, Role } from "./User.ts"

const setting = (description: string) =>
  oneOf(NotificationSetting.literals, description).annotate({ examples: ["Enabled"] })

/** Fields of every new user. */
export const userFields = {
  email: email("E-mail address of the user, unique across accounts.")
    .check(atMost(254))
    .annotate({ examples: ["grace@acme.test"] }),
  name: label("Full name of the user.").annotate({ examples: ["Ada Lovelace"] })
}

const { email: address, name } = userFields

/** An admin whom the operator creates. */
export const AdminInput = object(userFields, "An admin to create.")
export type AdminInput = typeof AdminInput.Type

/** The user for whom the operator creates a link. */
export const UserAddress = object({ email: address }, "The address of a user.")
export type UserAddress = typeof UserAddress.Type

const settings = {
  notifications: object(
    optional({
      notify_first_view: setting("Notification of the first view of a recording of the user."),
      notify_all_recordings: setting("Notification of every new recording of the account."),
      notify_own_recordings: setting("Notification of every new recording of the user.")
    }),
    "Notifications of the user. Keys that you omit keep their value; a new user has all of them."
  ),
  notify_failed_deliveries: setting(
    "Mail to the user, while they are an admin, about each delivery that failed permanently. Default: `Enabled`."
  )
}

const role = oneOf(
  Role.literals,
  "Role of the user: an admin sees and changes everything in the account, a member sees their own recordings. Default: `member`."
).annotate({ examples: ["member"] })

export const UserInput = object({ ...userFields, ...optional({ role, ...settings }) }, "A user to invite.")
export type UserInput = typeof UserInput.Type

export const UserChange = change(
  { name, role, ...settings },
  "Changes of a user. Fields that you omit keep their value."
)
export type UserChange = typeof UserChange.Type

export const ProfileChange = change(
  { name, ...settings },
  "Changes of the caller's profile. Fields that you omit keep their value."
)
export type ProfileChange = typeof ProfileChange.Type
