import { type Account, Sharing } from "@tapedeck/domain"
import { flag, label, object, oneOf, optional } from "@tapedeck/domain/input"
import { sharingOf } from "@tapedeck/domain/internal"
import { shown } from "../audit/audited.ts"

export const AccountChange = object(
  optional({
    name: label("Label."),
    api_access: flag("Whether access tokens of the account may be used."),
    sharing: oneOf(Sharing.literals, "Who may open new recordings.")
  }),
  "What to change of an account."
)

export const changedAccount = (before: Account, change: typeof AccountChange.Type): Account => ({
  ...before,
  name: change.name ?? before.name,
  apiAccess: change.api_access ?? before.apiAccess,
  ...(change.sharing !== undefined && { sharing: change.sharing })
})

/** An account in the form of the audit log. */
export const auditedAccount = (account: Account) => ({
  name: shown(account.name),
  api_access: shown(account.apiAccess),
  sharing: shown(sharingOf(account))
})
