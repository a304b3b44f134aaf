import { beforeEach, describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeWorld, startsAt, type TestWorld } from "./world.ts"

const path = `/api/v2/recordings/${ids.bobs}`

describe("PATCH /api/v2/recordings/{uuid} (R11)", () => {
  let world: TestWorld
  beforeEach(async () => {
    world = await makeWorld()
  })
  const change = (recording: unknown, target = path) => world.ask(target, { json: { recording } })

  it("changes the given fields, and updates updated_at", async () => {
    const { status, body } = await change({ title: "New", summary: "Short", description: null })
    expect(status).toBe(200)
    expect(body).toMatchObject({ uuid: ids.bobs, title: "New", summary: "Short", description: null })
    expect(body.metadata.updated_at).toBe(new Date(startsAt).toISOString())
    expect(body.metadata.created_at).toBe("2026-01-01T09:00:00.000Z")
    expect((await world.ask(path)).body).toEqual(body)
  })

  it("keeps absent fields", async () => {
    await change({ summary: "Kept" })
    expect((await change({ description: "Longer" })).body).toMatchObject({
      title: "Checkout fails",
      summary: "Kept",
      description: "Longer"
    })
  })

  it("keeps updated_at if nothing changed, and ignores other keys", async () => {
    const before = (await world.ask(path)).body
    expect((await change({ title: "Checkout fails", duration: 1, uuid: ids.adas })).body).toEqual(before)
  })

  it("accepts parameters of the content type", async () => {
    const headers = { "content-type": "Application/JSON; charset=utf-8" }
    const body = JSON.stringify({ recording: { title: "New" } })
    expect((await world.ask(path, { method: "PATCH", headers, body })).status).toBe(200)
  })

  it.each([
    ["no body", undefined, "The body must not be empty"],
    ["an empty body", "", "The body must not be empty"],
    ["malformed JSON", '{"recording":', "The body must be valid JSON"],
    ["bytes that are not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), "The body must be valid JSON"],
    ["an array", "[]", "The body must be a JSON object"],
    ["a string", '"title"', "The body must be a JSON object"],
    ["null", "null", "The body must be a JSON object"],
    ["no recording", "{}", /^recording /],
    ["a recording that is null", '{"recording":null}', /^recording /],
    ["an empty recording", '{"recording":{}}', /^recording /],
    ["none of the three fields", '{"recording":{"name":"x"}}', /^recording /]
  ])("refuses %s with 400", async (_, body, message) => {
    const headers = { "content-type": "application/json" }
    const answer = await world.ask(path, { method: "PATCH", headers, ...(body !== undefined && { body }) })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toEqual(typeof message === "string" ? message : expect.stringMatching(message))
  })

  it.each([
    ["a title that is null", { title: null }, "title"],
    ["a blank title", { title: " \t" }, "title"],
    ["a title that is a number", { title: 1 }, "title"],
    ["a title over 255 characters", { title: "x".repeat(256) }, "title"],
    ["a summary over 10,000", { summary: "x".repeat(10_001) }, "summary"],
    ["a summary that is an object", { summary: {} }, "summary"],
    ["a description over 65,535", { description: "x".repeat(65_536) }, "description"]
  ])("refuses %s with 422, and names the field", async (_, recording, field) => {
    const { status, body } = await change(recording)
    expect(status).toBe(422)
    expect(body.error).toMatch(new RegExp(`^${field} `))
  })

  it("reports every invalid field, and changes none", async () => {
    const { status, body } = await change({ title: "", summary: 1, description: "fine" })
    expect(status).toBe(422)
    expect(body.error).toMatch(/^title .*; summary /)
    expect((await world.ask(path)).body.description).toBe(null)
  })

  it("accepts the longest values", async () => {
    const longest = { title: "😀".repeat(255), summary: "x".repeat(10_000), description: "x".repeat(65_535) }
    expect((await change(longest)).body).toMatchObject(longest)
  })

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/merge-patch+json"])(
    "refuses a %s body with 415 (R20)",
    async (type) => {
      const answer = await world.ask(path, { method: "PATCH", headers: { "content-type": type }, body: "{}" })
      expect(answer.status).toBe(415)
    }
  )
})
