import * as Schema from "effect/Schema"
import { AccountId, UserId } from "./ids.ts"
import { Instant } from "./time.ts"

/** N7 */
export const Role = Schema.Literals(["admin", "member"])
export type Role = typeof Role.Type

/** N7 */
export const NotificationSetting = Schema.Literals(["Enabled", "Disabled"])
export type NotificationSetting = typeof NotificationSetting.Type

export const NotificationSettings = Schema.Struct({
  notifyFirstView: NotificationSetting,
  notifyAllRecordings: NotificationSetting,
  notifyOwnRecordings: NotificationSetting
})
export type NotificationSettings = typeof NotificationSettings.Type

/** A person of an account (User, v2). */
export const User = Schema.Struct({
  id: UserId,
  accountId: AccountId,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  /** A deactivated user's tokens are 401 (R19). */
  active: Schema.Boolean,
  hasProfilePicture: Schema.Boolean,
  notifications: NotificationSettings,
  createdAt: Instant,
  updatedAt: Instant
})
export type User = typeof User.Type
