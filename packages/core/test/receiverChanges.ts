import type { AuditEventType } from "@tapedeck/domain/audit"
import {
  AuditDestinationChange,
  AuditDestinationInput,
  AutomationChange,
  AutomationInput,
  SecretRotation
} from "@tapedeck/domain/input"
import { Effect } from "effect"
import { AutomationSettings, DestinationSettings } from "../src/index.ts"
import { ada, callerOf } from "./examples.ts"
import { inputOf } from "./inputOf.ts"

const admin = callerOf(ada, { kind: "session" })

const made = (to: unknown) => ({ from: null, to })
const gone = (from: unknown) => ({ from, to: null })

const noCondition = { platforms: [], types: [], has_ticket: false }

type Entry = readonly [AuditEventType, string, unknown]

/** Changes to automations and audit destinations, and the audit entry that each makes. */
export const receiverRows = [
  {
    does: "making an automation",
    change: Effect.flatMap(AutomationSettings, ({ create }) =>
      create(
        admin,
        inputOf(AutomationInput, {
          folder_id: "bugs",
          url: "https://x.test/secret/path?key=1",
          headers: { "X-Key": "k" },
          payload: "{}",
          secret: "s"
        })
      )
    ),
    entry: [
      "automation.created",
      "automation",
      {
        folder_id: made("bugs"),
        url: made("https://x.test"),
        method: made("POST"),
        headers: made(["X-Key"]),
        payload: made("custom"),
        only: made(noCondition),
        enabled: made(true)
      }
    ] as Entry
  },
  {
    does: "changing an automation",
    change: Effect.flatMap(AutomationSettings, ({ update }) =>
      update(
        admin,
        "crm",
        inputOf(AutomationChange, {
          method: "PUT",
          headers: { "X-Key": "other" },
          url: "https://receiver.test/elsewhere"
        })
      )
    ),
    entry: [
      "automation.updated",
      "automation crm",
      {
        url: { from: "https://receiver.test", to: "https://receiver.test" },
        method: { from: "POST", to: "PUT" },
        headers: { from: ["X-Key"], to: ["X-Key"] }
      }
    ] as Entry
  },
  {
    does: "deleting an automation",
    change: Effect.flatMap(AutomationSettings, ({ remove }) => remove(admin, "crm")),
    entry: [
      "automation.deleted",
      "automation crm",
      {
        folder_id: gone("vip"),
        url: gone("https://receiver.test"),
        method: gone("POST"),
        headers: gone(["X-Key"]),
        payload: gone("default"),
        only: gone(noCondition),
        enabled: gone(true)
      }
    ] as Entry
  },
  {
    does: "viewing an automation's secret",
    change: Effect.flatMap(AutomationSettings, ({ viewSecret }) => viewSecret(admin, "crm")),
    entry: ["automation.secret_viewed", "automation crm", {}] as Entry
  },
  {
    does: "rotating an automation's secret",
    change: Effect.flatMap(AutomationSettings, ({ rotateSecret }) =>
      rotateSecret(admin, "crm", inputOf(SecretRotation, {}))
    ),
    entry: ["automation.secret_rotated", "automation crm", {}] as Entry
  },
  {
    does: "making a destination",
    change: Effect.flatMap(DestinationSettings, ({ create }) =>
      create(admin, inputOf(AuditDestinationInput, { name: "D", url: "https://d.test/", enabled: false }))
    ),
    entry: [
      "audit_destination.created",
      "audit_destination",
      {
        name: made("D"),
        url: made("https://d.test"),
        description: made(null),
        headers: made([]),
        timeout_seconds: made(30),
        max_retries: made(6),
        filters: made({ categories: [], event_types: [], severities: [] }),
        signature: made("hex"),
        enabled: made(false)
      }
    ] as Entry
  },
  {
    does: "changing a destination",
    change: Effect.flatMap(DestinationSettings, ({ update }) =>
      update(admin, "siem", inputOf(AuditDestinationChange, { timeout_seconds: 60, filters: { severities: ["high"] } }))
    ),
    entry: [
      "audit_destination.updated",
      "audit_destination siem",
      {
        timeout_seconds: { from: 30, to: 60 },
        filters: {
          from: { categories: [], event_types: [], severities: [] },
          to: { categories: [], event_types: [], severities: ["high"] }
        }
      }
    ] as Entry
  },
  {
    does: "deleting a destination",
    change: Effect.flatMap(DestinationSettings, ({ remove }) => remove(admin, "siem")),
    entry: [
      "audit_destination.deleted",
      "audit_destination siem",
      {
        name: gone("Destination siem"),
        url: gone("https://siem.test"),
        description: gone(null),
        headers: gone([]),
        timeout_seconds: gone(30),
        max_retries: gone(6),
        filters: gone({ categories: [], event_types: [], severities: [] }),
        signature: gone("hex"),
        enabled: gone(true)
      }
    ] as Entry
  },
  {
    does: "viewing a destination's secret",
    change: Effect.flatMap(DestinationSettings, ({ viewSecret }) => viewSecret(admin, "siem")),
    entry: ["audit_destination.secret_viewed", "audit_destination siem", {}] as Entry
  },
  {
    does: "rotating a destination's secret",
    change: Effect.flatMap(DestinationSettings, ({ rotateSecret }) =>
      rotateSecret(admin, "siem", inputOf(SecretRotation, {}))
    ),
    entry: ["audit_destination.secret_rotated", "audit_destination siem", {}] as Entry
  },
  {
    does: "removing a destination's secret",
    change: Effect.flatMap(DestinationSettings, ({ removeSecret }) => removeSecret(admin, "siem")),
    entry: ["audit_destination.secret_removed", "audit_destination siem", {}] as Entry
  }
]
