import { type AuditEventType, auditEventTypes } from "@tapedeck/domain/audit"
import { describe, expect, it } from "vitest"
import { rows } from "./settingsChanges.ts"

/** Shown elsewhere: recordings.test.ts, settings.webhooks.test.ts, settings.executionLog.test.ts, signIn.test.ts, signInLinks.test.ts, permissions.test.ts. */
const elsewhere: ReadonlyArray<AuditEventType> = [
  "access.denied",
  "recording.downloaded",
  "automation.tested",
  "audit_destination.tested",
  "audit_destination.redelivered",
  "audit_destination.delivery_cancelled",
  "user.password_link_created",
  "user.session_ended",
  "user.login",
  "user.login_failed",
  "user.logout",
  "user.password_changed"
]

describe("audit entries by event (A4)", () => {
  it("each event has a test in which an operation writes it", () => {
    const shown = new Set<AuditEventType>([...rows.map(({ entry }) => entry[0]), ...elsewhere])
    expect(auditEventTypes.filter((event) => !shown.has(event))).toEqual([])
  })
})
