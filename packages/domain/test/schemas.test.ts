import { runInNewContext } from "node:vm"
import { it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
import { AuditEntry } from "../src/audit/index.ts"
import {
  AccessToken,
  Account,
  AuditDestination,
  Automation,
  CapturedErrors,
  Delivery,
  Folder,
  Recording,
  User
} from "../src/index.ts"
import { isJson } from "../src/internal/text.ts"
import { aRecording } from "./examples.ts"
import { intactJson } from "./intactJson.ts"

describe("a record of a snapshot is unchanged by encoding and decoding:", () => {
  const survivesJson = (schema: Schema.Codec<unknown>, value: unknown) => {
    // Keys in the schema's order: values made here may have optional ones in any.
    const textOf = (read: unknown) => JSON.stringify(Schema.encodeUnknownSync(schema)(read))
    const text = intactJson(textOf(value))
    // JSON knows no minus zero.
    expect(textOf(Schema.decodeUnknownSync(schema)(JSON.parse(text)))).toBe(text)
  }

  it.prop("encodes an account without loss", [Account], ([account]) => survivesJson(Account, account))
  it.prop("encodes a user without loss", [User], ([user]) => survivesJson(User, user))
  it.prop("encodes an access token without loss", [AccessToken], ([token]) => survivesJson(AccessToken, token))
  it.prop("encodes a recording without loss", [Recording], ([recording]) => survivesJson(Recording, recording))
  it.prop("encodes a folder without loss", [Folder], ([folder]) => survivesJson(Folder, folder))
  it.prop("encodes an automation without loss", [Automation], ([automation]) => survivesJson(Automation, automation))
  it.prop("encodes an audit destination without loss", [AuditDestination], ([destination]) =>
    survivesJson(AuditDestination, destination)
  )
  it.prop("encodes an audit entry without loss", [AuditEntry], ([entry]) => survivesJson(AuditEntry, entry))
  it.prop("encodes a delivery without loss", [Delivery], ([delivery]) => survivesJson(Delivery, delivery))
})

describe("a recording", () => {
  const isRecording = Schema.is(Recording)

  it("may have null wherever the specification allows it", () => {
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

describe("errors given with a recording", () => {
  const nested = (depth: number): unknown => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`)

  it("are any JSON up to 100 levels deep; deeper JSON is refused without a stack overflow", () => {
    expect(Schema.is(CapturedErrors)(nested(100))).toBe(true)
    for (const depth of [101, 200_000]) expect(Schema.is(CapturedErrors)(nested(depth))).toBe(false)
  })

  it("have the depth of their deepest branch", () => {
    expect(isJson("scalar", 0)).toBe(true)
    expect(isJson([], 0)).toBe(false)
    expect(isJson([1, { a: [] }], 3)).toBe(true)
    expect(isJson([1, { a: [] }], 2)).toBe(false)
  })
})

describe("what counts as JSON", () => {
  it.each([
    ...["x", 0, -1.5, true, null, [], {}, [1, { a: ["b"] }], Object.create(null), runInNewContext("({ a: [1] })")],
    ...[Number.NaN, Number.POSITIVE_INFINITY, undefined, 1n, Symbol("x"), new Date(0), new Map(), () => 1],
    ...[[undefined], new Array(2), { a: undefined }, { a: { b: [Number.NaN] } }]
  ])("is what Schema takes for it: %#", (value) => {
    expect(isJson(value)).toBe(Schema.is(Schema.Json)(value))
  })
})
