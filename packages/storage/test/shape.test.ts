import { AuditDestination, Automation, Delivery, Recording, User } from "@tapedeck/domain"
import { CaptureLink, Site } from "@tapedeck/domain/capture"
import { Redelivery } from "@tapedeck/domain/internal/delivery"
import { Job } from "@tapedeck/domain/internal/jobs"
import { Session } from "@tapedeck/domain/internal/people"
import { Result, Schema, SchemaParser } from "effect"
import { expect, test } from "vitest"
import { shapeOf } from "../src/sql/database/documents.ts"
import { attempt, recording, session } from "./content.ts"
import {
  aCaptureLink,
  aDelivery,
  aDestination,
  ada,
  aMail,
  anAutomation,
  aRedelivery,
  aSite,
  start
} from "./samples.ts"

const others = [null, true, 0, "", [], {}, [null], { a: "b" }]

/** The value, and those in which one part is another value, is missing, or is added. */
const variantsOf = (value: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(value)) {
    const changed = value.flatMap((item, index) => variantsOf(item).map((variant) => value.with(index, variant)))
    return [value, ...others, ...changed, value.slice(0, -1), [...value, 0]]
  }
  if (typeof value !== "object" || value === null) return [value, ...others]
  const entries = Object.entries(value)
  return [
    value,
    ...others,
    { ...value, added: 1 },
    ...entries.flatMap(([key, item]) => variantsOf(item).map((variant) => ({ ...value, [key]: variant }))),
    ...entries.map(([key]) => Object.fromEntries(entries.filter(([other]) => other !== key)))
  ]
}

const insights = { startedAt: start, endedAt: null, totalParticipantMinutes: 1.5, totalUniqueParticipants: 2 }
const video = { fileId: "file", contentType: "video/mp4", sizeBytes: 1, etag: "etag" }

const documents: ReadonlyArray<readonly [name: string, schema: Schema.Decoder<unknown>, value: unknown]> = [
  [
    "a recording",
    Recording,
    {
      ...recording,
      sharing: "account",
      roomInsights: { ...insights, participantsInsights: null },
      transcript: { status: "ready", language: "en", edited: 0, processed: 1, legacy: false, again: true },
      video: { original: video, processed: null, edited: null, parts: [video] }
    }
  ],
  ["a delivery", Delivery, { ...aDelivery("one"), attempts: [attempt] }],
  ["an automation", Automation, anAutomation({ headers: { a: "b" } })],
  ["a destination", AuditDestination, aDestination({ previousSecrets: [{ secret: "s", expiresAt: start }] })],
  ["a user", User, ada],
  ["a session", Session, session],
  ["a mail", Job, { ...aMail("one"), link: { purpose: "setup", sealedUrl: "url" } }],
  ["a redelivery", Redelivery, { ...aRedelivery("one"), filter: { state: "Waiting", statusCode: 500 } }],
  ["a site", Site, aSite("one")],
  ["a capture link", CaptureLink, aCaptureLink("one")]
]

test.each(documents)("the shape of %s admits what Effect's decoder admits, and nothing else", (_, schema, value) => {
  const isShape = shapeOf(schema.ast)!
  const decode = SchemaParser.decodeUnknownResult(schema, { disableChecks: true })
  expect(isShape(value)).toBe(true)
  const variants = variantsOf(value)
  expect(variants.filter((variant) => isShape(variant) !== Result.isSuccess(decode(variant)))).toEqual([])
  expect(variants.filter((variant) => !isShape(variant)).length).toBeGreaterThan(20)
})

test("there is no shape of a schema that transforms, or has free-form JSON", () => {
  expect(shapeOf(Schema.Struct({ at: Schema.NumberFromString }).ast)).toBeUndefined()
  expect(shapeOf(Schema.Struct({ header: Schema.Json }).ast)).toBeUndefined()
})
