import type { AuditEventType } from "@tapedeck/domain/audit"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { authorize, type Operation, operations } from "../src/index.ts"
import { acme, ada, bob, callerOf } from "./examples.ts"
import { rows } from "./settingsChanges.ts"
import { makeWorld } from "./useCaseWorld.ts"

/**
 * What each operation of the public and the settings API writes into the audit log (A4): an entry for each change, each
 * download and each look at a secret. Null: it reads, and what it shows is no secret. A new operation has to be put here.
 */
const entryOf: Readonly<Record<Operation, AuditEventType | null>> = {
  "recordings.list": null,
  "recordings.read": null,
  "recordings.update": "recording.updated",
  "recordings.download": "recording.downloaded",
  "transcripts.read": null,
  "users.list": null,
  "users.search": null,
  "folders.list": null,
  "folders.read": null,
  "folders.recordings": null,
  "folders.create": "folder.created",
  "folders.rename": "folder.updated",
  "folders.delete": "folder.deleted",
  "recordings.create": "recording.created",
  "recordings.upload": "recording.updated",
  "recordings.move": "recording.added_to_folder",
  "recordings.leave": "recording.removed_from_folder",
  "recordings.delete": "recording.deleted",
  "recordings.sharing": null,
  "recordings.share": "recording.sharing_changed",
  "recordings.create_link": "recording.share_link_created",
  "recordings.revoke_link": "recording.share_link_revoked",
  "recordings.trim": "recording.updated",
  "recordings.untrim": "recording.updated",
  "recordings.log": null,
  "recordings.log_har": null,
  "recordings.import_log": "recording.updated",
  "capture_links.list": null,
  "capture_links.create": "capture_link.created",
  "capture_links.read": null,
  "capture_links.update": "capture_link.updated",
  "capture_links.revoke": "capture_link.revoked",
  "captures.begin": "recording.created",
  "sites.list": null,
  "sites.create": "site.created",
  "sites.read": null,
  "sites.update": "site.updated",
  "sites.delete": "site.deleted",
  "transcripts.edit": "transcript.updated",
  "transcripts.import": "transcript.updated",
  "transcripts.request": "transcript.requested",
  "automations.list": null,
  "automations.create": "automation.created",
  "automations.read": null,
  "automations.update": "automation.updated",
  "automations.delete": "automation.deleted",
  "automations.view_secret": "automation.secret_viewed",
  "automations.rotate_secret": "automation.secret_rotated",
  "automations.test": "automation.tested",
  "automations.deliveries": null,
  "automations.delivery": null,
  "automations.redeliver": "automation.redelivered",
  "automations.explain": null,
  "audit_destinations.list": null,
  "audit_destinations.create": "audit_destination.created",
  "audit_destinations.read": null,
  "audit_destinations.update": "audit_destination.updated",
  "audit_destinations.delete": "audit_destination.deleted",
  "audit_destinations.view_secret": "audit_destination.secret_viewed",
  "audit_destinations.rotate_secret": "audit_destination.secret_rotated",
  "audit_destinations.remove_secret": "audit_destination.secret_removed",
  "audit_destinations.test": "audit_destination.tested",
  "audit_destinations.deliveries": null,
  "audit_destinations.delivery": null,
  "audit_destinations.redeliver": "audit_destination.redelivered",
  "audit_destinations.explain": null,
  "deliveries.list": null,
  "deliveries.read": null,
  "deliveries.explain": null,
  "deliveries.cancel": "automation.delivery_cancelled",
  "statistics.read": null,
  "redeliveries.list": null,
  "redeliveries.create": "redelivery.started",
  "redeliveries.read": null,
  "redeliveries.stop": "redelivery.stopped",
  "events.stream": null,
  "audit_entries.list": null,
  "audit_entries.read": null,
  "audit_entries.chain": null,
  "profile.read": null,
  "profile.update": "user.updated",
  "profile.picture": null,
  "profile.set_picture": "user.updated",
  "profile.remove_picture": "user.updated",
  "users.invite": "user.invited",
  "users.read": null,
  "users.update": "user.updated",
  "users.picture": null,
  "users.set_picture": "user.updated",
  "users.remove_picture": "user.updated",
  "users.deactivate": "user.deactivated",
  "users.reactivate": "user.reactivated",
  "account.read": null,
  "account.update": "account.updated",
  "account.set_api_access": "account.updated",
  "tokens.list": null,
  "tokens.create": "user.api_token_created",
  "tokens.view": "user.api_token_viewed",
  "tokens.rename": "user.api_token_renamed",
  "tokens.revoke": "user.api_token_deleted",
  "users.password_link": "user.password_link_created",
  "users.sessions": null,
  "users.end_sessions": "user.session_ended",
  "sessions.list": null,
  "sessions.current": null,
  "sessions.end": "user.session_ended",
  "sessions.end_others": "user.session_ended",
  "sessions.sign_out": "user.logout",
  "sessions.change_password": "user.password_changed"
}

const all = Object.keys(operations) as ReadonlyArray<Operation>

/** Shown elsewhere: recordings.test.ts, settings.webhooks.test.ts, settings.executionLog.test.ts, signIn.test.ts, signInLinks.test.ts. */
const elsewhere: ReadonlyArray<AuditEventType> = [
  "recording.downloaded",
  "automation.tested",
  "audit_destination.tested",
  "audit_destination.redelivered",
  "audit_destination.delivery_cancelled",
  "user.password_link_created",
  "user.session_ended",
  "user.logout",
  "user.password_changed"
]

describe("audit entries by operation (A4)", () => {
  it("each operation that changes something has an audit entry", () => {
    const shown = new Set<AuditEventType>([...rows.map(({ entry }) => entry[0]), ...elsewhere])
    const missing = all.filter((operation) => {
      const entry = entryOf[operation]
      return entry !== null && !shown.has(entry)
    })
    expect(missing).toEqual([])
  })

  it.each(all)("a denial of %s has an audit entry", async (operation) => {
    const world = await makeWorld()
    // A member by an access token; where a member may, one of an account whose API access is off.
    const off = { ...acme, apiAccess: false }
    const caller =
      operations[operation] === "member" ? { ...callerOf(ada), account: off } : { ...callerOf(bob), account: acme }
    const exit = await world.run(Effect.exit(authorize(caller, operation)))
    expect(exit._tag).toBe("Failure")
    expect(world.entries()).toMatchObject([
      {
        eventType: "access.denied",
        status: "failure",
        accountId: acme.id,
        userId: caller.user.id,
        metadata: { targetType: "operation", targetId: operation }
      }
    ])
  })
})
