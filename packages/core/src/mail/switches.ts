import type { User } from "@tapedeck/domain"
import type { MailSwitch } from "@tapedeck/domain/internal/jobs"

/** Returns whether the user has enabled this kind of mail. */
export const isSwitchedOn = (user: User, mailSwitch: MailSwitch): boolean => {
  switch (mailSwitch) {
    case "first_view":
      return user.notifications.notifyFirstView === "Enabled"
    case "all_recordings":
      return user.notifications.notifyAllRecordings === "Enabled"
    case "own_recordings":
      return user.notifications.notifyOwnRecordings === "Enabled"
    case "failed_deliveries":
      return user.notifyFailedDeliveries === "Enabled"
  }
}

/** The user with this kind of mail off. */
export const switchedOff = (user: User, mailSwitch: MailSwitch): User => {
  const { notifications } = user
  switch (mailSwitch) {
    case "first_view":
      return { ...user, notifications: { ...notifications, notifyFirstView: "Disabled" } }
    case "all_recordings":
      return { ...user, notifications: { ...notifications, notifyAllRecordings: "Disabled" } }
    case "own_recordings":
      return { ...user, notifications: { ...notifications, notifyOwnRecordings: "Disabled" } }
    case "failed_deliveries":
      return { ...user, notifyFailedDeliveries: "Disabled" }
  }
}
