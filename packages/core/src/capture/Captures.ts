import type { Instant, RecordingUuid, User } from "@tapedeck/domain"
import {
  allowsOrigin,
  type Capture,
  type CaptureLink,
  type CaptureToken,
  type CaptureUpload,
  type LogUnreadable,
  linkStateAt,
  type Site
} from "@tapedeck/domain/capture"
import {
  type CaptureInput,
  DEFAULT_CAPTURE_SECONDS,
  type DecodedInput,
  type FinishInput,
  type SiteCaptureInput
} from "@tapedeck/domain/input"
import { Context, Effect, Layer } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import {
  type InputInvalid,
  type NotAVideo,
  NotFound,
  type RateLimited,
  type StateConflict,
  type TooManyPieces,
  type Unauthenticated
} from "../errors.ts"
import { removePieceFiles } from "../files/pieces.ts"
import { UploadPolicy } from "../files/upload.ts"
import { Folders } from "../folders/Folders.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { helpdeskEntryOf } from "../input/helpdesk.ts"
import type { UnfinishedJob } from "../jobs/JobRunner.ts"
import { now } from "../now.ts"
import { type Caller, RequestOrigin } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { type CaptureHolder, storeContext, storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import { appendLogInTurn } from "./appendLog.ts"
import {
  type BegunCapture,
  beginCapture,
  beginHash,
  beginOnce,
  begunBefore,
  captureOnSite,
  isOfDeactivated,
  issueToken
} from "./begin.ts"
import { checkAgentCapture, checkSiteCapture } from "./captureInput.ts"
import { type CaptureClaim, claimCapture, keepAlive } from "./captureJob.ts"
import { dropCapture } from "./captureOfRecording.ts"
import { enterFolderAfterMedia, runCaptureJob } from "./due.ts"
import { CaptureRefused, type CaptureTooLarge, LinkUsedUp, OriginRefused } from "./errors.ts"
import { closeAsFinished, completeCapture } from "./finish.ts"
import { countBegun, countCode, maxPairings, pairingCodeMs } from "./limits.ts"
import { type Appended, appendBytes, createUpload, type NewUpload, openCapture, removeUpload } from "./uploads.ts"

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

/** Access of a page that was paired with a capture. */
export interface Paired {
  readonly capture: Capture
  readonly token: string
}

type BeginRefusal = InputInvalid | LinkUsedUp | NotFound | OriginRefused | RateLimited | StateConflict

/** The captures of recordings: by a link, on a site, or by an agent. */
export class Captures extends Context.Service<
  Captures,
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
    /** The capture that a token opens, if it is this one and the token is of one of these kinds; `isOver`: also a closed one. */
    readonly authenticate: (
      token: string,
      captureId: string,
      options: { readonly kinds: ReadonlyArray<CaptureToken["kind"]>; readonly isOver?: boolean }
    ) => Effect.Effect<Capture, CaptureRefused>
    readonly createUpload: (
      captureId: string,
      upload: NewUpload
    ) => Effect.Effect<CaptureUpload, CaptureRefused | CaptureTooLarge | StateConflict>
    /** The new offset. */
    readonly append: <E>(
      appended: Appended<E>
    ) => Effect.Effect<
      number,
      CaptureRefused | CaptureTooLarge | TooManyPieces | StateConflict | NotAVideo | NotFound | E
    >
    readonly removeUpload: (captureId: string, uploadId: string) => Effect.Effect<void, CaptureRefused | NotFound>
    readonly appendLog: (
      captureId: string,
      stream: string,
      text: string
    ) => Effect.Effect<void, CaptureRefused | LogUnreadable>
    /** A sign of life. */
    readonly touch: (captureId: string) => Effect.Effect<void, CaptureRefused>
    readonly pair: (
      captureId: string
    ) => Effect.Effect<{ readonly code: string; readonly expiresAt: Instant }, CaptureRefused | RateLimited>
    readonly redeem: (code: string) => Effect.Effect<Paired, CaptureRefused | NotFound>
    /** A repeat answers the same, and waits for nothing: the first one completes the capture. */
    readonly finish: (
      captureId: string,
      input: DecodedInput<FinishInput>
    ) => Effect.Effect<Capture, InputInvalid | CaptureRefused>
    readonly discard: (captureId: string) => Effect.Effect<void, CaptureRefused>
    /** Runs the due event of a capture: it is abandoned or completed, or its recording enters its folder. */
    readonly runJob: (claim: CaptureClaim) => Effect.Effect<UnfinishedJob | void>
    /** A media job of the recording has ended: without another one it enters its folder. */
    readonly mediaEnded: (uuid: RecordingUuid) => Effect.Effect<void>
    /** Returns whether a page of this origin may call for this site (by key) or capture; with neither, for any enabled site. */
    readonly isAllowed: (
      origin: string,
      of: { readonly key?: string | undefined; readonly captureId?: string | undefined }
    ) => Effect.Effect<boolean>
  }
>()("@tapedeck/core/Captures") {
  static readonly layer = Layer.effect(
    Captures,
    Effect.gen(function* () {
      const store = yield* storeOf(
        "accounts",
        "auditEntries",
        "automations",
        "captureLinks",
        "captures",
        "destinations",
        "files",
        "folders",
        "jobs",
        "nextNumber",
        "recordingParts",
        "recordings",
        "sites",
        "transaction",
        "tryWindows",
        "users"
      )
      const write = yield* writer
      const vault = yield* Vault
      const config = yield* ServiceConfig
      const context = yield* Effect.context<AuditLog | Folders | Ids | ServiceConfig | UploadPolicy | Vault>()
      const services = Context.merge(
        Context.pick(AuditLog, Folders, Ids, ServiceConfig, UploadPolicy, Vault)(context),
        storeContext(store)
      )
      const provided = <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.provideContext(body, services)
      const inStore = <A, E, R>(body: Effect.Effect<A, E, R>) => provided(store.transaction(body))

      const activeLink = Effect.fnUntraced(function* (token: string) {
        const link = yield* store.captureLinks.byHash(vault.hash(token))
        if (link === undefined) return yield* new NotFound({ what: "Capture link" })
        const creator = yield* store.users.byId(link.createdBy)
        const state = linkStateAt(link, creator, yield* now)
        if (state === "revoked") return yield* new NotFound({ what: "Capture link" })
        return state === "active" ? link : yield* new LinkUsedUp({ state })
      })

      const invitation = Effect.fn("Captures.invitation")(function* (token: string) {
        const link = yield* activeLink(token)
        const account = yield* store.accounts.byId(link.accountId)
        const requestedBy = (yield* store.users.byId(link.createdBy)) ?? null
        return { link, accountName: account?.name ?? "", requestedBy }
      })

      const address = Effect.map(RequestOrigin, (origin) => origin?.ipAddress ?? null)

      const beginByLink = Effect.fn("Captures.beginByLink")(function* (token: string, key: string | null) {
        const hash = beginHash(vault, token, key)
        // The first request may have used the link up.
        const link = (yield* begunBefore(hash))?.linkId ?? (yield* activeLink(token)).id
        yield* countBegun({ link }, yield* address)
        return yield* store.transaction(beginOnce(hash, useLink(token)))
      })

      const useLink = Effect.fnUntraced(function* (token: string) {
        const link = yield* activeLink(token)
        yield* store.captureLinks.save({ ...link, uses: link.uses + 1 })
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
            helpdesk: helpdeskEntryOf(link.helpdesk, config.vendor),
            customer: { email: link.customerEmail }
          }
        })
      })

      const enabledSite = Effect.fnUntraced(function* (key: string) {
        const site = yield* store.sites.byKey(key)
        return site?.isEnabled === true ? site : yield* new NotFound({ what: "Site" })
      })

      const openSite = Effect.fn("Captures.openSite")(function* (key: string) {
        const site = yield* enabledSite(key)
        const account = yield* store.accounts.byId(site.accountId)
        return { site, accountName: account?.name ?? "", maxDurationSeconds: DEFAULT_CAPTURE_SECONDS }
      })

      const beginBySite = Effect.fn("Captures.beginBySite")(function* (
        key: string,
        input: DecodedInput<SiteCaptureInput>,
        origin: string | null,
        beginKey: string | null
      ) {
        const site = yield* enabledSite(key)
        const isOwn = origin === new URL(config.publicUrl).origin
        if (origin !== null && !isOwn && !allowsOrigin(site.origins, origin)) return yield* new OriginRefused()
        const given = yield* valueOf(input, checkSiteCapture(site))
        yield* countBegun({ site: site.id }, yield* address)
        const begin = Effect.flatMap(enabledSite(key), (current) => beginCapture(captureOnSite(current, given)))
        return yield* store.transaction(beginOnce(beginHash(vault, key, beginKey), begin))
      })

      const beginByAgent = Effect.fn("Captures.beginByAgent")(function* (
        caller: Caller,
        input: DecodedInput<CaptureInput>
      ) {
        const given = yield* valueOf(input, checkAgentCapture(caller.account.id, config.vendor))
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

      const holder = (token: string): Effect.Effect<CaptureHolder | undefined> =>
        store.captures.byToken(vault.hash(token))

      const authenticate = Effect.fnUntraced(function* (
        token: string,
        captureId: string,
        { isOver = false, kinds }: { readonly kinds: ReadonlyArray<CaptureToken["kind"]>; readonly isOver?: boolean }
      ) {
        const found = yield* holder(token)
        const isValid =
          found !== undefined &&
          found.capture.id === captureId &&
          kinds.includes(found.token.kind) &&
          found.token.expiresAt > (yield* now) &&
          (isOver || found.capture.state === "open")
        return isValid && !(yield* provided(isOfDeactivated(found.capture)))
          ? found.capture
          : yield* new CaptureRefused()
      })

      const touch = Effect.fnUntraced(function* (captureId: string) {
        yield* Effect.flatMap(openCapture(captureId), keepAlive)
      })

      const pair = Effect.fnUntraced(function* (captureId: string) {
        yield* touch(captureId)
        const at = yield* now
        yield* store.captures.pruneTokens(at)
        const expiresAt = (at + pairingCodeMs) as Instant
        return { code: yield* issueToken(captureId, "code", expiresAt), expiresAt }
      })

      const redeem = Effect.fnUntraced(function* (code: string) {
        const found = yield* holder(code)
        const isValid = found?.token.kind === "code" && found.token.expiresAt > (yield* now)
        if (found === undefined || !isValid) return yield* new NotFound({ what: "Pairing code" })
        yield* store.captures.removeToken(found.token.hash)
        const capture = yield* openCapture(found.capture.id)
        yield* keepAlive(capture)
        if (capture.pairings >= maxPairings) return yield* new CaptureRefused()
        yield* store.captures.save({ ...capture, pairings: capture.pairings + 1 })
        return { capture, token: yield* issueToken(capture.id, "log", capture.expiresAt) }
      })

      const finish = Effect.fn("Captures.finish")(function* (captureId: string, input: DecodedInput<FinishInput>) {
        const closed = yield* inStore(Effect.andThen(closeAsFinished(captureId, input), claimCapture(captureId)))
        if (closed !== undefined) yield* provided(completeCapture(closed.capture, closed.claim))
        const capture = yield* store.captures.byId(captureId)
        return capture ?? (yield* new CaptureRefused())
      })

      const discard = Effect.fn("Captures.discard")(function* (captureId: string) {
        const drop = Effect.flatMap(openCapture(captureId), dropCapture)
        yield* provided(removePieceFiles(yield* inStore(drop)))
      })

      const removed = Effect.fnUntraced(function* (captureId: string, uploadId: string) {
        yield* provided(removePieceFiles(yield* inStore(removeUpload(captureId, uploadId))))
      })

      const isAllowed = Effect.fnUntraced(function* (
        origin: string,
        { captureId, key }: { readonly key?: string | undefined; readonly captureId?: string | undefined }
      ) {
        if (key !== undefined) {
          const site = yield* store.sites.byKey(key)
          return site?.isEnabled === true && allowsOrigin(site.origins, origin)
        }
        if (captureId !== undefined) {
          const siteId = (yield* store.captures.byId(captureId))?.siteId
          const site = siteId == null ? undefined : yield* store.sites.byId(siteId)
          return site !== undefined && allowsOrigin(site.origins, origin)
        }
        return yield* store.sites.allow(origin)
      })

      return Captures.of({
        invitation,
        openSite,
        beginByLink: (token, key) => provided(beginByLink(token, key)),
        beginBySite: (key, input, origin, beginKey) => provided(beginBySite(key, input, origin, beginKey)),
        beginByAgent: (caller, input) => provided(write(caller, beginByAgent(caller, input))),
        authenticate,
        createUpload: (captureId, upload) => inStore(createUpload(captureId, upload)),
        append: (appended) => provided(appendBytes(appended)),
        removeUpload: removed,
        appendLog: (captureId, stream, text) => provided(appendLogInTurn(captureId, stream, text)),
        touch: (captureId) => inStore(touch(captureId)),
        pair: (captureId) => Effect.andThen(provided(countCode(captureId)), inStore(pair(captureId))),
        redeem: (code) => inStore(redeem(code)),
        finish,
        discard,
        runJob: (claim) => provided(runCaptureJob(claim)),
        mediaEnded: (uuid) => inStore(enterFolderAfterMedia(uuid)),
        isAllowed
      })
    })
  )
}
