import { change, flag, label, object, oneOf } from "../input/fields.ts"
import { Sharing } from "../recordings/sharing.ts"

export const accountFields = {
  name: label("Label of the account.").annotate({ examples: ["Acme"] }),
  api_access: flag(
    "Whether access tokens of the account can be used. While it is off, requests with them are refused with 403, and sessions keep " +
      "working. Only a signed-in session can change it."
  ).annotate({ examples: [true] }),
  sharing: oneOf(
    Sharing.literals,
    "Sharing of new recordings: with `public`, every person with a recording's address can open its public page, with `account`, " +
      "signed-in members of the account can, and with `off`, only its owner and admins can."
  ).annotate({ examples: ["public"] })
}

const { api_access, name } = accountFields

/** An account that the operator creates. */
export const AccountInput = object({ name, api_access }, "An account to create.")
export type AccountInput = typeof AccountInput.Type

export const AccountChange = change(accountFields, "Changes of the account. Fields that you omit keep their value.")
export type AccountChange = typeof AccountChange.Type
