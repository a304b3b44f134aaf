import * as Schema from "effect/Schema"
import { AccountId } from "../ids.ts"
import { Sharing } from "../recordings/sharing.ts"

export const Account = Schema.Struct({
  id: AccountId,
  name: Schema.String,
  /** Whether the account's plan includes the API; without it every API request is 403 (General rule 1). */
  apiAccess: Schema.Boolean,
  /** Of new recordings. Absent: public. */
  sharing: Schema.optionalKey(Sharing)
})
export type Account = typeof Account.Type
