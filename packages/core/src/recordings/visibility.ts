import type { Recording, User } from "@tapedeck/domain"

/** General rules, 6: a member sees their own recordings, an admin all of the account. */
export const mayReadAs = ({ accountId, id, role }: User, recording: Recording): boolean =>
  recording.accountId === accountId && (role === "admin" || recording.ownerId === id)
