import type { AccountId, Instant, RecordingUuid, UserId } from "@tapedeck/domain"
import type { Capture, CaptureLink, CapturePiece, CaptureToken, Site } from "@tapedeck/domain/capture"
import type { Effect } from "effect"
import type { Part, Slice } from "./slices.ts"

export interface SiteRepository {
  readonly byId: (id: string) => Effect.Effect<Site | undefined>
  readonly byKey: (key: string) => Effect.Effect<Site | undefined>
  /** Lists the sites in the order of creation. */
  readonly list: (accountId: AccountId) => Effect.Effect<ReadonlyArray<Site>>
  /** Returns whether an enabled site of any account allows pages of this origin. */
  readonly allow: (origin: string) => Effect.Effect<boolean>
  readonly save: (site: Site) => Effect.Effect<void>
  readonly remove: (id: string) => Effect.Effect<void>
}

export interface CaptureLinkFilter {
  readonly accountId: AccountId
  readonly createdBy?: UserId
}

export interface CaptureLinkRepository {
  readonly byId: (id: string) => Effect.Effect<CaptureLink | undefined>
  readonly byHash: (hash: string) => Effect.Effect<CaptureLink | undefined>
  /** Newest first: the reverse of the order of creation. */
  readonly page: (filter: CaptureLinkFilter, slice: Slice) => Effect.Effect<Part<CaptureLink>>
  readonly save: (link: CaptureLink) => Effect.Effect<void>
}

/** A token and the capture that it opens. */
export interface CaptureHolder {
  readonly token: CaptureToken
  readonly capture: Capture
}

/** At most `limit` pieces, those with a greater `sequence` than `after`. */
export interface PiecePage {
  readonly after: number
  readonly limit: number
}

export interface CaptureRepository {
  readonly byId: (id: string) => Effect.Effect<Capture | undefined>
  /** Includes expired tokens: the use case refuses them. */
  readonly byToken: (hash: string) => Effect.Effect<CaptureHolder | undefined>
  readonly ofRecording: (uuid: RecordingUuid) => Effect.Effect<Capture | undefined>
  readonly save: (capture: Capture) => Effect.Effect<void>
  /** Removes the capture with its pieces and tokens. The files of its pieces stay. */
  readonly remove: (id: string) => Effect.Effect<void>
  /** Returns the pieces by `sequence`: all, or those of a page. */
  readonly pieces: <Kind extends CapturePiece["kind"]>(
    id: string,
    kind: Kind,
    page?: PiecePage
  ) => Effect.Effect<ReadonlyArray<Extract<CapturePiece, { readonly kind: Kind }>>>
  readonly addPiece: (id: string, piece: CapturePiece) => Effect.Effect<void>
  readonly removePieces: (id: string) => Effect.Effect<void>
  /** Removes the pieces of one upload. */
  readonly removePiecesOf: (id: string, uploadId: string) => Effect.Effect<void>
  readonly saveToken: (token: CaptureToken) => Effect.Effect<void>
  readonly removeToken: (hash: string) => Effect.Effect<void>
  readonly removeTokens: (id: string, kinds: ReadonlyArray<CaptureToken["kind"]>) => Effect.Effect<void>
  /** Removes expired tokens; a database removes `maxPruned` of them. */
  readonly pruneTokens: (now: Instant) => Effect.Effect<void>
}
