import { type Instant, originPatterns } from "@tapedeck/domain"
import type { Effect } from "effect"
import { partOf, type Store } from "../Store.ts"
import * as Captures from "./captures.ts"
import type { Draft, WorldState } from "./WorldState.ts"

/** How the store in memory is read and written. */
interface Access {
  readonly read: <A>(f: (state: WorldState) => A) => Effect.Effect<A>
  readonly write: <A>(f: (draft: Draft) => A, changesAgenda?: boolean) => Effect.Effect<A>
  readonly writeAt: <A>(f: (draft: Draft, now: Instant) => A, changesAgenda?: boolean) => Effect.Effect<A>
}

/** Sites, capture links and captures in memory. */
export const makeCaptureRepositories = ({
  read,
  write,
  writeAt
}: Access): Pick<Store["Service"], "sites" | "captureLinks" | "captures"> => ({
  sites: {
    byId: (id) => read((state) => state.sites.get(id)),
    byKey: (key) => read((state) => [...state.sites.values()].find((one) => one.key === key)),
    list: (accountId) => read((state) => [...state.sites.values()].filter((one) => one.accountId === accountId)),
    allow: (origin) => read((state) => originPatterns(origin).some((pattern) => state.siteOrigins.has(pattern))),
    save: (site) => write((draft) => Captures.saveSite(draft, site)),
    remove: (id) => write((draft) => Captures.removeSite(draft, id))
  },
  captureLinks: {
    byId: (id) => read((state) => state.captureLinks.get(id)),
    byHash: (hash) => read((state) => [...state.captureLinks.values()].find((one) => one.tokenHash === hash)),
    page: (filter, slice) => read((state) => partOf(Captures.linksOf(state, filter), slice)),
    save: (link) => write((draft) => draft.editMap("captureLinks").set(link.id, link))
  },
  captures: {
    byId: (id) => read((state) => state.captures.get(id)?.capture),
    byToken: (hash) => read((state) => Captures.holderOf(state, hash)),
    ofRecording: (uuid) => read((state) => Captures.captureOf(state, uuid)),
    due: (limit) => writeAt((draft, now) => Captures.dueCaptures(draft.state, now, limit), false),
    save: (capture) => write((draft) => Captures.saveCapture(draft, capture)),
    remove: (id) => write((draft) => Captures.removeCapture(draft, id)),
    pieces: (id, kind) => read((state) => Captures.piecesOf(state, id, kind)),
    addPiece: (id, piece) => write((draft) => Captures.addPiece(draft, id, piece)),
    removePieces: (id) => write((draft) => Captures.removePieces(draft, id)),
    removePiecesOf: (id, uploadId) => write((draft) => Captures.removePieces(draft, id, uploadId)),
    saveToken: (token) => write((draft) => draft.edit("captureTokens").set(token.hash, token)),
    removeToken: (hash) => write((draft) => void draft.edit("captureTokens").delete(hash)),
    removeTokens: (id, kinds) => write((draft) => Captures.removeTokens(draft, id, kinds)),
    pruneTokens: (now) => write((draft) => Captures.pruneTokens(draft, now))
  }
})
