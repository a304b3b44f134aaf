import { describe, it } from "vitest"
import {
  automation,
  bob,
  destination,
  helpdesk,
  live,
  recording,
  refuses,
  transcript
} from "./startDocumentRefusals.ts"
import { makeWorld } from "./startDocumentWorld.ts"

/** Of each text: where it is, its maximum, and the document with a text of so many characters. */
const limits: ReadonlyArray<readonly [path: string, max: number, document: (text: string) => object, note?: string]> = [
  ["account.name", 255, (name) => ({ account: { name } })],
  ["users[0].name", 255, (name) => ({ users: [{ ...bob, name }] })],
  ["users[0].email", 254, (text) => ({ users: [{ ...bob, email: `a@${text.slice(2)}` }] })],
  ["folders[0].name", 255, (name) => ({ folders: [{ name }] })],
  ["audit_destinations[0].name", 255, (name) => destination({ name })],
  ["audit_destinations[0].description", 1_000, (description) => destination({ description })],
  ["audit_destinations[0].url", 2_048, (text) => destination({ url: `https://a.test/${text.slice(15)}` })],
  ["automations[0].url", 2_048, (text) => automation({ url: `https://a.test/${text.slice(15)}` })],
  ["recordings[0].title", 255, (title) => recording({ title })],
  ["recordings[0].summary", 10_000, (summary) => recording({ summary })],
  ["recordings[0].description", 65_535, (description) => recording({ description })],
  ["recordings[0].recording_source", 255, (text) => recording({ recording_source: text })],
  ["recordings[0].v1_platform", 255, (text) => recording({ v1_platform: text })],
  ["recordings[0].browser", 255, (browser) => recording({ browser })],
  ["recordings[0].os", 255, (os) => recording({ os })],
  ["recordings[0].helpdesk.operator_id", 255, (text) => helpdesk({ operator_id: text })],
  ["recordings[0].technical_details.isp", 255, (isp) => recording({ technical_details: { isp } })],
  ["recordings[0].customer.email", 255, (text) => recording({ customer: { email: `a@${text.slice(2)}` } })],
  ["recordings[0].console_logs", 65_536, (text) => recording({ console_logs: text })],
  // As JSON: with its quotes, brackets and keys.
  ["recordings[0].console_errors", 1_000_000, (text) => recording({ console_errors: [text.slice(4)] }), ", as JSON"],
  ["recordings[0].network_errors", 1_000_000, (text) => recording({ network_errors: [text.slice(4)] }), ", as JSON"],
  [
    "recordings[0].room_insights",
    32_768,
    (text) =>
      live({
        participants_insights: [
          { participant_id: text.slice('{"participants_insights":[{"participant_id":""}]}'.length) }
        ]
      }),
    ", as JSON"
  ],
  [
    "recordings[0].transcript.processed[0]",
    65_536,
    (text) =>
      transcript({ processed: [{ start_seconds: 0, text: text.slice('{"start_seconds":0,"text":""}'.length) }] }),
    ", as JSON"
  ],
  [
    "recordings[0].transcript.speaker_map",
    65_536,
    (text) => transcript({ speaker_map: { 0: text.slice('{"0":""}'.length) } }),
    ", as JSON"
  ],
  ["folders[0].id", 255, (id) => ({ folders: [{ id, name: "x" }] })],
  ["recordings[0].transcript.legacy", 65_536, (text) => transcript({ legacy: text.slice(2) }), ", as JSON"]
]

describe("a text in a start document has the length that the settings API allows", () => {
  for (const [path, max, document, note = ""] of limits) {
    it(`${path}: ${max}`, async () => {
      await makeWorld().load(document("x".repeat(max)))
      await refuses([document("x".repeat(max + 1)), `${path}: must be at most ${max} characters long${note}`])
    })
  }

  it("counts code points, where what people read is limited", async () => {
    await makeWorld().load(recording({ title: "🎥".repeat(255) }))
    await refuses([recording({ title: "🎥".repeat(256) }), "recordings[0].title: must be at most 255 characters long"])
  })

  it("is refused with all else that is wrong", async () => {
    const problems = [
      "recordings[0].id: must be an integer of at least 1",
      "recordings[0].title: must be at most 255 characters long"
    ]
    await refuses([recording({ id: 0, title: "x".repeat(256) }), ...problems])
  })
})
