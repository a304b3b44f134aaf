import { Layer } from "effect"
import { AuditLog } from "./audit/AuditLog.ts"
import { CaptureSessions } from "./capture/CaptureSessions.ts"
import { CaptureStarts } from "./capture/CaptureStarts.ts"
import { CaptureUploads } from "./capture/CaptureUploads.ts"
import { Deliveries } from "./deliveries/Deliveries.ts"
import { Redeliveries } from "./deliveries/Redeliveries.ts"
import { Folders } from "./folders/Folders.ts"
import { Outbox } from "./mail/Outbox.ts"
import { AccessTokens } from "./people/AccessTokens.ts"
import { RefusedTokens } from "./people/signIn/RefusedTokens.ts"
import { Sessions } from "./people/signIn/Sessions.ts"
import { Users } from "./people/Users.ts"
import { RateLimiter } from "./RateLimiter.ts"
import { RecordingContent } from "./recordings/RecordingContent.ts"
import { Recordings } from "./recordings/Recordings.ts"
import { ShareLinks } from "./recordings/sharing/ShareLinks.ts"
import { Transcripts } from "./recordings/Transcripts.ts"

/** The captures of recordings, from their start to their end. */
export type CaptureServices = CaptureSessions | CaptureStarts | CaptureUploads

/** Every use case, over a `Store`, a `ServiceConfig`, `Ids` and a `Vault`. */
export const useCases = Layer.mergeAll(
  AccessTokens.layer,
  Layer.mergeAll(CaptureSessions.layer, CaptureStarts.layer, CaptureUploads.layer).pipe(
    Layer.provideMerge(Folders.layer)
  ),
  Outbox.layer,
  RateLimiter.layer,
  ShareLinks.layer,
  RecordingContent.layer.pipe(Layer.provideMerge(Recordings.layer)),
  Redeliveries.layer,
  RefusedTokens.layer,
  Sessions.layer,
  Users.layer
).pipe(Layer.provideMerge(Layer.mergeAll(AuditLog.layer, Transcripts.layer)), Layer.provideMerge(Deliveries.layer))
