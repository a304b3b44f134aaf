import { describe, expect, it } from "vitest"
import { folderSchedule } from "../../src/delivery/index.ts"
import { AccountId, type Attempt, type Delivery, DeliveryId, type Instant } from "../../src/index.ts"
import { listedDelivery } from "../../src/internal/delivery.ts"

const KiB = 1024
const at = 0 as Instant

const answeredWith = (attempt: number, body: string): Attempt => ({
  attempt,
  at,
  elapsedMs: 0,
  endedAt: at,
  outcome: "failure",
  statusCode: 500,
  request: { method: "POST", url: "https://x.test/", headers: [] },
  response: { headers: [], body, truncated: false },
  error: null
})

const delivery = (body: string, attempts: ReadonlyArray<Attempt> = []): Delivery => ({
  id: DeliveryId.make("d"),
  accountId: AccountId.make(1),
  automationId: null,
  destinationId: null,
  recordingUuid: null,
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  body,
  createdAt: at,
  schedule: folderSchedule,
  state: { _tag: "Scheduled", dueAt: at },
  attempts
})

describe("A delivery in a list", () => {
  it.each([
    ["is whole with 64 KiB", "a".repeat(64 * KiB), 64 * KiB, false],
    ["is cut with one byte more", "a".repeat(64 * KiB + 1), 64 * KiB, true],
    ["is measured in UTF-8 bytes", "é".repeat(32 * KiB), 32 * KiB, false],
    ["is cut between characters", `a${"🎥".repeat(16 * KiB)}`, 1 + 2 * (16 * KiB - 1), true]
  ])("has a body that %s", (_, body, length, isBodyCut) => {
    const listed = listedDelivery(delivery(body))
    expect([listed.body.length, listed.isBodyCut, body.startsWith(listed.body)]).toEqual([length, isBodyCut, true])
  })

  it("has at most 64 KiB of its responses' bodies together, the latest first", () => {
    const bodies = ["a", "b", "c"].map((letter) => letter.repeat(40 * KiB))
    const attempts = bodies.map((body, index) => answeredWith(index + 1, body))
    const listed = listedDelivery(delivery("{}", [...attempts, { ...attempts[0]!, response: null }]))
    expect(listed.attempts.map(({ response }) => response && [response.body.length, response.truncated])).toEqual([
      [0, true],
      [24 * KiB, true],
      [40 * KiB, false],
      null
    ])
    expect(listed.attempts[2]).toBe(attempts[2])
  })
})
