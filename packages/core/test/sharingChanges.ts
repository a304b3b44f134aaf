import type { AuditEventType } from "@tapedeck/domain/audit"
import { ShareLinkInput, SharingInput } from "@tapedeck/domain/input"
import { Effect } from "effect"
import { expect } from "vitest"
import { SharingSettings } from "../src/index.ts"
import { ada, callerOf, uuidOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"

const admin = callerOf(ada, { kind: "session" })
const one = uuidOf(1)

const made = (to: unknown) => ({ from: null, to })
const gone = (from: unknown) => ({ from, to: null })

type Entry = readonly [AuditEventType, string, unknown]

const shared = SharingSettings.use(({ createLink }) => createLink(admin, one, inputOf(ShareLinkInput, {})))

/** Changes of who may open a recording, and the audit entry of each. */
export const sharingRows = [
  {
    does: "changing the sharing",
    change: SharingSettings.use(({ set }) => set(admin, one, inputOf(SharingInput, { sharing: "off" }))),
    entry: ["recording.sharing_changed", `recording ${one}`, { sharing: { from: "public", to: "off" } }] as Entry
  },
  {
    does: "sharing the log",
    change: SharingSettings.use(({ set }) =>
      set(admin, one, inputOf(SharingInput, { sharing: "public", is_log_shared: true }))
    ),
    entry: ["recording.sharing_changed", `recording ${one}`, { is_log_shared: { from: false, to: true } }] as Entry
  },
  {
    does: "making a share link",
    change: SharingSettings.use(({ createLink }) => createLink(admin, one, inputOf(ShareLinkInput, {}))),
    entry: [
      "recording.share_link_created",
      `recording ${one}`,
      { link: made(expect.any(String)), expires_at: made(null), password: made(false) }
    ] as Entry
  },
  {
    does: "revoking a share link",
    after: shared,
    change: SharingSettings.use(({ get, revokeLink }) =>
      Effect.flatMap(get(admin, one), ({ links }) => revokeLink(admin, one, links[0]!.link.id))
    ),
    entry: ["recording.share_link_revoked", `recording ${one}`, { link: gone(expect.any(String)) }] as Entry
  }
]
