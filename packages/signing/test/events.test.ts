import {
  isAuditLogEvent,
  isRecordingAddedToFolder,
  parseEvent,
  sampleAuditLogEvent,
  sampleRecordingAddedToFolder,
  signSync,
  verifyEvent,
  verifyEventResult,
  verifyEventResultSync,
  verifyEventSync,
  type WebhookEvent
} from "@tapedeck/signing"
import { readFences } from "@tapedeck/tsconfig/fences.ts"
import { expect, test } from "vitest"

const added = sampleRecordingAddedToFolder()
const audited = sampleAuditLogEvent()

const secret = "s3cret"
const signedBody = (body: string | Uint8Array) => ({
  body,
  secret,
  headers: signSync({ scheme: "folder", body, secret })
})
const signed = (event: unknown) => signedBody(JSON.stringify(event))

const errorOf = (body: string | Uint8Array) => {
  const result = verifyEventResultSync(signedBody(body))
  return result.ok ? undefined : result.error
}

test("the README shows the samples, which are new objects with each call", () => {
  const shown = readFences("packages/signing/README.md", "json").map(({ code }) => JSON.parse(code))
  expect(shown).toEqual([added, audited])
  expect(sampleRecordingAddedToFolder()).not.toBe(added)
  expect(sampleAuditLogEvent()).not.toBe(audited)
})

test("verifyEvent returns the event with the verification", async () => {
  for (const event of [added, audited]) {
    expect(verifyEventSync(signed(event))).toEqual({ scheme: "folder", secretIndex: 0, event })
    expect(await verifyEvent(signed(event))).toEqual({ scheme: "folder", secretIndex: 0, event })
    expect(await verifyEventResult(signed(event))).toMatchObject({ ok: true, value: { event } })
  }
})

test("the type guards distinguish the two kinds of events and narrow the type", () => {
  const titleOf = (event: WebhookEvent): string => {
    if (isRecordingAddedToFolder(event)) return event.recording.title
    return `audit ${event.audit_log.id}`
  }
  expect([titleOf(added), titleOf(audited)]).toEqual(["Sample recording", "audit 12"])
  expect([isAuditLogEvent(audited), isAuditLogEvent(added)]).toEqual([true, false])
})

test("an audit entry about a recording in a folder is an audit entry", () => {
  const event = { ...audited, event: "recording.added_to_folder" }
  expect(isRecordingAddedToFolder(event)).toBe(false)
  expect(isRecordingAddedToFolder({ ...added, ...event })).toBe(false)
  expect(verifyEventSync(signed(event)).event).toEqual(event)
})

test("unknown fields of an event are kept", () => {
  const more = { ...added, recording: { ...added.recording, ticket_id: "T-1" }, extra: { deep: [1] } }
  expect(verifyEventSync(signed(more)).event).toEqual(more)
  const moreAudit = { ...audited, user: { ...audited.user, role: "admin" }, trace: null }
  expect(verifyEventSync(signed(moreAudit)).event).toEqual(moreAudit)
})

test("duration may be null, and so may the user if the system caused the event", () => {
  expect(errorOf(JSON.stringify({ ...added, recording: { ...added.recording, duration: null } }))).toBeUndefined()
  expect(errorOf(JSON.stringify({ ...audited, user: null }))).toBeUndefined()
})

test("an unknown event is refused with the first field that does not match", () => {
  const without = (event: object, key: string) => ({ ...event, [key]: undefined })
  const cases: ReadonlyArray<readonly [unknown, string, string]> = [
    [null, "the body", "an object"],
    [[added], "the body", "an object"],
    ["text", "the body", "an object"],
    [{}, "event", "recording.added_to_folder, or an audit log event"],
    [{ ...added, event: "recording.removed" }, "event", "recording.added_to_folder, or an audit log event"],
    [{ ...added, recording: "1" }, "recording", "an object"],
    [{ ...added, recording: without(added.recording, "title") }, "recording.title", "a string"],
    [{ ...added, recording: { ...added.recording, duration: 4.2 } }, "recording.duration", "an integer or null"],
    [{ ...added, recording: { ...added.recording, console_errors: "" } }, "recording.console_errors", "an array"],
    [{ ...added, folder: { id: 7, name: "Bugs" } }, "folder.id", "a string"],
    [without(audited, "severity"), "severity", "a string"],
    [without(audited, "user"), "user", "an object"],
    [{ ...audited, user: { ...audited.user, id: "3" } }, "user.id", "an integer"],
    [{ ...audited, audit_log: [] }, "audit_log", "an object"],
    [{ ...audited, audit_log: { ...audited.audit_log, metadata: [] } }, "audit_log.metadata", "an object"]
  ]
  for (const [event, path, expected] of cases) {
    const error = errorOf(JSON.stringify(event))
    expect(error).toMatchObject({ code: "event_unexpected", data: { path, expected } })
    expect(isRecordingAddedToFolder(event) || isAuditLogEvent(event)).toBe(false)
  }
})

test("inherited properties of an object are ignored", () => {
  expect(isRecordingAddedToFolder(Object.create(added))).toBe(false)
})

test("a body that is not JSON is a named error without the body's text", () => {
  const bodies = [
    "",
    "{",
    "<html>",
    "\u{FEFF}{}",
    new Uint8Array([0x22, 0xff, 0x22]),
    new Uint8Array([0xef, 0xbb, 0xbf, 0x7b, 0x7d])
  ]
  for (const body of bodies) {
    const error = errorOf(body)
    expect(error).toMatchObject({ name: "SigningError", code: "event_not_json" })
    expect(error?.message).toMatch(
      /^The signature is right, but the body \(\d+ bytes\) is not JSON in UTF-8\. For other payloads use verify\.$/
    )
    expect(error?.cause).toBeUndefined()
  }
  expect(() => parseEvent(new Uint8Array(0))).toThrow(/is not JSON/)
})

test("a body is not parsed before its signature is verified", () => {
  const result = verifyEventResultSync({ ...signed(added), body: "{" })
  expect(result).toMatchObject({ ok: false, error: { code: "signature_mismatch" } })
})
