import { expect, it } from "vitest"
import {
  type AccountId,
  defaultTemplate,
  type Json,
  sampleEventParts,
  sampleRecording,
  templateValues
} from "../src/index.ts"
import { renderTemplate } from "../src/template/index.ts"
import { acme, instant, vipFolder } from "./examples.ts"

const at = instant("2026-01-01T09:00:00Z")
const event = {
  recording: sampleRecording(7 as AccountId, at),
  ...sampleEventParts,
  folder: vipFolder,
  account: acme,
  links: { url: "https://t/r/0", videoUrl: "https://t/r/0/video", thumbnailUrl: "https://t/r/0/thumbnail" },
  vendor: "Tapedeck",
  at
}

const isFilled = (value: Json) => value !== null && value !== "" && !(Array.isArray(value) && value.length === 0)

it("the sample recording fills every template variable, so that a send-test shows each", () => {
  const empty = Object.entries(templateValues(event)).filter(([, value]) => !isFilled(value))
  expect(empty).toEqual([])
})

it("the default payload of a send-test has the sample's texts", () => {
  expect(JSON.parse(renderTemplate(defaultTemplate, templateValues(event))!)).toMatchObject({
    event: "recording.added_to_folder",
    recording: { id: "00000000-0000-0000-0000-000000000000", title: "Sample recording" }
  })
})
