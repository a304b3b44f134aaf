import type { Account } from "@tapedeck/domain"
import type { AccountChange } from "@tapedeck/domain/input"
import { embedOriginsOf, helpdeskAddressesOf, sharingOf } from "@tapedeck/domain/internal/recordings"
import { plainField } from "../audit/audited.ts"

export const changedAccount = (before: Account, change: AccountChange): Account => ({
  ...before,
  name: change.name ?? before.name,
  apiAccess: change.api_access ?? before.apiAccess,
  ...(change.sharing !== undefined && { sharing: change.sharing }),
  ...(change.embed_origins !== undefined && { embedOrigins: embedOriginsOf(change.embed_origins) }),
  ...(change.link_previews !== undefined && { linkPreviews: change.link_previews }),
  ...(change.helpdesk_addresses !== undefined && {
    helpdeskAddresses: helpdeskAddressesOf(change.helpdesk_addresses)
  })
})

/** An account in the form of the audit log. */
export const auditedAccount = (account: Account) => ({
  name: plainField(account.name),
  api_access: plainField(account.apiAccess),
  sharing: plainField(sharingOf(account)),
  embed_origins: plainField(account.embedOrigins ?? []),
  link_previews: plainField(account.linkPreviews === true),
  helpdesk_addresses: plainField(account.helpdeskAddresses ?? {})
})
