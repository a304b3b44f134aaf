import * as Schema from "effect/Schema"
import { PictureType } from "../files/pictureType.ts"
import { AccountId, UserId } from "../ids.ts"
import { Instant } from "../time.ts"

/** An admin manages the account; a member does not. */
export const Role = Schema.Literals(["admin", "member"])
export type Role = typeof Role.Type

/** Values of a notification setting, as on the wire. */
export const NotificationSetting = Schema.Literals(["Enabled", "Disabled"])
export type NotificationSetting = typeof NotificationSetting.Type

export const NotificationSettings = Schema.Struct({
  notifyFirstView: NotificationSetting,
  notifyAllRecordings: NotificationSetting,
  notifyOwnRecordings: NotificationSetting
})
export type NotificationSettings = typeof NotificationSettings.Type

/** A stored profile picture. The bytes are in the file store, under `fileId`. */
export const ProfilePicture = Schema.Struct({
  fileId: Schema.String,
  contentType: PictureType,
  sizeBytes: Schema.Natural,
  etag: Schema.String
})
export type ProfilePicture = typeof ProfilePicture.Type

/** A user of an account. */
export const User = Schema.Struct({
  id: UserId,
  accountId: AccountId,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  /** True if the user is active. Tokens of a deactivated user are refused with 401. */
  active: Schema.Boolean,
  /** True if the user was invited, and has not signed in since then. */
  isInvited: Schema.optionalKey(Schema.Literal(true)),
  hasProfilePicture: Schema.Boolean,
  /** Profile picture; absent if none was uploaded. A start document can state that there is one, without its bytes. */
  picture: Schema.optionalKey(ProfilePicture),
  notifications: NotificationSettings,
  /** `Enabled` if the user, as an admin, gets a mail when a delivery has failed permanently. Not part of `notifications` in v2. */
  notifyFailedDeliveries: NotificationSetting,
  createdAt: Instant,
  updatedAt: Instant
})
export type User = typeof User.Type
