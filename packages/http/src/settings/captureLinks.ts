import { settings } from "@tapedeck/contract"
import { CaptureLinkSettings, type ReadableCaptureLink, ServiceConfig } from "@tapedeck/core"
import { helpdeskEntryOf } from "@tapedeck/core/input"
import { toIso } from "@tapedeck/domain"
import { Effect } from "effect"
import { wirePagination } from "../responses.ts"
import { settingsEndpointsOf } from "./idempotency.ts"

const wireLink = Effect.fnUntraced(function* ({ creator, link, state, token }: ReadableCaptureLink) {
  const { publicUrl, vendor } = yield* ServiceConfig
  const wire: settings.CaptureLink = {
    id: link.id,
    title: link.title,
    message: link.message,
    helpdesk: helpdeskEntryOf(link.helpdesk, vendor) as settings.CaptureLink["helpdesk"],
    customer: { email: link.customerEmail },
    folder_id: link.folderId,
    site_id: link.siteId,
    sources: link.sources,
    max_uses: link.maxUses,
    max_duration_seconds: link.maxDurationSeconds,
    expires_at: toIso(link.expiresAt),
    redirect_url: link.redirectUrl,
    url: `${publicUrl}/c/${token}`,
    uses: link.uses,
    state,
    created_at: toIso(link.createdAt),
    created_by: { id: creator.id, name: creator.name, email: creator.email }
  }
  return wire
})

/** Links that let customers record. */
export const captureLinks = settingsEndpointsOf(settings.Api.groups.captureLinks, {
  list: {
    answer: Effect.fnUntraced(function* ({ caller, query }) {
      const { list } = yield* CaptureLinkSettings
      const page = yield* list(caller, query.page ?? 1)
      return { pagination: wirePagination(page.pagination), capture_links: yield* Effect.forEach(page.items, wireLink) }
    })
  },
  create: {
    answer: Effect.fnUntraced(function* ({ caller, input }) {
      const { create } = yield* CaptureLinkSettings
      return yield* wireLink(yield* create(caller, yield* input))
    })
  },
  read: {
    answer: Effect.fnUntraced(function* ({ caller, params }) {
      const { get } = yield* CaptureLinkSettings
      return yield* wireLink(yield* get(caller, params.id))
    })
  },
  update: {
    answer: Effect.fnUntraced(function* ({ caller, input, params }) {
      const { update } = yield* CaptureLinkSettings
      return yield* wireLink(yield* update(caller, params.id, yield* input))
    })
  },
  revoke: {
    answer: ({ caller, params }) => CaptureLinkSettings.use(({ revoke }) => revoke(caller, params.id))
  }
})
