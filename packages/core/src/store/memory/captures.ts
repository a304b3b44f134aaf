import type { Instant, RecordingUuid } from "@tapedeck/domain"
import {
  type Capture,
  type CaptureLink,
  type CapturePiece,
  type CaptureToken,
  originPatterns,
  type Site
} from "@tapedeck/domain/capture"
import { type CaptureHolder, type CaptureLinkFilter, type PiecePage, partOf, type Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"
import type { Draft, WorldState } from "./WorldState.ts"

/** Counts its origins, for `SiteRepository.allow`. */
export const saveSite = (draft: Draft, site: Site) => {
  countOrigins(draft, draft.state.sites.get(site.id), -1)
  draft.editMap("sites").set(site.id, site)
  countOrigins(draft, site, 1)
}

const removeSite = (draft: Draft, id: string) => {
  countOrigins(draft, draft.state.sites.get(id), -1)
  draft.editMap("sites").delete(id)
}

const countOrigins = (draft: Draft, site: Site | undefined, change: 1 | -1) => {
  if (site?.isEnabled !== true) return
  const origins = draft.edit("siteOrigins")
  for (const origin of site.origins) {
    const sites = (origins.get(origin) ?? 0) + change
    if (sites === 0) origins.delete(origin)
    else origins.set(origin, sites)
  }
}

const linksOf = (state: WorldState, { accountId, createdBy }: CaptureLinkFilter): ReadonlyArray<CaptureLink> =>
  [...state.captureLinks.values()]
    .filter((link) => link.accountId === accountId && (createdBy === undefined || link.createdBy === createdBy))
    .reverse()

const holderOf = (state: WorldState, hash: string): CaptureHolder | undefined => {
  const token = state.captureTokens.get(hash)
  const capture = token === undefined ? undefined : state.captures.get(token.captureId)
  return token === undefined || capture === undefined ? undefined : { token, capture }
}

const captureOf = (state: WorldState, uuid: RecordingUuid): Capture | undefined =>
  state.captures.valuesArray().find(({ recordingUuid }) => recordingUuid === uuid)

const removeCapture = (draft: Draft, id: string) => {
  if (!draft.edit("captures").delete(id)) return
  removePieces(draft, id)
  removeWhere(draft, ({ captureId }) => captureId === id)
}

const pieceKey = (captureId: string, sequence: number): string => `${captureId}:${String(sequence).padStart(9, "0")}`

function* allPiecesOf(state: WorldState, captureId: string, after = -1): Generator<CapturePiece> {
  for (const row of state.capturePieces.values(pieceKey(captureId, after + 1))) {
    if (row.captureId !== captureId) return
    yield row.piece
  }
}

const piecesOf = <Kind extends CapturePiece["kind"]>(
  state: WorldState,
  captureId: string,
  kind: Kind,
  { after, limit }: PiecePage = { after: -1, limit: Number.POSITIVE_INFINITY }
) => {
  const pieces: Array<Extract<CapturePiece, { readonly kind: Kind }>> = []
  for (const piece of allPiecesOf(state, captureId, after)) {
    if (pieces.length >= limit) break
    if (piece.kind === kind) pieces.push(piece as Extract<CapturePiece, { readonly kind: Kind }>)
  }
  return pieces
}

export const addPiece = (draft: Draft, captureId: string, piece: CapturePiece) =>
  void draft.edit("capturePieces").set(pieceKey(captureId, piece.sequence), { captureId, piece })

const removePieces = (draft: Draft, captureId: string, uploadId?: string) => {
  for (const piece of [...allPiecesOf(draft.state, captureId)]) {
    const isOfUpload = piece.kind === "video" && piece.uploadId === uploadId
    if (uploadId === undefined || isOfUpload) draft.edit("capturePieces").delete(pieceKey(captureId, piece.sequence))
  }
}

const removeTokens = (draft: Draft, captureId: string, kinds: ReadonlyArray<CaptureToken["kind"]>) =>
  removeWhere(draft, (token) => token.captureId === captureId && kinds.includes(token.kind))

const pruneTokens = (draft: Draft, now: Instant) => removeWhere(draft, ({ expiresAt }) => expiresAt <= now)

const removeWhere = (draft: Draft, isGone: (token: CaptureToken) => boolean) => {
  for (const token of draft.state.captureTokens.valuesArray()) {
    if (isGone(token)) draft.edit("captureTokens").delete(token.hash)
  }
}

/** Sites, capture links and captures in memory. */
export const captureRepositories = ({
  read,
  write
}: MemoryState): Pick<Store, "sites" | "captureLinks" | "captures"> => ({
  sites: {
    byId: (id) => read((state) => state.sites.get(id)),
    byKey: (key) => read((state) => [...state.sites.values()].find((one) => one.key === key)),
    list: (accountId) => read((state) => [...state.sites.values()].filter((one) => one.accountId === accountId)),
    allow: (origin) => read((state) => originPatterns(origin).some((pattern) => state.siteOrigins.has(pattern))),
    save: (site) => write((draft) => saveSite(draft, site)),
    remove: (id) => write((draft) => removeSite(draft, id))
  },
  captureLinks: {
    byId: (id) => read((state) => state.captureLinks.get(id)),
    byHash: (hash) => read((state) => [...state.captureLinks.values()].find((one) => one.tokenHash === hash)),
    page: (filter, slice) => read((state) => partOf(linksOf(state, filter), slice)),
    save: (link) => write((draft) => draft.editMap("captureLinks").set(link.id, link))
  },
  captures: {
    byId: (id) => read((state) => state.captures.get(id)),
    byToken: (hash) => read((state) => holderOf(state, hash)),
    ofRecording: (uuid) => read((state) => captureOf(state, uuid)),
    save: (capture) => write((draft) => draft.edit("captures").set(capture.id, capture)),
    remove: (id) => write((draft) => removeCapture(draft, id)),
    pieces: (id, kind, page) => read((state) => piecesOf(state, id, kind, page)),
    addPiece: (id, piece) => write((draft) => addPiece(draft, id, piece)),
    removePieces: (id) => write((draft) => removePieces(draft, id)),
    removePiecesOf: (id, uploadId) => write((draft) => removePieces(draft, id, uploadId)),
    saveToken: (token) => write((draft) => draft.edit("captureTokens").set(token.hash, token)),
    removeToken: (hash) => write((draft) => void draft.edit("captureTokens").delete(hash)),
    removeTokens: (id, kinds) => write((draft) => removeTokens(draft, id, kinds)),
    pruneTokens: (now) => write((draft) => pruneTokens(draft, now))
  }
})
