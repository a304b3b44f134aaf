import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, cyd, otto, uuid } from "../../support/acme.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../../support/target.ts"
import { everywhere } from "../targets.ts"

/** Deliveries by their ids and their recordings, whatever has become of their receivers. On every target. */

interface Delivery {
  readonly id: string
  readonly automation_id: string | null
  readonly recording_uuid: string | null
}

interface Page {
  readonly pagination: { readonly count: number }
  readonly deliveries: ReadonlyArray<Delivery>
}

/** No policy lets it through: nothing is sent, wherever the tests run. */
const nowhere = "https://10.1.2.3/hook"

export const targets = everywhere

export const suite = (target: Target): void =>
  blackbox(target, "Settings API: deliveries", () => {
    let running: Running
    beforeAll(async () => {
      running = await target.start(acme({ recordings: [{ uuid: uuid(1), title: "Put in place" }] }))
    }, 60_000)
    const ask = (method: string, path: string, json?: unknown, token = ada) =>
      running.fetch(`/api/settings${path}`, { method, token, json })
    const get = async <T>(path: string) => bodyOf<T>(await ask("GET", path))
    const make = async (path: string, json: unknown) => bodyOf<{ id: string }>(await ask("POST", path, json), 201)

    /** A recording that came into a folder with an automation. */
    const fired = async () => {
      const folder = (await make("/folders", { name: "New" })).id
      const automation = (await make("/automations", { folder_id: folder, url: nowhere })).id
      const recording = bodyOf<{ uuid: string }>(await ask("POST", "/recordings", { title: "Fails" }), 201).uuid
      bodyOf(await ask("PUT", `/recordings/${recording}/folder`, { folder_id: folder }))
      const { deliveries } = await get<Page>(`/automations/${automation}/deliveries`)
      expect(deliveries).toMatchObject([{ automation_id: automation, recording_uuid: recording }])
      return { folder, automation, recording, id: deliveries[0]!.id }
    }

    test("of a recording are counted for its owner by the automations of its folder, and hidden from other members", async () => {
      const folder = (await make("/folders", { name: "Mine" })).id
      const automations = [
        { folder_id: folder, url: nowhere, only: { has_ticket: true } },
        { folder_id: folder, url: nowhere, enabled: false }
      ]
      for (const automation of automations) await make("/automations", automation)
      const recording = bodyOf<{ uuid: string }>(await ask("POST", "/recordings", { title: "Fails" }, bob), 201).uuid
      const counts = (token: string) => ask("GET", `/recordings/${recording}/folder-deliveries`, undefined, token)
      expect(bodyOf(await counts(bob))).toEqual({ folder_id: null, states: {} })
      bodyOf(await ask("PUT", `/recordings/${recording}/folder`, { folder_id: folder }, bob))
      for (const token of [bob, ada]) {
        expect(bodyOf(await counts(token))).toEqual({ folder_id: folder, states: { skipped: 1 } })
      }
      refusalV2(await counts(cyd), 404)
      refusalV2(await counts(otto), 404)
      refusalV2(await ask("GET", `/deliveries?recording_uuid=${recording}`, undefined, bob), 403)
    })

    describe("the deliveries of a deleted automation", () => {
      test.each([
        ["the automation", ({ automation }: Awaited<ReturnType<typeof fired>>) => `/automations/${automation}`],
        ["its folder", ({ folder }: Awaited<ReturnType<typeof fired>>) => `/folders/${folder}`]
      ])("stay readable after deleting %s", async (_, path) => {
        const made = await fired()
        expect((await ask("DELETE", path(made))).status).toBe(204)
        refusalV2(await ask("GET", `/automations/${made.automation}/deliveries`), 404)
        const one = await get<Delivery>(`/deliveries/${made.id}`)
        const recording = { title: "Fails", platform: "tapedeck", ticket_id: null }
        expect(one).toMatchObject({
          id: made.id,
          automation_id: made.automation,
          audit_destination_id: null,
          recording
        })
        const page = () => get<Page>(`/deliveries?recording_uuid=${made.recording.toUpperCase()}`)
        const listed = { pagination: { count: 1 }, deliveries: [{ id: made.id, state: "cancelled" }] }
        await expect.poll(page, { timeout: 30_000, interval: 20 }).toMatchObject(listed)
        expect((await get<Page>(`/deliveries?recording_uuid=${made.recording}&state=delivered`)).deliveries).toEqual([])
      })

      test("stay readable after deleting the recording too", async () => {
        const made = await fired()
        await ask("DELETE", `/automations/${made.automation}`)
        expect((await ask("DELETE", `/recordings/${made.recording}`)).status).toBe(204)
        const { deliveries } = await get<Page>(`/deliveries?recording_uuid=${made.recording}`)
        expect(deliveries).toMatchObject([{ id: made.id, recording: null }])
      })
    })

    test("the deliveries of a deleted audit destination stay readable by its id", async () => {
      const destination = (await make("/audit-destinations", { name: "SIEM", url: nowhere })).id
      await make("/folders", { name: "Told of" })
      const [told] = (await get<Page>(`/audit-destinations/${destination}/deliveries`)).deliveries
      expect((await ask("DELETE", `/audit-destinations/${destination}`)).status).toBe(204)
      // An attempt in flight ends by itself before the delivery is cancelled (W11).
      const state = async () => (await get<{ state: string }>(`/deliveries/${told!.id}`)).state
      await expect.poll(state, { timeout: 30_000, interval: 20 }).toBe("cancelled")
      expect(await get(`/deliveries/${told!.id}`)).toMatchObject({
        id: told!.id,
        automation_id: null,
        audit_destination_id: destination
      })
    })

    describe("a payload beyond 1 MiB is not sent", () => {
      const titles = (count: number) => JSON.stringify(Array.from({ length: count }, () => "{{recording.title}}"))

      test("fails without an attempt, and the recording is in the folder", async () => {
        const folder = (await make("/folders", { name: "Large" })).id
        const given = { folder_id: folder, url: nowhere, payload: titles(2_200) }
        const automation = (await make("/automations", given)).id
        const title = "é".repeat(255)
        const recording = bodyOf<{ uuid: string }>(await ask("POST", "/recordings", { title }), 201).uuid
        bodyOf(await ask("PUT", `/recordings/${recording}/folder`, { folder_id: folder }))
        expect(await get(`/recordings/${recording}`)).toMatchObject({ folder_id: folder })
        const [failed] = (await get<Page>(`/automations/${automation}/deliveries`)).deliveries
        const expected = { state: "permanently_failed", error: "payload_too_large", body: "", attempts: [] }
        expect(await get(`/deliveries/${failed!.id}`)).toMatchObject({ ...expected, next_attempt_at: null })
        expect(await get(`/deliveries/${failed!.id}/explain`)).toMatchObject({ reason: "payload_too_large" })
        const again = await ask("POST", `/automations/${automation}/deliveries/${failed!.id}/redeliver`)
        expect(refusalV2(again, 409)).toMatch(/too large/)
      })

      test("is reported by a send-test too", async () => {
        const folder = (await make("/folders", { name: "é".repeat(255) })).id
        const payload = titles(2_200).replaceAll("recording.title", "folder.name")
        const automation = (await make("/automations", { folder_id: folder, url: nowhere, payload })).id
        const sent = bodyOf(await ask("POST", `/automations/${automation}/test`))
        expect(sent).toMatchObject({
          result: "failed",
          delivery: { test: true, state: "permanently_failed", error: "payload_too_large", attempts: [] }
        })
      })
    })

    test("members get 403, unknown ids and another account's 404, and invalid UUIDs 400", async () => {
      const { id, recording } = await fired()
      refusalV2(await ask("GET", `/deliveries/${id}`, undefined, bob), 403)
      refusalV2(await ask("GET", `/deliveries?recording_uuid=${recording}`, undefined, bob), 403)
      refusalV2(await ask("GET", "/deliveries/none"), 404)
      refusalV2(await ask("GET", `/deliveries/${id}`, undefined, otto), 404)
      const theirs = await ask("GET", `/deliveries?recording_uuid=${recording}`, undefined, otto)
      expect(bodyOf<Page>(theirs).deliveries).toEqual([])
      for (const query of ["?recording_uuid=", "?recording_uuid=x", `?recording_uuid=${recording}&state=x`]) {
        expect(refusalV2(await ask("GET", `/deliveries${query}`), 400)).toMatch(
          query.includes("state") ? /state/ : /uuid/
        )
      }
    })

    describe("the deliveries of the account", () => {
      const ids = async (query: string, token = ada) =>
        bodyOf<Page>(await ask("GET", `/deliveries${query}`, undefined, token)).deliveries.map(({ id }) => id)

      test("are found by automation, recording, event and period, newest first", async () => {
        const [one, two] = [await fired(), await fired()]
        expect((await ids("")).slice(0, 2)).toEqual([two.id, one.id])
        expect(await ids(`?automation_id=${one.automation}`)).toEqual([one.id])
        expect(await ids(`?automation_id=${one.automation}&recording_uuid=${two.recording}`)).toEqual([])
        expect(await ids(`?automation_id=${one.automation}&event=recording.added_to_folder`)).toEqual([one.id])
        expect(await ids(`?automation_id=${one.automation}&event=x`)).toEqual([])
        const { created_at: at } = await get<{ created_at: string }>(`/deliveries/${one.id}`)
        expect(await ids(`?automation_id=${one.automation}&since=${at}`)).toEqual([one.id])
        expect(await ids(`?automation_id=${one.automation}&until=${at}`)).toEqual([])
        expect(await ids(`?automation_id=${one.automation}&status_code=503`)).toEqual([])
        expect(await ids(`?automation_id=${one.automation}`, otto)).toEqual([])
        const log = await get<Page>(`/automations/${one.automation}/deliveries?event=recording.added_to_folder`)
        expect(log).toMatchObject({ pagination: { count: 1, count_is_exact: true }, deliveries: [{ id: one.id }] })
      })

      test("of an audit destination are found by its id", async () => {
        const destination = (await make("/audit-destinations", { name: "SIEM", url: nowhere })).id
        await make("/folders", { name: "Told of" })
        expect((await ids(`?audit_destination_id=${destination}`)).length).toBeGreaterThan(0)
        expect(await ids(`?audit_destination_id=${destination}&event=folder.created`)).toHaveLength(1)
      })

      test.each([
        ["state=x", /state must be one of/],
        ["event=", /event must have 1 to 255 characters/],
        [`automation_id=${"a".repeat(256)}`, /automation_id must have 1 to 255/],
        ["audit_destination_id=", /audit_destination_id must have/],
        ["status_code=99", /status_code must be an HTTP status from 100 to 599/],
        ["status_code=600", /status_code must be an HTTP status/],
        ["since=x", /since must be an ISO 8601/],
        ["until=x", /until must be an ISO 8601/],
        ["cursor=x.y", /cursor must be the next_cursor/],
        ["cursor=W10", /cursor must be the next_cursor/],
        ["page=1", /page is not a query parameter here/]
      ])("are 400 for ?%s, which is named", async (query, message) => {
        expect(refusalV2(await ask("GET", `/deliveries?${query}`), 400)).toMatch(message)
      })

      test("accept a filter id of 255 characters", async () => {
        expect(await ids(`?automation_id=${"a".repeat(255)}&event=${"b".repeat(255)}&status_code=599`)).toEqual([])
      })
    })
  })
