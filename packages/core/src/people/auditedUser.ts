import type { Account, NotificationSettings, User } from "@tapedeck/domain"
import { plainField } from "../audit/audited.ts"

export const allEnabled: NotificationSettings = {
  notifyFirstView: "Enabled",
  notifyAllRecordings: "Enabled",
  notifyOwnRecordings: "Enabled"
}

/** A user in the form of the audit log. */
export const auditedUser = ({ email, name, notifications, notifyFailedDeliveries, role }: User) => ({
  email: plainField(email),
  name: plainField(name),
  role: plainField(role),
  notifications: plainField({
    notify_first_view: notifications.notifyFirstView,
    notify_all_recordings: notifications.notifyAllRecordings,
    notify_own_recordings: notifications.notifyOwnRecordings
  }),
  notify_failed_deliveries: plainField(notifyFailedDeliveries)
})

/** An account's first admin. */
export const adminOf = (
  account: Account,
  { at, ...own }: Pick<User, "email" | "id" | "name"> & { readonly at: User["createdAt"] }
): User => ({
  ...own,
  accountId: account.id,
  role: "admin",
  active: true,
  hasProfilePicture: false,
  notifications: allEnabled,
  notifyFailedDeliveries: "Enabled",
  createdAt: at,
  updatedAt: at
})
