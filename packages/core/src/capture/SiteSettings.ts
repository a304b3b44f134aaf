import { FolderId } from "@tapedeck/domain"
import type { Site } from "@tapedeck/domain/capture"
import {
  type DecodedInput,
  type Lenient,
  MAX_SITES,
  type Report,
  type SiteChange,
  type SiteInput
} from "@tapedeck/domain/input"
import { Context, Effect, Layer } from "effect"
import { auditor, changesBetween, isChange, plainField } from "../audit/audited.ts"
import { type InputInvalid, NotFound, StateConflict, type Unauthenticated } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { type Page, pager } from "../input/pages.ts"
import { now } from "../now.ts"
import type { Caller } from "../people/Caller.ts"
import { writer } from "../people/signIn/requireCurrent.ts"
import { partOf, storeContext, storeOf } from "../store/Store.ts"
import { checkFolderId } from "./captureInput.ts"

const noRedaction: Site["redaction"] = { headers: [], query_parameters: [], selectors: [], body_urls: [] }

const changed = (before: Site, input: SiteChange): Site => ({
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
    /** Lists the sites in the order of creation. */
    readonly list: (caller: Caller, page: number) => Effect.Effect<Page<Site>>
    readonly get: (caller: Caller, id: string) => Effect.Effect<Site, NotFound>
    readonly create: (
      caller: Caller,
      input: DecodedInput<SiteInput>
    ) => Effect.Effect<Site, StateConflict | InputInvalid | Unauthenticated>
    readonly update: (
      caller: Caller,
      id: string,
      input: DecodedInput<SiteChange>
    ) => Effect.Effect<Site, InputInvalid | NotFound | Unauthenticated>
    /** Removes the site. Its open captures continue, without CORS. */
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

      const check = (caller: Caller) => (input: Lenient<SiteChange>, report: Report) =>
        Effect.provide(checkFolderId(caller.account.id, input.folder_id, report), storeContext(store))

      const create = Effect.fn("SiteSettings.create")(
        function* (caller: Caller, input: DecodedInput<SiteInput>) {
          const fields = yield* valueOf(input, check(caller))
          if ((yield* store.sites.list(caller.account.id)).length >= MAX_SITES) {
            return yield* new StateConflict({ reason: `An account has at most ${MAX_SITES} sites` })
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
          const site = changed(empty, fields)
          yield* store.sites.save(site)
          yield* audit(caller, "site.created", target(site), changesBetween(null, audited(site)))
          return site
        },
        Effect.provideService(Ids, ids)
      )

      const update = Effect.fn("SiteSettings.update")(function* (
        caller: Caller,
        id: string,
        input: DecodedInput<SiteChange>
      ) {
        const before = yield* get(caller, id)
        const after = changed(before, yield* valueOf(input, check(caller)))
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
  name: plainField(site.name),
  origins: plainField(site.origins),
  folder_id: plainField(site.folderId),
  platform: plainField(site.platform),
  redaction: plainField({ ...site.redaction }),
  is_enabled: plainField(site.isEnabled)
})
