import type { Account } from "@tapedeck/domain"
import { shown } from "./audited.ts"
import { flag, name, object, optional } from "./fields.ts"

export const AccountChange = object(
  optional({ name: name("Label."), api_access: flag("Whether access tokens of the account may be used.") }),
  "What to change of an account."
)

export const changedAccount = (before: Account, change: typeof AccountChange.Type): Account => ({
  ...before,
  name: change.name ?? before.name,
  apiAccess: change.api_access ?? before.apiAccess
})

/** As the audit log tells of an account. */
export const auditedAccount = ({ apiAccess, name }: Account) => ({ name: shown(name), api_access: shown(apiAccess) })
