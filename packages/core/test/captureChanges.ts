import type { AuditEventType } from "@tapedeck/domain/audit"
import { CaptureLinkChange, CaptureLinkInput, SiteChange, SiteInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { expect } from "vitest"
import { CaptureLinkSettings, SiteSettings } from "../src/index.ts"
import { ada, callerOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"

const admin = callerOf(ada, { kind: "session" })
type Entry = readonly [AuditEventType, string, unknown]

const made = (to: unknown) => ({ from: null, to })
const gone = (from: unknown) => ({ from, to: null })

const linked = Effect.flatMap(CaptureLinkSettings, ({ create }) =>
  create(admin, inputOf(CaptureLinkInput, { title: "Show us" }))
)
const aSite = Effect.flatMap(SiteSettings, ({ create }) =>
  create(admin, inputOf(SiteInput, { name: "Shop", origins: ["https://shop.example.com"] }))
)
const firstLink = Effect.flatMap(CaptureLinkSettings, ({ list }) =>
  Effect.map(list(admin, 1), ({ items: [item] }) => item!.link.id)
)
const firstSite = Effect.flatMap(SiteSettings, ({ list }) =>
  Effect.map(list(admin, 1), ({ items: [item] }) => item!.id)
)

/** Changes of capture links and sites, and the audit entry of each. */
export const captureRows = [
  {
    does: "making a capture link",
    change: linked,
    entry: ["capture_link.created", "capture_link", expect.objectContaining({ title: made("Show us") })] as Entry
  },
  {
    does: "changing a capture link",
    after: linked,
    change: Effect.gen(function* () {
      const { update } = yield* CaptureLinkSettings
      return yield* update(admin, yield* firstLink, inputOf(CaptureLinkChange, { max_uses: null }))
    }),
    entry: ["capture_link.updated", "capture_link", { max_uses: gone(1) }] as Entry
  },
  {
    does: "revoking a capture link",
    after: linked,
    change: Effect.gen(function* () {
      const { revoke } = yield* CaptureLinkSettings
      return yield* revoke(admin, yield* firstLink)
    }),
    entry: ["capture_link.revoked", "capture_link", { state: { from: "active", to: "revoked" } }] as Entry
  },
  {
    does: "making a site",
    change: aSite,
    entry: ["site.created", "site", expect.objectContaining({ name: made("Shop") })] as Entry
  },
  {
    does: "changing a site",
    after: aSite,
    change: Effect.gen(function* () {
      const { update } = yield* SiteSettings
      return yield* update(admin, yield* firstSite, inputOf(SiteChange, { is_enabled: false }))
    }),
    entry: ["site.updated", "site", { is_enabled: { from: true, to: false } }] as Entry
  },
  {
    does: "deleting a site",
    after: aSite,
    change: Effect.gen(function* () {
      const { remove } = yield* SiteSettings
      return yield* remove(admin, yield* firstSite)
    }),
    entry: ["site.deleted", "site", expect.objectContaining({ name: gone("Shop") })] as Entry
  }
]
