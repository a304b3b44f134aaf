import type { RecordingUuid, ShareLink } from "@tapedeck/domain"
import type { Effect } from "effect"

/** Share links are removed with their recording. */
export interface ShareLinkRepository {
  /** Includes expired links: the use case refuses them. */
  readonly byHash: (hash: string) => Effect.Effect<ShareLink | undefined>
  /** Oldest first: `createdAt`, then `id`. Includes expired links. */
  readonly ofRecording: (uuid: RecordingUuid) => Effect.Effect<ReadonlyArray<ShareLink>>
  readonly add: (link: ShareLink) => Effect.Effect<void>
  readonly remove: (id: string) => Effect.Effect<void>
}
