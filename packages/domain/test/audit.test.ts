import * as Schema from "effect/Schema"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  AuditCategory,
  type AuditEntry,
  AuditEventType,
  AuditSeverity,
  auditEventTypes,
  auditPayload,
  classify,
  predicateOf
} from "../src/audit/index.ts"
import type { AccountId, AuditEntryId, UserId } from "../src/index.ts"
import { passesFilters } from "../src/internal/receivers.ts"
import { instant } from "./examples.ts"

const entry: AuditEntry = {
  id: 12 as AuditEntryId,
  accountId: 7 as AccountId,
  eventType: "recording.updated",
  status: "success",
  at: instant("2026-01-01T00:00:00Z"),
  userId: 3 as UserId,
  ipAddress: "192.0.2.1",
  userAgent: "curl/8",
  metadata: { targetType: "recording", targetId: "u1", changes: { title: { from: null, to: "New" } } }
}

describe("the table of audit events", () => {
  it.each([
    ["user.login", "low"],
    ["user.login_failed", "medium"],
    ["user.password_changed", "medium"],
    ["user.api_token_created", "medium"],
    ["user.api_token_deleted", "medium"],
    ["recording.created", "low"],
    ["recording.updated", "low"],
    ["recording.deleted", "medium"],
    ["folder.created", "low"],
    ["folder.updated", "low"],
    ["folder.deleted", "medium"],
    ["access.denied", "medium"]
  ] as const)("lists %s with the severity %s (A4)", (eventType, severity) => {
    expect(classify(eventType).severity).toBe(severity)
  })

  it("uses exactly the specified categories and severities (A3)", () => {
    const used = auditEventTypes.map(classify)
    expect(new Set(used.map(({ category }) => category))).toEqual(new Set(AuditCategory.literals))
    expect(new Set(used.map(({ severity }) => severity))).toEqual(new Set(AuditSeverity.literals))
  })

  it("has a predicate of each event type, with the target and with changes by their sides", () => {
    for (const eventType of auditEventTypes) {
      const [verb, ...parts] = predicateOf(eventType)
      expect(verb).toMatch(/^[a-z]/)
      for (const part of parts) if (typeof part === "string") expect(part).not.toMatch(/[{}.]/)
    }
    expect(predicateOf("recording.added_to_folder")).toEqual([
      "moved ",
      { of: "target" },
      " into the folder ",
      { field: "folder_id", side: "to" },
      ""
    ])
  })

  it("has exactly the event types of the schema", () => {
    for (const eventType of auditEventTypes) expect(Schema.is(AuditEventType)(eventType)).toBe(true)
    for (const unknown of ["user.fly", "", "toString"]) expect(Schema.is(AuditEventType)(unknown)).toBe(false)
  })
})

describe("a destination's filters (A6)", () => {
  it("pass every event if they are empty", () => {
    for (const eventType of auditEventTypes) {
      expect(passesFilters({ eventType }, { categories: [], eventTypes: [], severities: [] })).toBe(true)
    }
  })

  it("pass an event that matches any value of each list that is not empty", () => {
    const filters = fc.record({
      categories: fc.subarray([...AuditCategory.literals]),
      eventTypes: fc.subarray([...auditEventTypes]),
      severities: fc.subarray([...AuditSeverity.literals])
    })
    fc.assert(
      fc.property(fc.constantFrom(...auditEventTypes), filters, (eventType, { categories, eventTypes, severities }) => {
        const { category, severity } = classify(eventType)
        const refused =
          (categories.length > 0 && !categories.some((each) => each === category)) ||
          (eventTypes.length > 0 && !eventTypes.some((each) => each === eventType)) ||
          (severities.length > 0 && !severities.some((each) => each === severity))
        expect(passesFilters({ eventType }, { categories, eventTypes, severities })).toBe(!refused)
      })
    )
  })

  it("pass only events that match both of two lists", () => {
    const eventType = "recording.deleted"
    const both = { categories: ["data_changes"], eventTypes: [], severities: ["low", "medium"] } as const
    expect(passesFilters({ eventType }, both)).toBe(true)
    expect(passesFilters({ eventType }, { ...both, severities: ["high"] })).toBe(false)
    expect(passesFilters({ eventType }, { ...both, categories: ["security"] })).toBe(false)
  })
})

describe("the body of an audit delivery", () => {
  it("has the specified keys in the specified order", () => {
    const payload = auditPayload({
      entry,
      user: { id: 3 as UserId, name: "Ada", email: "ada@acme.test" },
      account: { id: 7 as AccountId, name: "Acme" }
    })
    expect(JSON.stringify(payload)).toBe(
      JSON.stringify({
        event: "recording.updated",
        event_category: "data_changes",
        severity: "low",
        timestamp: "2026-01-01T00:00:00.000Z",
        audit_log: {
          id: 12,
          event_type: "recording.updated",
          status: "success",
          ip_address: "192.0.2.1",
          user_agent: "curl/8",
          metadata: { target_type: "recording", target_id: "u1", changes: { title: { from: null, to: "New" } } }
        },
        user: { id: 3, name: "Ada", email: "ada@acme.test" },
        account: { id: 7, name: "Acme" }
      })
    )
  })

  it("has no user if the system caused the event, and no null where the specification has a string (A7)", () => {
    const bySystem: AuditEntry = { ...entry, userId: null, ipAddress: null, userAgent: null }
    const payload = auditPayload({ entry: bySystem, user: null, account: { id: 7 as AccountId, name: "Acme" } })
    expect(payload).toMatchObject({ user: null, audit_log: { ip_address: "", user_agent: "" } })
  })
})
