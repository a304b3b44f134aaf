import * as Schema from "effect/Schema"
import { PictureType } from "../files/pictureType.ts"
import { AccountId, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/** An admin manages the account; a member does not. */
export const Role = Schema.Literals(["admin", "member"])
export type Role = typeof Role.Type

/** The two values of a notification setting, as on the wire. */
export const NotificationSetting = Schema.Literals(["Enabled", "Disabled"])
export type NotificationSetting = typeof NotificationSetting.Type

export const NotificationSettings = Schema.Struct({
  notifyFirstView: NotificationSetting,
  notifyAllRecordings: NotificationSetting,
  notifyOwnRecordings: NotificationSetting
})
export type NotificationSettings = typeof NotificationSettings.Type

/** A stored profile picture; its bytes are elsewhere, under `fileId`. */
export const ProfilePicture = Schema.Struct({
  fileId: Schema.String,
  contentType: PictureType,
  sizeBytes: Schema.Natural,
  etag: Schema.String
})
export type ProfilePicture = typeof ProfilePicture.Type

/** A person of an account (User, v2). */
export const User = Schema.Struct({
  id: UserId,
  accountId: AccountId,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  /** A deactivated user's tokens are 401. */
  active: Schema.Boolean,
  /** Invited, and not signed in since. */
  isInvited: Schema.optionalKey(Schema.Literal(true)),
  hasProfilePicture: Schema.Boolean,
  /** Absent: none was uploaded. A start document may say that there is one, and has no bytes of it. */
  picture: Schema.optionalKey(ProfilePicture),
  notifications: NotificationSettings,
  /** Whether an admin is mailed when a delivery has failed for good. No key of v2's `notifications`. */
  notifyFailedDeliveries: NotificationSetting,
  createdAt: Instant,
  updatedAt: Instant
})
export type User = typeof User.Type
