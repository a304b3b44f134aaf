import type { User } from "@tapedeck/domain"
import { allowsOrigin, type Capture, type CaptureLink, linkStateAt, type Site } from "@tapedeck/domain/capture"
import {
  type CaptureInput,
  DEFAULT_CAPTURE_SECONDS,
  type DecodedInput,
  type SiteCaptureInput
} from "@tapedeck/domain/input"
import { Context, Effect } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { type InputInvalid, NotFound, type RateLimited, type StateConflict, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { helpdeskEntryOf } from "../input/helpdesk.ts"
import { now } from "../now.ts"
import { type Caller, RequestOrigin } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { serviceLayer } from "../serviceLayer.ts"
import { inTransaction, storeKeys, storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import { type BegunCapture, beginCapture, beginHash, beginOnce, begunBefore, captureOnSite } from "./begin.ts"
import { checkAgentCapture, checkSiteCapture } from "./captureInput.ts"
import { LinkUsedUp, OriginRefused } from "./errors.ts"
import { countBegun } from "./limits.ts"

/** A capture link, as the customer sees it before the recording. */
export interface Invitation {
  readonly link: CaptureLink
  readonly accountName: string
  readonly requestedBy: User | null
}

/** A site that takes recordings, and what they may be. */
export interface OpenSite {
  readonly site: Site
  readonly accountName: string
  readonly maxDurationSeconds: number
}

type BeginRefusal = InputInvalid | LinkUsedUp | NotFound | OriginRefused | RateLimited | StateConflict

/** Starts captures: by a link, on a site, or by an agent. */
export class CaptureStarts extends Context.Service<
  CaptureStarts,
  {
    readonly invitation: (token: string) => Effect.Effect<Invitation, NotFound | LinkUsedUp>
    /** `key`: with one that has begun an open capture before, that capture is answered, with another token. */
    readonly beginByLink: (token: string, key: string | null) => Effect.Effect<BegunCapture, BeginRefusal>
    readonly openSite: (key: string) => Effect.Effect<OpenSite, NotFound>
    /** `origin`: of the page, if the request names it. `beginKey`: as `key` of a link. */
    readonly beginBySite: (
      key: string,
      input: DecodedInput<SiteCaptureInput>,
      origin: string | null,
      beginKey: string | null
    ) => Effect.Effect<BegunCapture, BeginRefusal>
    readonly beginByAgent: (
      caller: Caller,
      input: DecodedInput<CaptureInput>
    ) => Effect.Effect<BegunCapture, InputInvalid | StateConflict | Unauthenticated>
    /** Returns whether a page of this origin may call for this site (by key) or capture; with neither, for any enabled site. */
    readonly isAllowed: (
      origin: string,
      of: { readonly key?: string | undefined; readonly captureId?: string | undefined }
    ) => Effect.Effect<boolean>
  }
>()("@tapedeck/core/CaptureStarts") {
  static readonly layer = serviceLayer(
    CaptureStarts,
    [
      AuditLog,
      Ids,
      ServiceConfig,
      Vault,
      ...storeKeys("accounts", "captureLinks", "captures", "changes", "folders", "jobs", "nextNumber", "recordings"),
      ...storeKeys("sessions", "sites", "tokens", "transaction", "tryWindows", "users")
    ],
    () => ({ invitation, beginByLink, openSite, beginBySite, beginByAgent, isAllowed })
  )
}

const activeLink = Effect.fnUntraced(function* (token: string) {
  const store = yield* storeOf("captureLinks", "users")
  const vault = yield* Vault
  const link = yield* store.captureLinks.byHash(vault.hash(token))
  if (link === undefined) return yield* new NotFound({ what: "Capture link" })
  const creator = yield* store.users.byId(link.createdBy)
  const state = linkStateAt(link, creator, yield* now)
  if (state === "revoked") return yield* new NotFound({ what: "Capture link" })
  return state === "active" ? link : yield* new LinkUsedUp({ state })
})

const invitation = Effect.fn("CaptureStarts.invitation")(function* (token: string) {
  const store = yield* storeOf("accounts", "users")
  const link = yield* activeLink(token)
  const account = yield* store.accounts.byId(link.accountId)
  const requestedBy = (yield* store.users.byId(link.createdBy)) ?? null
  return { link, accountName: account?.name ?? "", requestedBy }
})

const address = Effect.map(RequestOrigin, (origin) => origin?.ipAddress ?? null)

const beginByLink = Effect.fn("CaptureStarts.beginByLink")(function* (token: string, key: string | null) {
  const hash = beginHash(yield* Vault, token, key)
  const begunLink = Effect.map(begunBefore(hash), (capture) => capture?.linkId)
  const link =
    (yield* begunLink) ??
    // The first request may have used the link up, also between these two reads.
    (yield* activeLink(token).pipe(
      Effect.map(({ id }) => id),
      Effect.catch((refusal) =>
        Effect.flatMap(begunLink, (id) => (id == null ? Effect.fail(refusal) : Effect.succeed(id)))
      )
    ))
  yield* countBegun({ link }, yield* address)
  return yield* inTransaction(beginOnce(hash, useLink(token)))
})

const useLink = Effect.fnUntraced(function* (token: string) {
  const { captureLinks } = yield* storeOf("captureLinks")
  const { vendor } = yield* ServiceConfig
  const link = yield* activeLink(token)
  yield* captureLinks.save({ ...link, uses: link.uses + 1 })
  return yield* beginCapture({
    accountId: link.accountId,
    ownerId: link.createdBy,
    userId: null,
    linkId: link.id,
    siteId: link.siteId,
    folderId: link.folderId,
    maxDurationSeconds: link.maxDurationSeconds,
    recording: {
      recording_type: "Received",
      title: link.title,
      helpdesk: helpdeskEntryOf(link.helpdesk, vendor),
      customer: { email: link.customerEmail }
    }
  })
})

const enabledSite = Effect.fnUntraced(function* (key: string) {
  const { sites } = yield* storeOf("sites")
  const site = yield* sites.byKey(key)
  return site?.isEnabled === true ? site : yield* new NotFound({ what: "Site" })
})

const openSite = Effect.fn("CaptureStarts.openSite")(function* (key: string) {
  const { accounts } = yield* storeOf("accounts")
  const site = yield* enabledSite(key)
  const account = yield* accounts.byId(site.accountId)
  return { site, accountName: account?.name ?? "", maxDurationSeconds: DEFAULT_CAPTURE_SECONDS }
})

const beginBySite = Effect.fn("CaptureStarts.beginBySite")(function* (
  key: string,
  input: DecodedInput<SiteCaptureInput>,
  origin: string | null,
  beginKey: string | null
) {
  const site = yield* enabledSite(key)
  const isOwn = origin === new URL((yield* ServiceConfig).publicUrl).origin
  if (origin !== null && !isOwn && !allowsOrigin(site.origins, origin)) return yield* new OriginRefused()
  const given = yield* valueOf(input, checkSiteCapture(site))
  yield* countBegun({ site: site.id }, yield* address)
  const begin = Effect.flatMap(enabledSite(key), (current) => beginCapture(captureOnSite(current, given)))
  return yield* inTransaction(beginOnce(beginHash(yield* Vault, key, beginKey), begin))
})

const beginByAgent = Effect.fn("CaptureStarts.beginByAgent")(function* (
  caller: Caller,
  input: DecodedInput<CaptureInput>
) {
  const write = yield* writer
  return yield* write(caller, beginAsAgent(caller, input))
})

const beginAsAgent = Effect.fnUntraced(function* (caller: Caller, input: DecodedInput<CaptureInput>) {
  const { vendor } = yield* ServiceConfig
  const given = yield* valueOf(input, checkAgentCapture(caller.account.id, vendor))
  return yield* beginCapture({
    accountId: caller.account.id,
    ownerId: caller.user.id,
    userId: caller.user.id,
    linkId: null,
    siteId: null,
    folderId: (given.folder_id ?? null) as Capture["folderId"],
    maxDurationSeconds: given.max_duration_seconds ?? DEFAULT_CAPTURE_SECONDS,
    recording: {
      recording_type: "Sent",
      title: given.title ?? null,
      ...(given.helpdesk && { helpdesk: given.helpdesk }),
      customer: { email: given.customer?.email ?? null }
    }
  })
})

const isAllowed = Effect.fnUntraced(function* (
  origin: string,
  { captureId, key }: { readonly key?: string | undefined; readonly captureId?: string | undefined }
) {
  const { captures, sites } = yield* storeOf("captures", "sites")
  if (key !== undefined) {
    const site = yield* sites.byKey(key)
    return site?.isEnabled === true && allowsOrigin(site.origins, origin)
  }
  if (captureId !== undefined) {
    const siteId = (yield* captures.byId(captureId))?.siteId
    const site = siteId == null ? undefined : yield* sites.byId(siteId)
    return site !== undefined && allowsOrigin(site.origins, origin)
  }
  return yield* sites.allow(origin)
})
