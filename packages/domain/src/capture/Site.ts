import * as Schema from "effect/Schema"
import { AccountId, FolderId } from "../ids.ts"
import { Platform } from "../recordings/helpdesk.ts"
import { Instant } from "../time.ts"

/** A web site on which `capture.js` runs. */
export const Site = Schema.Struct({
  id: Schema.String,
  accountId: AccountId,
  name: Schema.String,
  createdAt: Instant,
  /** `https://shop.example.com`, `https://*.example.com`, or loopback. */
  origins: Schema.Array(Schema.String),
  folderId: Schema.NullOr(FolderId),
  /** Helpdesk of the site; null for the service's own app. */
  platform: Schema.NullOr(Platform),
  redaction: Schema.Struct({
    headers: Schema.Array(Schema.String),
    query_parameters: Schema.Array(Schema.String),
    selectors: Schema.Array(Schema.String),
    body_urls: Schema.Array(Schema.String)
  }),
  isEnabled: Schema.Boolean,
  /** Public key of the site. */
  key: Schema.String
})
export type Site = typeof Site.Type
