import { it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
import {
  AccessToken,
  Account,
  AuditDestination,
  AuditEntry,
  Automation,
  CapturedErrors,
  Delivery,
  Folder,
  isJsonWithinDepth,
  Recording,
  User
} from "../src/index.ts"
import { aRecording } from "./examples.ts"
import { intactJson } from "./intactJson.ts"

describe("what is kept in a snapshot comes back from its JSON as it was:", () => {
  const survivesJson = (schema: Schema.Codec<unknown>, value: unknown) => {
    const text = intactJson(JSON.stringify(value))
    const read = Schema.decodeUnknownSync(schema)(JSON.parse(text))
    // JSON knows no minus zero.
    expect(JSON.stringify(read)).toBe(text)
  }

  it.prop("an account", [Account], ([account]) => survivesJson(Account, account))
  it.prop("a user", [User], ([user]) => survivesJson(User, user))
  it.prop("an access token", [AccessToken], ([token]) => survivesJson(AccessToken, token))
  it.prop("a recording", [Recording], ([recording]) => survivesJson(Recording, recording))
  it.prop("a folder", [Folder], ([folder]) => survivesJson(Folder, folder))
  it.prop("an automation", [Automation], ([automation]) => survivesJson(Automation, automation))
  it.prop("an audit destination", [AuditDestination], ([destination]) => survivesJson(AuditDestination, destination))
  it.prop("an audit entry", [AuditEntry], ([entry]) => survivesJson(AuditEntry, entry))
  it.prop("a delivery", [Delivery], ([delivery]) => survivesJson(Delivery, delivery))
})

describe("a recording", () => {
  const isRecording = Schema.is(Recording)

  it("may lack whatever the specification lets be null", () => {
    expect(isRecording(aRecording({ ownerId: null }))).toBe(true)
  })

  it.each([
    ["a negative duration", { durationSeconds: -1 }],
    ["half a second", { durationSeconds: 0.5 }],
    ["a negative number of views", { impressionsCount: -1 }],
    ["an unknown type", { type: "Recorded" }],
    ["a uuid in upper case", { uuid: "7D0F3C1E-0000-4000-8000-000000000001" }],
    ["no title, not even null", { title: undefined }],
    ["an unknown platform", { helpdesk: { ...aRecording().helpdesk, platform: "freshchat" } }]
  ])("cannot have %s", (_, wrong) => {
    expect(isRecording({ ...aRecording(), ...wrong })).toBe(false)
  })
})

describe("errors that were given", () => {
  const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`)

  it("are any JSON up to 100 levels deep, and refused beyond without overflowing the stack", () => {
    expect(Schema.is(CapturedErrors)(nested(100))).toBe(true)
    for (const depth of [101, 200_000]) expect(Schema.is(CapturedErrors)(nested(depth))).toBe(false)
  })

  it("are measured by their deepest branch", () => {
    expect(isJsonWithinDepth("scalar", 0)).toBe(true)
    expect(isJsonWithinDepth([], 0)).toBe(false)
    expect(isJsonWithinDepth([1, { a: [] }], 3)).toBe(true)
    expect(isJsonWithinDepth([1, { a: [] }], 2)).toBe(false)
  })
})
