import { beforeAll, describe, expect, test } from "vitest"
import { acme, ada, bob, otto, uuid } from "../support/acme.ts"
import { blackbox, bodyOf, type Running, refusalV2, type Target } from "../support/target.ts"

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

    describe("what a deleted automation did stays readable", () => {
      test.each([
        ["the automation", ({ automation }: Awaited<ReturnType<typeof fired>>) => `/automations/${automation}`],
        ["its folder", ({ folder }: Awaited<ReturnType<typeof fired>>) => `/folders/${folder}`]
      ])("%s deleted", async (_, path) => {
        const made = await fired()
        expect((await ask("DELETE", path(made))).status).toBe(204)
        refusalV2(await ask("GET", `/automations/${made.automation}/deliveries`), 404)
        const one = await get<Delivery>(`/deliveries/${made.id}`)
        expect(one).toMatchObject({ id: made.id, automation_id: made.automation, audit_destination_id: null })
        const page = await get<Page>(`/deliveries?recording_uuid=${made.recording.toUpperCase()}`)
        expect(page).toMatchObject({ pagination: { count: 1 }, deliveries: [{ id: made.id, state: "cancelled" }] })
        expect((await get<Page>(`/deliveries?recording_uuid=${made.recording}&state=delivered`)).deliveries).toEqual([])
      })

      test("the recording deleted too", async () => {
        const made = await fired()
        await ask("DELETE", `/automations/${made.automation}`)
        expect((await ask("DELETE", `/recordings/${made.recording}`)).status).toBe(204)
        const { deliveries } = await get<Page>(`/deliveries?recording_uuid=${made.recording}`)
        expect(deliveries).toMatchObject([{ id: made.id }])
      })
    })

    test("what a deleted audit destination was sent stays readable by its id", async () => {
      const destination = (await make("/audit-destinations", { name: "SIEM", url: nowhere })).id
      await make("/folders", { name: "Told of" })
      const [told] = (await get<Page>(`/audit-destinations/${destination}/deliveries`)).deliveries
      expect((await ask("DELETE", `/audit-destinations/${destination}`)).status).toBe(204)
      expect(await get(`/deliveries/${told!.id}`)).toMatchObject({
        id: told!.id,
        automation_id: null,
        audit_destination_id: destination,
        state: "cancelled"
      })
    })

    describe("a payload beyond 1 MiB is not sent", () => {
      const titles = (count: number) => JSON.stringify(Array.from({ length: count }, () => "{{recording.title}}"))

      test("the delivery failed for good without an attempt, and the recording is in the folder", async () => {
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

      test("a send-test of it says so too", async () => {
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

    test("403 for members, 404 for an unknown id and another account's, 400 without a UUID", async () => {
      const { id, recording } = await fired()
      refusalV2(await ask("GET", `/deliveries/${id}`, undefined, bob), 403)
      refusalV2(await ask("GET", `/deliveries?recording_uuid=${recording}`, undefined, bob), 403)
      refusalV2(await ask("GET", "/deliveries/none"), 404)
      refusalV2(await ask("GET", `/deliveries/${id}`, undefined, otto), 404)
      const theirs = await ask("GET", `/deliveries?recording_uuid=${recording}`, undefined, otto)
      expect(bodyOf<Page>(theirs).deliveries).toEqual([])
      for (const query of ["", "?recording_uuid=", "?recording_uuid=x", `?recording_uuid=${recording}&state=x`]) {
        expect(refusalV2(await ask("GET", `/deliveries${query}`), 400)).toMatch(
          query.includes("state") ? /state/ : /uuid/
        )
      }
    })
  })
