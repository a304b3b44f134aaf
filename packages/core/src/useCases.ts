import { Layer } from "effect"
import { AccessTokens } from "./AccessTokens.ts"
import { AuditLog } from "./AuditLog.ts"
import { Deliveries } from "./Deliveries.ts"
import { Folders } from "./Folders.ts"
import { RateLimiter } from "./RateLimiter.ts"
import { Recordings } from "./Recordings.ts"
import { Transcripts } from "./Transcripts.ts"
import { Users } from "./Users.ts"

/** Every use case, over a `Store`, a `ServiceConfig`, `Ids` and a `Vault`. */
export const useCases = Layer.mergeAll(
  AccessTokens.layer,
  Folders.layer,
  RateLimiter.layer,
  Recordings.layer,
  Users.layer
).pipe(Layer.provideMerge(Layer.mergeAll(AuditLog.layer, Transcripts.layer)), Layer.provideMerge(Deliveries.layer))
