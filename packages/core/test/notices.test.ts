import type { Delivery } from "@tapedeck/domain"
import { folderSchedule } from "@tapedeck/domain/delivery"
import type { MailJob } from "@tapedeck/domain/internal/jobs"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeNotices } from "../src/index.ts"
import { acme, ada, aRecording, aUser, bob, instantAfter, startInstant, uuidOf } from "./examples.ts"
import { makeWorld } from "./useCaseWorld.ts"

const hourMs = 3_600_000

/** Acme with this number of active admins: Ada (11), and others from 101 on. */
const worldWithAdmins = async (count: number) => {
  const world = await makeWorld({ consoleUrl: "https://test" })
  const others = Array.from({ length: count - 1 }, (_, index) => aUser(101 + index, { role: "admin" }))
  await world.run(Effect.forEach(others, world.store.users.save))
  const notices = await world.run(makeNotices)
  const mails = () =>
    world.memory
      .state()
      .jobs.valuesArray()
      .map(({ job }) => job as MailJob)
  return { ...world, notices, mails }
}

const failedDelivery = (id: string, receiver = "crm"): Delivery => ({
  id: id as Delivery["id"],
  accountId: acme.id,
  automationId: receiver as Delivery["automationId"],
  destinationId: null,
  recordingUuid: uuidOf(1),
  auditEntryId: null,
  test: false,
  redeliveryOf: null,
  event: "recording.added_to_folder",
  body: "{}",
  createdAt: startInstant,
  schedule: folderSchedule,
  state: { _tag: "PermanentlyFailed", at: startInstant },
  attempts: []
})

describe("an event", () => {
  for (const count of [100, 101]) {
    it(`is mailed to at most 100 admins, those added first: ${count}`, async () => {
      const { mails, notices, run } = await worldWithAdmins(count)
      await run(notices.recordingCreated(aRecording(1)))
      await run(notices.deliveryFailed(failedDelivery("d1")))
      const idsOf = (one: string) =>
        mails()
          .flatMap((mail) => (mail.switch === one ? [Number(mail.userId)] : []))
          .sort((a, b) => a - b)
      const first = [Number(ada.id), ...Array.from({ length: 99 }, (_, index) => 101 + index)]
      expect(idsOf("all_recordings")).toEqual(first)
      expect(idsOf("failed_deliveries")).toEqual(first)
    })
  }

  it("is mailed to the owner besides those admins", async () => {
    const { mails, notices, run } = await worldWithAdmins(101)
    await run(notices.recordingCreated(aRecording(1, { ownerId: bob.id })))
    expect(mails()).toHaveLength(101)
    expect(mails()).toContainEqual(expect.objectContaining({ userId: bob.id, switch: "own_recordings" }))
  })
})

describe("mail to one user", () => {
  it("about recordings made on sites is at most 20 in an hour, which leaves 10 for others", async () => {
    const { mails, notices, run } = await worldWithAdmins(1)
    for (let n = 1; n <= 40; n++) await run(notices.recordingCreated(aRecording(n)))
    expect(mails()).toHaveLength(20)
    for (let n = 41; n <= 80; n++) await run(notices.recordingCreated(aRecording(n, { ownerId: ada.id })))
    expect(mails()).toHaveLength(30)
  })

  it("about recordings is at most 30 in an hour", async () => {
    const { mails, notices, run, setTime } = await worldWithAdmins(1)
    const create = (n: number) => run(notices.recordingCreated(aRecording(n, { ownerId: ada.id })))
    for (let n = 1; n <= 30; n++) await create(n)
    expect(mails()).toHaveLength(30)
    await setTime(instantAfter(hourMs - 1))
    await create(31)
    expect(mails()).toHaveLength(30)
    await setTime(instantAfter(hourMs))
    await create(32)
    expect(mails().map(({ recordingUuid }) => recordingUuid)).toContain(uuidOf(32))
  })

  it("about failures is at most one in an hour for each receiver", async () => {
    const { mails, notices, run, setTime } = await worldWithAdmins(1)
    const fail = (id: string, receiver?: string) => run(notices.deliveryFailed(failedDelivery(id, receiver)))
    await fail("first")
    await fail("other receiver", "erp")
    await setTime(instantAfter(hourMs - 1))
    await fail("too soon")
    await setTime(instantAfter(hourMs))
    await fail("an hour later")
    expect(mails().map(({ deliveryId }) => deliveryId)).toEqual(["an hour later", "first", "other receiver"])
  })
})
