import { FolderId, type Instant, parseIso, type User } from "@tapedeck/domain"
import {
  type CaptureLink,
  type CaptureSources,
  defaultSources,
  type LinkState,
  linkStateAt
} from "@tapedeck/domain/capture"
import {
  type CaptureLinkChange,
  type CaptureLinkInput,
  DEFAULT_CAPTURE_SECONDS,
  type DecodedInput,
  type Lenient,
  type Report,
  within
} from "@tapedeck/domain/input"
import { Context, Effect, Layer } from "effect"
import { auditor, changesBetween, isChange, plainField } from "../audit/audited.ts"
import { type InputInvalid, NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { checkHelpdesk, helpdeskEntryOf, helpdeskFrom } from "../input/helpdesk.ts"
import { type Page, pager } from "../input/pages.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { usersOf } from "../people/usersOf.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { storeContext, storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import { newSecret } from "./begin.ts"
import { checkFolderId } from "./captureInput.ts"

const defaultMs = 14 * 24 * 3_600_000

/** A link with its token, for callers that may see it. */
export interface ReadableCaptureLink {
  readonly link: CaptureLink
  readonly token: string
  readonly state: LinkState
  readonly creator: User
}

/** Links that let customers record. Members manage their own, admins all. */
export class CaptureLinkSettings extends Context.Service<
  CaptureLinkSettings,
  {
    /** Newest first. */
    readonly list: (caller: Caller, page: number) => Effect.Effect<Page<ReadableCaptureLink>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<ReadableCaptureLink, NotFound>
    readonly create: (
      caller: Caller,
      input: DecodedInput<CaptureLinkInput>
    ) => Effect.Effect<ReadableCaptureLink, InputInvalid | Unauthenticated>
    readonly update: (
      caller: Caller,
      id: string,
      input: DecodedInput<CaptureLinkChange>
    ) => Effect.Effect<ReadableCaptureLink, StateConflict | InputInvalid | NotFound | Unauthenticated>
    /** Revokes the link, which stays in lists. Open captures continue; a repeat changes nothing. */
    readonly revoke: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/CaptureLinkSettings") {
  static readonly layer = Layer.effect(
    CaptureLinkSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("captureLinks", "folders", "sites", "users")
      const write = yield* writer
      const vault = yield* Vault
      const { vendor } = yield* ServiceConfig
      const ids = yield* Ids
      const audit = yield* auditor
      const page = yield* pager

      const readable = Effect.fnUntraced(function* (link: CaptureLink, users?: ReadonlyMap<number, User>) {
        const token = yield* vault.open(link.sealedToken)
        const creator = users === undefined ? yield* store.users.byId(link.createdBy) : users.get(link.createdBy)
        if (creator === undefined) return yield* Effect.die(new Error(`user ${link.createdBy} is gone`))
        const seen: ReadableCaptureLink = { link, token, creator, state: linkStateAt(link, creator, yield* now) }
        return seen
      })

      const find = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const link = yield* store.captureLinks.byId(id)
        const isTheirs =
          link?.accountId === caller.account.id && (caller.user.role === "admin" || link.createdBy === caller.user.id)
        return isTheirs ? link : yield* new NotFound({ what: "Capture link" })
      })

      const check = (caller: Caller) => (input: Lenient<CaptureLinkChange>, report: Report) =>
        Effect.gen(function* () {
          if (input.helpdesk) checkHelpdesk(input.helpdesk, vendor, within(report, "helpdesk"))
          const expiresAt = parseIso(input.expires_at ?? "")
          if (expiresAt !== undefined && expiresAt <= (yield* now)) report(["expires_at"], "must be in the future")
          yield* Effect.provide(checkFolderId(caller.account.id, input.folder_id, report), storeContext(store))
          if (typeof input.site_id !== "string") return
          const site = yield* store.sites.byId(input.site_id)
          if (site?.accountId !== caller.account.id) report(["site_id"], "is not the id of a site")
        })

      const create = Effect.fn("CaptureLinkSettings.create")(
        function* (caller: Caller, input: DecodedInput<CaptureLinkInput>) {
          const fields = yield* valueOf(input, check(caller))
          const at = yield* now
          const token = yield* newSecret
          const made = {
            id: yield* Ids.uuid("capture_link"),
            accountId: caller.account.id,
            createdBy: caller.user.id,
            createdAt: at,
            tokenHash: vault.hash(token),
            sealedToken: yield* vault.seal(token)
          }
          const link = captureLinkFrom(fields, made, vendor)
          yield* store.captureLinks.save(link)
          yield* audit(caller, "capture_link.created", target(link), changesBetween(null, audited(link, vendor)))
          return yield* readable(link)
        },
        Effect.provideService(Ids, ids)
      )

      const update = Effect.fn("CaptureLinkSettings.update")(function* (
        caller: Caller,
        id: string,
        input: DecodedInput<CaptureLinkChange>
      ) {
        const before = yield* find(caller, id)
        if (before.revokedAt !== null) return yield* new StateConflict({ reason: "The link is revoked" })
        const after = changed(before, yield* valueOf(input, check(caller)), vendor)
        const changes = changesBetween(audited(before, vendor), audited(after, vendor))
        if (isChange(changes)) {
          yield* store.captureLinks.save(after)
          yield* audit(caller, "capture_link.updated", target(after), changes)
        }
        return yield* readable(after)
      })

      const revoke = Effect.fn("CaptureLinkSettings.revoke")(function* (caller: Caller, id: string) {
        const link = yield* find(caller, id)
        if (link.revokedAt !== null) return
        yield* store.captureLinks.save({ ...link, revokedAt: yield* now })
        yield* audit(caller, "capture_link.revoked", target(link), { state: { from: "active", to: "revoked" } })
      })

      const list = Effect.fnUntraced(function* (caller: Caller, number: number) {
        const filter = {
          accountId: caller.account.id,
          ...(caller.user.role === "admin" ? {} : { createdBy: caller.user.id })
        }
        const found = yield* page(number, (slice) => store.captureLinks.page(filter, slice))
        const users = yield* usersOf(
          store,
          found.items.map(({ createdBy }) => createdBy),
          caller.user
        )
        return { ...found, items: yield* Effect.forEach(found.items, (link) => readable(link, users)) }
      })

      return CaptureLinkSettings.of({
        list,
        get: (caller, id) => Effect.flatMap(find(caller, id), readable),
        create: (caller, input) => write(caller, create(caller, input)),
        update: (caller, id, input) => write(caller, update(caller, id, input)),
        revoke: (caller, id) => write(caller, revoke(caller, id))
      })
    })
  )
}

/** Returns a new link, made of its creator's input. */
export const captureLinkFrom = (
  input: CaptureLinkInput,
  made: Pick<CaptureLink, "accountId" | "createdAt" | "createdBy" | "id" | "sealedToken" | "tokenHash">,
  vendor: string
): CaptureLink => {
  const empty: CaptureLink = {
    ...made,
    title: null,
    message: null,
    helpdesk: helpdeskFrom(undefined, vendor),
    customerEmail: null,
    folderId: null,
    siteId: null,
    sources: defaultSources,
    maxUses: 1,
    maxDurationSeconds: DEFAULT_CAPTURE_SECONDS,
    expiresAt: (made.createdAt + defaultMs) as Instant,
    redirectUrl: null,
    uses: 0,
    revokedAt: null
  }
  return changed(empty, input, vendor)
}

const changed = (before: CaptureLink, input: CaptureLinkChange, vendor: string): CaptureLink => ({
  ...before,
  ...(input.title !== undefined && { title: input.title }),
  ...(input.message !== undefined && { message: input.message }),
  ...(input.helpdesk !== undefined && { helpdesk: helpdeskFrom(input.helpdesk, vendor) }),
  ...(input.customer?.email !== undefined && { customerEmail: input.customer.email }),
  ...(input.folder_id !== undefined && { folderId: input.folder_id === null ? null : FolderId.make(input.folder_id) }),
  ...(input.site_id !== undefined && { siteId: input.site_id }),
  ...(input.sources !== undefined && { sources: { ...before.sources, ...input.sources } satisfies CaptureSources }),
  ...(input.max_uses !== undefined && { maxUses: input.max_uses }),
  ...(input.max_duration_seconds !== undefined && { maxDurationSeconds: input.max_duration_seconds }),
  ...(input.expires_at !== undefined && { expiresAt: parseIso(input.expires_at)! }),
  ...(input.redirect_url !== undefined && { redirectUrl: input.redirect_url })
})

const target = ({ id }: CaptureLink) => ({ type: "capture_link", id })

const audited = (link: CaptureLink, vendor: string) => ({
  title: plainField(link.title),
  message: plainField(link.message),
  helpdesk: plainField({ ...helpdeskEntryOf(link.helpdesk, vendor) }),
  customer: plainField(link.customerEmail),
  folder_id: plainField(link.folderId),
  site_id: plainField(link.siteId),
  sources: plainField({ ...link.sources }),
  max_uses: plainField(link.maxUses),
  max_duration_seconds: plainField(link.maxDurationSeconds),
  expires_at: plainField(link.expiresAt),
  redirect_url: plainField(link.redirectUrl)
})
