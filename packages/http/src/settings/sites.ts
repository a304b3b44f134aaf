import { settings } from "@tapedeck/contract"
import { SiteSettings } from "@tapedeck/core"
import { toIso } from "@tapedeck/domain"
import type { Site } from "@tapedeck/domain/capture"
import { Effect } from "effect"
import { wirePagination } from "../responses.ts"
import { settingsEndpointsOf } from "./idempotency.ts"

const wireSite = (site: Site): settings.Site => ({
  id: site.id,
  name: site.name,
  origins: site.origins,
  folder_id: site.folderId,
  helpdesk: { platform: site.platform === "app" ? null : site.platform },
  redaction: site.redaction,
  is_enabled: site.isEnabled,
  key: site.key,
  created_at: toIso(site.createdAt)
})

/** Web sites that record their customers' screens. */
export const sites = settingsEndpointsOf(settings.Api.groups.sites, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* SiteSettings
      const page = yield* list(caller, query.page ?? 1)
      return { pagination: wirePagination(page.pagination), sites: page.items.map(wireSite) }
    })
  },
  create: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { create } = yield* SiteSettings
      return wireSite(yield* create(caller, yield* input))
    })
  },
  read: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { get } = yield* SiteSettings
      return wireSite(yield* get(caller, params.id))
    })
  },
  update: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { update } = yield* SiteSettings
      return wireSite(yield* update(caller, params.id, yield* input))
    })
  },
  delete: {
    answer: ({ caller, params }) => SiteSettings.use(({ remove }) => remove(caller, params.id))
  }
})
