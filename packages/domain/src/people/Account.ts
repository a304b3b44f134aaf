import * as Schema from "effect/Schema"
import { AccountId } from "../ids.ts"
import { Sharing } from "../recordings/sharing.ts"

export const Account = Schema.Struct({
  id: AccountId,
  name: Schema.String,
  /** True if the account has API access. Without it, each API request is refused with 403. */
  apiAccess: Schema.Boolean,
  /** Sharing of new recordings; `public` if absent. */
  sharing: Schema.optionalKey(Sharing),
  /** Origins whose pages may embed the account's recordings, as browsers write them; none if absent. */
  embedOrigins: Schema.optionalKey(Schema.Array(Schema.String)),
  /** True if other services may show previews of public recordings; false if absent. */
  linkPreviews: Schema.optionalKey(Schema.Boolean),
  /** Addresses of the account's helpdesks, by platform; none if absent. */
  helpdeskAddresses: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
export type Account = typeof Account.Type
