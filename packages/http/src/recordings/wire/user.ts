import type { User as WireUser } from "@tapedeck/contract"
import { toIso, type User } from "@tapedeck/domain"

/** A user as v2 shows it (specification, User (v2); N7). */
export const wireUser = (user: User): WireUser => ({
  email: user.email,
  name: user.name,
  has_profile_picture: user.hasProfilePicture,
  role: user.role,
  notifications: {
    notify_first_view: user.notifications.notifyFirstView,
    notify_all_recordings: user.notifications.notifyAllRecordings,
    notify_own_recordings: user.notifications.notifyOwnRecordings
  },
  created_at: toIso(user.createdAt),
  updated_at: toIso(user.updatedAt)
})
