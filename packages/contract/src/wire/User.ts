import { NotificationSetting as DomainNotificationSetting, Role as DomainRole } from "@tapedeck/domain"
import { Schema } from "effect"
import { dateTime, email, text } from "./fields.ts"
import { Pagination } from "./Pagination.ts"

const Role = DomainRole.annotate({
  identifier: "Role",
  description:
    "Role of the user: an admin sees and changes everything in the account, a member sees their own recordings.",
  examples: ["admin"]
})

export const NotificationSetting = DomainNotificationSetting.annotate({
  identifier: "NotificationSetting",
  description: "Whether the user is notified.",
  examples: ["Enabled"]
})

const NotificationSettings = Schema.Struct({
  notify_first_view: NotificationSetting,
  notify_all_recordings: NotificationSetting,
  notify_own_recordings: NotificationSetting
}).annotate({ identifier: "NotificationSettings", description: "Notifications of the user." })

/** A user of v2. */
export const User = Schema.Struct({
  email: email("E-mail address, unique in the account."),
  name: text("Full name.", "Ada Lovelace"),
  has_profile_picture: Schema.Boolean.annotate({
    description: "Whether the user has a profile picture.",
    examples: [true]
  }),
  role: Role,
  notifications: NotificationSettings,
  created_at: dateTime("Time at which the user was added."),
  updated_at: dateTime("Time of the last change of the user.")
}).annotate({ identifier: "User", description: "A user of the account." })

export type User = typeof User.Type

export const UserPage = Schema.Struct({
  pagination: Pagination,
  users: Schema.Array(User).annotate({ description: "The users of this page, oldest first." })
}).annotate({ identifier: "UserPage", description: "A page of users." })

export type UserPage = typeof UserPage.Type
