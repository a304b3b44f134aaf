import { FolderId, HelpdeskPlatform } from "@tapedeck/domain"
import { originProblem, type Site } from "@tapedeck/domain/capture"
import { Context, Effect, Layer, Schema } from "effect"
import { auditor, changesBetween, isChange, shown } from "../audit/audited.ts"
import { type InputInvalid, type InputMalformed, NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { readInput, requireAnyField, type SettingsInput } from "../input/decodeInput.ts"
import { atMost, flag, label, list, nullableTextId, object, optional, text } from "../input/fields.ts"
import type { Lenient } from "../input/lenient.ts"
import { type Page, pager } from "../input/pages.ts"
import type { Report } from "../input/problems.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { partOf, storeContext, storeOf } from "../store/Store.ts"
import { checkFolderId } from "./captureInput.ts"

/** Sites of an account, origins of a site, and items of each list of its redaction. */
const maxSites = 200
const maxOrigins = 50
const maxRules = 100

const upTo = (max: number) =>
  Schema.makeFilter((value: ReadonlyArray<unknown>) => value.length <= max || `must have at most ${max} items`)

const rule = text("One of them.").check(Schema.isNonEmpty({ message: "must not be empty" }), atMost(255))
const rules = (description: string) => list(rule, description).check(upTo(maxRules))

const origin = text("An origin.").check(Schema.makeFilter((value) => originProblem(value) ?? true))

const required = {
  name: label("Label."),
  origins: list(origin, "Origins whose pages may record: HTTPS, or loopback; `https://*.example.com`.").check(
    Schema.makeFilter((value) => value.length > 0 || "must not be empty"),
    upTo(maxOrigins)
  )
}

const others = {
  folder_id: nullableTextId("Id of the folder that recordings enter. Default: none."),
  helpdesk: object(
    optional({
      platform: Schema.NullOr(HelpdeskPlatform).annotate({
        message: `must be one of ${HelpdeskPlatform.literals.join(", ")}, or null`
      })
    }),
    "The helpdesk of its tickets."
  ),
  redaction: object(
    optional({
      headers: rules("Names of headers whose values are redacted, besides those that always are."),
      query_parameters: rules("Names of query parameters and fields whose values are redacted."),
      selectors: rules("CSS selectors of what is blurred."),
      body_urls: rules("Addresses whose bodies are kept; `*` for any characters; with `!` before it, never.")
    }),
    "What is redacted, besides what always is."
  ),
  is_enabled: flag("Default: true.")
}

const NewSite = object({ ...required, ...optional(others) }, "A site to make.")
const SiteChange = object(optional({ ...required, ...others }), "What to change of a site.")
type SiteInput = Partial<typeof NewSite.Type>

const noRedaction: Site["redaction"] = { headers: [], query_parameters: [], selectors: [], body_urls: [] }

const changed = (before: Site, input: SiteInput): Site => ({
  ...before,
  ...(input.name !== undefined && { name: input.name }),
  ...(input.origins !== undefined && { origins: input.origins }),
  ...(input.folder_id !== undefined && { folderId: input.folder_id === null ? null : FolderId.make(input.folder_id) }),
  ...(input.helpdesk?.platform !== undefined && { platform: input.helpdesk.platform }),
  ...(input.redaction !== undefined && { redaction: { ...before.redaction, ...input.redaction } }),
  ...(input.is_enabled !== undefined && { isEnabled: input.is_enabled })
})

/** The account's web sites on which `capture.js` runs; for admins. */
export class SiteSettings extends Context.Service<
  SiteSettings,
  {
    /** In the order in which they were made. */
    readonly list: (caller: Caller, page: number) => Effect.Effect<Page<Site>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Site, NotFound>
    readonly create: (
      caller: Caller,
      input: SettingsInput
    ) => Effect.Effect<Site, StateConflict | InputInvalid | InputMalformed | Unauthenticated>
    readonly update: (
      caller: Caller,
      id: string,
      input: SettingsInput
    ) => Effect.Effect<Site, InputInvalid | InputMalformed | NotFound | Unauthenticated>
    /** Its open captures go on, without CORS. */
    readonly remove: (caller: Caller, id: string) => Effect.Effect<void, NotFound | Unauthenticated>
  }
>()("@tapedeck/core/SiteSettings") {
  static readonly layer = Layer.effect(
    SiteSettings,
    Effect.gen(function* () {
      const store = yield* storeOf("folders", "sites")
      const write = yield* writer
      const ids = yield* Ids
      const audit = yield* auditor
      const page = yield* pager

      const get = Effect.fnUntraced(function* (caller: Caller, id: string) {
        const site = yield* store.sites.byId(id)
        return site?.accountId === caller.account.id ? site : yield* new NotFound({ what: "Site" })
      })

      const check = (caller: Caller) => (input: Lenient<SiteInput>, report: Report) =>
        Effect.provide(checkFolderId(caller.account.id, input.folder_id, report), storeContext(store))

      const create = Effect.fn("SiteSettings.create")(
        function* (caller: Caller, input: SettingsInput) {
          const given = yield* readInput(NewSite, input, check(caller))
          if ((yield* store.sites.list(caller.account.id)).length >= maxSites) {
            return yield* new StateConflict({ reason: `An account has at most ${maxSites} sites` })
          }
          const empty: Site = {
            id: yield* Ids.uuid("site"),
            accountId: caller.account.id,
            name: "",
            createdAt: yield* now,
            origins: [],
            folderId: null,
            platform: null,
            redaction: noRedaction,
            isEnabled: true,
            key: (yield* Ids.uuid("site")).replaceAll("-", "")
          }
          const site = changed(empty, given)
          yield* store.sites.save(site)
          yield* audit(caller, "site.created", target(site), changesBetween(null, audited(site)))
          return site
        },
        Effect.provideService(Ids, ids)
      )

      const update = Effect.fn("SiteSettings.update")(function* (caller: Caller, id: string, input: SettingsInput) {
        yield* requireAnyField(SiteChange, input)
        const before = yield* get(caller, id)
        const after = changed(before, yield* readInput(SiteChange, input, check(caller)))
        const changes = changesBetween(audited(before), audited(after))
        if (!isChange(changes)) return before
        yield* store.sites.save(after)
        yield* audit(caller, "site.updated", target(after), changes)
        return after
      })

      const remove = Effect.fn("SiteSettings.remove")(function* (caller: Caller, id: string) {
        const site = yield* get(caller, id)
        yield* store.sites.remove(id)
        yield* audit(caller, "site.deleted", target(site), changesBetween(audited(site), null))
      })

      return SiteSettings.of({
        list: (caller, number) =>
          page(number, (slice) => Effect.map(store.sites.list(caller.account.id), (all) => partOf(all, slice))),
        get,
        create: (caller, input) => write(caller, create(caller, input)),
        update: (caller, id, input) => write(caller, update(caller, id, input)),
        remove: (caller, id) => write(caller, remove(caller, id))
      })
    })
  )
}

const target = ({ id }: Site) => ({ type: "site", id })

const audited = (site: Site) => ({
  name: shown(site.name),
  origins: shown(site.origins),
  folder_id: shown(site.folderId),
  platform: shown(site.platform),
  redaction: shown({ ...site.redaction }),
  is_enabled: shown(site.isEnabled)
})
