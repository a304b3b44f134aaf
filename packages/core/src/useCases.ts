import { Layer } from "effect"
import { AccessTokens } from "./AccessTokens.ts"
import { AuditLog } from "./AuditLog.ts"
import { Captures } from "./capture/Captures.ts"
import { Deliveries } from "./Deliveries.ts"
import { Folders } from "./Folders.ts"
import { Outbox } from "./mail/Outbox.ts"
import { RateLimiter } from "./RateLimiter.ts"
import { Recordings } from "./Recordings.ts"
import { Redeliveries } from "./settings/Redeliveries.ts"
import { ShareLinks } from "./sharing/ShareLinks.ts"
import { RefusedTokens } from "./signIn/RefusedTokens.ts"
import { Sessions } from "./signIn/Sessions.ts"
import { Transcripts } from "./Transcripts.ts"
import { Users } from "./Users.ts"

/** Every use case, over a `Store`, a `ServiceConfig`, `Ids` and a `Vault`. */
export const useCases = Layer.mergeAll(
  AccessTokens.layer,
  Captures.layer.pipe(Layer.provideMerge(Folders.layer)),
  Outbox.layer,
  RateLimiter.layer,
  ShareLinks.layer,
  Recordings.layer,
  Redeliveries.layer,
  RefusedTokens.layer,
  Sessions.layer,
  Users.layer
).pipe(Layer.provideMerge(Layer.mergeAll(AuditLog.layer, Transcripts.layer)), Layer.provideMerge(Deliveries.layer))
