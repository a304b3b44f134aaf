import { beforeAll, beforeEach, expect, test } from "vitest"
import { acme, ada, bob, otto, uuid } from "../../support/acme.ts"
import type { Emulator, World } from "../../support/emulator.ts"
import { hooked, instantAfter, start } from "../../support/hooks.ts"
import type { Answer } from "../../support/http.ts"
import { type Json, type Settings, signIn } from "../../support/settings.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { onStores } from "../targets.ts"

/** Why a webhook is where it is, or is not there (W3, W11, W13, A6): the calls `explain` of the settings API. */

interface Deed {
  readonly event_type: string
  readonly user: { readonly email: string } | null
}

interface OfDelivery {
  readonly state: string
  readonly reason: string
  readonly explanation: string
  readonly next_attempt: Json | null
  readonly blocked: string | null
  readonly cancellation: { readonly cause: string; readonly at: string | null; readonly by: Deed | null } | null
}

interface OfEvent {
  readonly reason: string
  readonly explanation: string
  readonly because_of: Deed | null
  readonly deliveries: ReadonlyArray<{ readonly id: string; readonly state: string }>
}

/** Uses Ada's token, because the server has no control plane to sign her in. */
const asAda = (running: () => Running) => {
  const ask = (method: string, path: string, json?: unknown, token: string | undefined = ada): Promise<Answer> =>
    running().fetch(`/api/settings${path}`, { method, token, json })
  const make = async (path: string, json: unknown) => bodyOf<{ id: string }>(await ask("POST", path, json), 201)
  return {
    ask,
    make,
    change: async (path: string, json: unknown) => bodyOf(await ask("PATCH", path, json)),
    file: async (recording: string, folder: string) =>
      bodyOf(await ask("PUT", `/recordings/${recording}/folder`, { folder_id: folder })),
    newRecording: async () =>
      bodyOf<{ uuid: string }>(await ask("POST", "/recordings", { title: "Checkout fails" }), 201).uuid,
    delivery: async (id: string) => bodyOf<OfDelivery>(await ask("GET", `/deliveries/${id}/explain`)),
    automation: async (id: string, recording: string) =>
      bodyOf<OfEvent>(await ask("GET", `/automations/${id}/explain?recording=${recording}`)),
    destination: async (id: string, entry: number) =>
      bodyOf<OfEvent>(await ask("GET", `/audit-destinations/${id}/explain?audit_entry=${entry}`))
  }
}

/** No policy lets it through: an attempt is blocked at once, wherever the tests run. */
const nowhere = "https://10.1.2.3/hook"

const byAda = (event_type: string) => ({ event_type, user: { email: "ada@acme.test" } })

export const targets = onStores

/** On every target: the wall clock or a virtual one, with a token alone. */
export const suite = (target: Target): void =>
  blackbox(target, "Settings API: explanations", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(
        acme({
          folders: [{ id: "f1", name: "VIP" }],
          recordings: [{ uuid: uuid(1), title: "Put in place", folder: "f1" }],
          automations: [{ id: "a1", folder: "f1", url: nowhere }]
        })
      )
    }, 60_000)
    const call = asAda(() => running)

    /** A folder with an automation, and a recording in it: its delivery. */
    const fired = async () => {
      const folder = (await call.make("/folders", { name: "New" })).id
      const automation = (await call.make("/automations", { folder_id: folder, url: nowhere })).id
      const recording = await call.newRecording()
      await call.file(recording, folder)
      const { deliveries, reason } = await call.automation(automation, recording)
      expect([reason, deliveries.length]).toEqual(["has_deliveries", 1])
      return { folder, automation, recording, delivery: deliveries[0]!.id }
    }
    /** Lets what is due now happen: advances the emulator's clock by 0. */
    const move = async () => {
      if (running.controlUrl === null) return
      bodyOf(await running.fetch("/_emulator/clock/advance", { method: "POST", json: { by: 0 } }))
    }

    test("the explanation of a blocked delivery has the guard's reason, the next attempt, and the reason of its time", async () => {
      const { delivery } = await fired()
      await move()
      const reasonOf = async () => (await call.delivery(delivery)).reason
      await expect.poll(reasonOf, { timeout: 20_000 }).toBe("waiting_for_retry")
      const { blocked, cancellation, explanation, next_attempt, state } = await call.delivery(delivery)
      expect([state, cancellation]).toEqual(["waiting", null])
      // The server names the address, the emulator what it calls at all.
      expect(blocked).toMatch(/10\.1\.2\.3|allow_receivers/)
      expect(next_attempt).toMatchObject({ attempt: 2, because: "schedule", delay_ms: 60_000 })
      expect(explanation).toContain("Attempt 1 was blocked, and nothing was sent: ")
      expect(explanation).toContain("1 minute after attempt 1 began")
    })

    test("W11: the explanation of a cancellation names its cause and user: disabled, deleted, redelivered, with its folder", async () => {
      const off = await fired()
      await call.change(`/automations/${off.automation}`, { enabled: false })
      // A later change of the automation cancels nothing.
      await call.change(`/automations/${off.automation}`, { enabled: true })
      const deleted = await fired()
      await call.ask("DELETE", `/automations/${deleted.automation}`)
      const withFolder = await fired()
      await call.ask("DELETE", `/folders/${withFolder.folder}`)
      const again = await fired()
      const redeliver = `/automations/${again.automation}/deliveries/${again.delivery}/redeliver`
      bodyOf(await call.ask("POST", redeliver), 201)
      for (const [{ delivery }, cause, event] of [
        [off, "turned_off", "automation.updated"],
        [deleted, "deleted", "automation.deleted"],
        [withFolder, "deleted", "automation.deleted"],
        [again, "delivered_again", "automation.redelivered"]
      ] as const) {
        const found = await call.delivery(delivery)
        expect(found).toMatchObject({ state: "cancelled", reason: "cancelled", next_attempt: null })
        expect(found.cancellation).toMatchObject({ cause, by: byAda(event) })
      }
    })

    test("a missing delivery is explained: the automation was off, is newer, or belonged to another folder", async () => {
      const { automation, folder } = await fired()
      await call.change(`/automations/${automation}`, { enabled: false })
      const recording = await call.newRecording()
      await call.file(recording, folder)
      await call.change(`/automations/${automation}`, { enabled: true })
      const found = await call.automation(automation, recording)
      expect(found).toMatchObject({ reason: "was_turned_off", because_of: byAda("automation.updated"), deliveries: [] })
      expect(found.explanation).toContain("while the automation was turned off, since ")

      const later = (await call.make("/automations", { folder_id: folder, url: nowhere })).id
      expect(await call.automation(later, recording)).toMatchObject({
        reason: "was_there_already",
        because_of: byAda("automation.created")
      })
      const elsewhere = (await call.make("/folders", { name: "Elsewhere" })).id
      const moving = (await call.make("/automations", { folder_id: elsewhere, url: nowhere })).id
      expect(await call.automation(moving, recording)).toMatchObject({ reason: "not_in_folder", because_of: null })
      const late = await call.newRecording()
      await call.file(late, folder)
      await call.change(`/automations/${moving}`, { folder_id: folder })
      expect(await call.automation(moving, late)).toMatchObject({
        reason: "was_of_another_folder",
        because_of: byAda("automation.updated")
      })
    })

    test("the explanation is not_known for receivers of a start document, whose history is unknown", async () => {
      const found = await call.automation("a1", uuid(1))
      expect(found).toMatchObject({ reason: "not_known", because_of: null, deliveries: [] })
      expect(found.explanation).toContain("does not tell since when")
    })

    test("W13: adding a recording where it is fires nothing, and the explanation names the earlier delivery", async () => {
      const { automation, delivery, folder, recording } = await fired()
      await call.file(recording, folder)
      expect(await call.automation(automation, recording)).toMatchObject({
        reason: "has_deliveries",
        deliveries: [{ id: delivery }]
      })
    })

    test("A6: an unsent audit entry is explained by its filter, a disabled destination, or a newer one", async () => {
      const newest = async () => {
        const { audit_entries } = bodyOf<{ audit_entries: ReadonlyArray<{ id: number }> }>(
          await call.ask("GET", "/audit-entries")
        )
        return audit_entries[0]!.id
      }
      const before = await newest()
      const filters = { categories: ["security"], severities: ["high", "medium"] }
      const { id } = await call.make("/audit-destinations", { name: "SIEM", url: nowhere, filters })
      await call.make("/folders", { name: "Filtered out" })
      const filtered = await newest()
      await call.change(`/audit-destinations/${id}`, { filters: {} })
      await call.make("/folders", { name: "Let through" })
      const sent = await newest()
      await call.change(`/audit-destinations/${id}`, { enabled: false })
      await call.make("/folders", { name: "Turned off" })
      const off = await newest()
      await call.change(`/audit-destinations/${id}`, { enabled: true, filters })

      expect((await call.destination(id, before)).reason).toBe("was_there_already")
      const found = await call.destination(id, filtered)
      expect(found).toMatchObject({ reason: "filtered_out", deliveries: [] })
      expect(found.explanation).toContain("categories lets through security, and it is data_changes")
      expect(found.explanation).toContain("severities lets through high, medium, and it is low")
      expect(await call.destination(id, off)).toMatchObject({
        reason: "was_turned_off",
        because_of: byAda("audit_destination.updated")
      })
      const { deliveries, reason } = await call.destination(id, sent)
      expect(reason).toBe("has_deliveries")
      expect(deliveries).toHaveLength(1)
      expect((await call.delivery(deliveries[0]!.id)).cancellation).toMatchObject({
        cause: "turned_off",
        by: byAda("audit_destination.updated")
      })
    })

    test("S1: explanations are for admins of the account; unknown ids are 404, missing parameters 400", async () => {
      const { automation, delivery, recording } = await fired()
      const paths = [`/deliveries/${delivery}/explain`, `/automations/${automation}/explain?recording=${recording}`]
      for (const path of paths) {
        refusalV2(await call.ask("GET", path, undefined, bob), 403)
        refusalV2(await call.ask("GET", path, undefined, "unknown"), 401)
        refusalV2(await call.ask("GET", path, undefined, otto), 404)
      }
      for (const path of [
        "/deliveries/nope/explain",
        `/automations/nope/explain?recording=${recording}`,
        `/automations/${automation}/explain?recording=nope`,
        `/automations/${automation}/explain?recording=${uuid(99)}`,
        "/audit-destinations/nope/explain?audit_entry=1"
      ]) {
        refusalV2(await call.ask("GET", path), 404)
      }
      expect(refusalV2(await call.ask("GET", `/automations/${automation}/explain`), 400)).toMatch(/recording/)
    })
  })

/** Where a clock can be moved, and receivers answer as they are told. */
export const suiteOnClock = (emulator: Emulator): void =>
  blackbox(emulator, "Settings API: explanations over time", () => {
    let world: World
    let settings: Settings
    const begin = async (respond: ReadonlyArray<unknown>) => {
      world = await emulator.start(hooked(respond))
      settings = await signIn(world, "ada@acme.test")
      const [delivery = ""] = await world.addToFolder("f1", uuid(1))
      return () => settings.get<OfDelivery>(`/deliveries/${delivery}/explain`)
    }
    beforeEach(async () => void (await begin([500])))

    test("W3: each wait is explained by the schedule's delay and the previous response", async () => {
      const explain = await begin([503])
      expect(await explain()).toMatchObject({
        reason: "first_attempt_due",
        next_attempt: { attempt: 1, at: start, because: "event", delay_ms: null }
      })
      await world.advance({ by: 0 })
      const waits: Array<unknown> = []
      for (let retry = 1; retry <= 5; retry++) {
        const { explanation, next_attempt, reason } = await explain()
        expect(reason).toBe("waiting_for_retry")
        expect(explanation).toContain(
          `Attempt ${retry} failed: it was answered with 503. Retry ${retry} of 5 is due at `
        )
        waits.push(next_attempt?.delay_ms)
        await world.advance({ next: true })
      }
      expect(waits).toEqual([1, 5, 30, 120, 720].map((minutes) => minutes * 60_000))
      const over = await explain()
      expect(over).toMatchObject({ state: "permanently_failed", reason: "retries_used_up", next_attempt: null })
      expect(over.explanation).toContain("after 5 retries")
    })

    test("explains a delivered delivery, a failed send-test, and a cancellation during an attempt", async () => {
      const explain = await begin([200])
      await world.advance({ by: 0 })
      expect(await explain()).toMatchObject({
        state: "delivered",
        reason: "delivered",
        next_attempt: null,
        blocked: null
      })

      await begin([404])
      const { delivery } = await settings.act<{ delivery: { id: string } }>("POST", "/automations/a1/test")
      const tested = await settings.get<OfDelivery>(`/deliveries/${delivery.id}/explain`)
      expect(tested).toMatchObject({ state: "permanently_failed", reason: "test_failed" })

      const inFlight = await begin(["timeout"])
      await world.advance({ by: 0 })
      await settings.act("PATCH", "/automations/a1", { enabled: false })
      const called = await inFlight()
      expect(called).toMatchObject({ reason: "under_way", cancellation: { cause: "turned_off", at: null } })
      expect(called.explanation).toContain("if the attempt fails, there is no other")
      await world.advance({ by: "PT30S" })
      expect(await inFlight()).toMatchObject({
        reason: "cancelled",
        cancellation: { cause: "turned_off", at: instantAfter(start, 30_000) }
      })
    })

    test("the explanation is not_known for a recording that the control plane restored, which makes no audit entry", async () => {
      await settings.act("PUT", `/recordings/${uuid(2)}/folder`, { folder_id: "f1" })
      await settings.act("PUT", `/recordings/${uuid(2)}/folder`, { folder_id: "f2" })
      const { id } = await settings.make<{ id: string }>("/automations", { folder_id: "f1", url: "https://x.test/" })
      await settings.act("PATCH", `/automations/${id}`, { enabled: false })
      await world.addToFolder("f1", uuid(2))
      expect(await settings.get<OfEvent>(`/automations/${id}/explain?recording=${uuid(2)}`)).toMatchObject({
        reason: "not_known",
        because_of: null
      })
    })
  })
