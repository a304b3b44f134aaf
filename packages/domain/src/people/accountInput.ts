import * as Schema from "effect/Schema"
import { change, flag, label, listUpTo, object, oneOf, optional, text } from "../input/fields.ts"
import { embedOrigin, MAX_EMBED_ORIGINS } from "../recordings/embedOrigins.ts"
import {
  helpdeskAddress,
  helpdeskExample,
  helpdeskLabels,
  helpdeskPlatforms,
  MAX_HELPDESK_ADDRESS
} from "../recordings/helpdesks.ts"
import { Sharing } from "../recordings/sharing.ts"

const origin = text("An origin.").check(
  Schema.makeFilter(
    (value) =>
      embedOrigin(value) !== undefined ||
      "must be an origin such as https://help.example.com, with https or on loopback"
  )
)

const helpdeskOf = (platform: HelpdeskName) =>
  text(`Address of ${helpdeskLabels[platform]}.`)
    .check(
      Schema.makeFilter(
        (value) => helpdeskAddress(value) !== undefined || `must be an address such as ${helpdeskExample(platform)}`,
        { toJsonSchema: () => ({ format: "uri", maxLength: MAX_HELPDESK_ADDRESS }) }
      )
    )
    .annotate({ examples: [helpdeskExample(platform)] })

type HelpdeskName = keyof typeof helpdeskLabels
type HelpdeskFields = Readonly<Record<HelpdeskName, ReturnType<typeof helpdeskOf>>>

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
  ).annotate({ examples: ["public"] }),
  embed_origins: listUpTo(
    MAX_EMBED_ORIGINS,
    origin,
    "Origins whose pages may embed recordings (`/r/{uuid}/embed`): HTTPS, or loopback, at most 512 characters. Default: none. They are kept as browsers write " +
      "them, each one once."
  ).annotate({ examples: [["https://help.example.com"]] }),
  link_previews: flag(
    "Whether messengers and other services show title, summary and still image of a public recording beside its link. They keep " +
      "copies. Default: false."
  ).annotate({ examples: [false] }),
  helpdesk_addresses: object(
    optional(
      Object.fromEntries(helpdeskPlatforms.map((platform) => [platform, helpdeskOf(platform)])) as HelpdeskFields
    ),
    "Addresses of the account's helpdesks, by platform, from which links to tickets are made: HTTPS, at most " +
      `${MAX_HELPDESK_ADDRESS} characters. Omitted helpdesks have none.`
  ).annotate({ examples: [{ zendesk: "https://acme.zendesk.com" }] })
}

const { api_access, name } = accountFields

/** An account that the operator creates. */
export const AccountInput = object({ name, api_access }, "An account to create.")
export type AccountInput = typeof AccountInput.Type

export const AccountChange = change(accountFields, "Changes of the account. Fields that you omit keep their value.")
export type AccountChange = typeof AccountChange.Type
