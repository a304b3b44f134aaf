import { verify } from "@octokit/webhooks-methods"
import { Webhook } from "standardwebhooks"
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest"
import { ada } from "../../support/acme.ts"
import { hmac, instantAfter, minuteMs } from "../../support/hooks.ts"
import { call } from "../../support/http.ts"
import { type Behaviour, closeReceivers, type Received } from "../../support/receiver.ts"
import type { Json } from "../../support/settings.ts"
import { blackbox, bodyOf, type Target } from "../../support/target.ts"
import { type LoggedDelivery, Workbench } from "../../support/workbench.ts"
import { onStores } from "../targets.ts"

/** Folder automations: the first attempt at a real receiver, on any target (W1 to W5, W10, W14). The schedule is webhooks.ts. */

const whsec = `whsec_${Buffer.from("twenty-four bytes of key").toString("base64")}`
const standardHeaders = ["webhook-id", "webhook-timestamp", "webhook-signature"]

export const targets = onStores

export const suite = (target: Target): void =>
  blackbox(target, "Folder automation webhooks: first attempts", () => {
    let bench: Workbench
    beforeAll(async () => {
      bench = await Workbench.of(target)
    }, 60_000)
    afterEach(closeReceivers)
    afterEach(() => void vi.useRealTimers())

    /** A new recording in the folder of a new automation: the delivery after its first attempt, and what arrived. */
    const attempt = async (reply: Behaviour = { status: 200 }, automation: Json = {}) => {
      const real = await bench.receiver(() => reply)
      const made = await bench.automation({ url: real.url, ...automation })
      const recording = await bench.recording()
      const delivery = await bench.delivered(made, recording)
      const [request] = real.received as [Received]
      return { delivery, first: delivery.attempts[0]!, made, real, recording, request, body: request?.body.toString() }
    }

    describe("the request", () => {
      test("has the method, path with query, Content-Length, and the default payload", async () => {
        const { body, made, real, recording, request } = await attempt()
        expect(real.received).toHaveLength(1)
        expect(request).toMatchObject({ method: "POST", path: "/hook?from=test" })
        expect(request.headers["content-length"]).toBe(String(request.body.length))
        expect(JSON.parse(body)).toMatchObject({
          event: "recording.added_to_folder",
          recording: { id: recording, title: "Checkout fails" },
          folder: { id: made.folder_id },
          account: { id: "1" }
        })
      })

      test("has a custom payload rendered (W6)", async () => {
        const { body, recording } = await attempt(
          { status: 200 },
          { payload: '{"id":"{{recording.id}}","is":"a \\"x\\""}' }
        )
        expect(JSON.parse(body)).toEqual({ id: recording, is: 'a "x"' })
      })

      test.each(["POST", "PUT", "PATCH", "DELETE"])("has a body with the HTTP method %s (W10)", async (method) => {
        const { body, request } = await attempt({ status: 200 }, { method })
        expect(request.method).toBe(method)
        expect(JSON.parse(body)).toMatchObject({ event: "recording.added_to_folder" })
      })

      test("W10: has Content-Type application/json unless a custom header replaces it, and the custom headers", async () => {
        expect((await attempt()).request.headers["content-type"]).toBe("application/json")
        const headers = { "Content-Type": "application/vnd.crm+json", "X-Api-Key": "k 1" }
        expect((await attempt({ status: 200 }, { headers })).request.headers).toMatchObject({
          "content-type": "application/vnd.crm+json",
          "x-api-key": "k 1"
        })
      })

      test("W14: has User-Agent and Accept unless custom headers replace them", async () => {
        const { headers } = (await attempt()).request
        expect(headers).toMatchObject({ accept: "*/*" })
        expect(headers["user-agent"]).toMatch(/^Tapedeck\/\S+$/)
        const own = {
          "User-Agent": "crm-bridge/1",
          Accept: "application/json"
        }
        expect((await attempt({ status: 200 }, { headers: own })).request.headers).toMatchObject({
          "user-agent": "crm-bridge/1",
          accept: "application/json"
        })
      })

      test("W1: X-Tapedeck-Signature is sha256= and the hex digest of the body's bytes, by the secret's bytes", async () => {
        for (const secret of ["sécret ☕", whsec]) {
          const { body, request } = await attempt({ status: 200 }, { secret })
          const signature = request.headers["x-tapedeck-signature"]
          expect(signature).toBe(`sha256=${hmac(Buffer.from(secret), request.body, "hex")}`)
          expect(await verify(secret, body, String(signature)), "@octokit/webhooks-methods").toBe(true)
        }
      })

      test.each([
        ["a secret of one's own", "k", { format: "raw" as const }],
        ["a whsec_ secret", whsec, undefined],
        ["a generated secret", undefined, undefined]
      ])(
        "W2: webhook-id is the delivery's, and the npm package standardwebhooks verifies it: %s",
        async (_, own, options) => {
          const { body, delivery, first, made, request } = await attempt(
            { status: 200 },
            own === undefined ? {} : { secret: own }
          )
          const { secret } = await bench.settings.get<{ secret: string }>(`/automations/${made.id}/secret`)
          expect(secret).toMatch(own === undefined ? /^whsec_[A-Za-z0-9+/]+={0,2}$/ : own)
          const headers = Object.fromEntries(standardHeaders.map((name) => [name, String(request.headers[name])]))
          expect(headers["webhook-id"]).toBe(delivery.id)
          expect(headers["webhook-timestamp"]).toBe(String(Math.floor(Date.parse(first.timestamp) / 1000)))
          vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(first.timestamp) })
          const webhook = new Webhook(secret, options)
          expect(webhook.verify(body, headers)).toEqual(JSON.parse(body))
          expect(() => webhook.verify(`${body} `, headers)).toThrow()
        }
      )

      test("N2, W2: the header contains the vendor word, and the setting disables the three headers", async () => {
        const real = await bench.receiver(() => ({ status: 200 }))
        const other = await target.start({
          config: { vendor: "Acme", standard_webhooks: false },
          users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token: ada }],
          recordings: [{ uuid: "00000000-0000-4000-8000-000000000001" }],
          folders: [{ id: "f1", name: "VIP" }],
          automations: [{ id: "a1", folder: "f1", url: real.url, secret: "k" }]
        })
        const path = "/api/settings/recordings/00000000-0000-4000-8000-000000000001/folder"
        // Its documents name other platforms than the target's contract.
        bodyOf(await call(other.baseUrl, path, { method: "PUT", token: ada, json: { folder_id: "f1" } }))
        if (other.controlUrl !== null) {
          bodyOf(await other.fetch("/_emulator/clock/advance", { method: "POST", json: { by: 0 } }))
        }
        await expect.poll(() => real.received.length, { timeout: 30_000, interval: 20 }).toBe(1)
        const { body, headers } = real.received[0] as Received
        expect(headers["x-acme-signature"]).toBe(`sha256=${hmac("k", body, "hex")}`)
        for (const name of [...standardHeaders, "x-tapedeck-signature"]) expect(headers).not.toHaveProperty(name)
        await other.close()
      }, 60_000)
    })

    describe("the outcome", () => {
      const waitsForRetry = ({ attempts, next_attempt_at, state }: LoggedDelivery) => {
        expect(state).toBe("waiting")
        // Due its delay after the start of the attempt before it (W3).
        expect(next_attempt_at).toBe(instantAfter(attempts[0]!.timestamp, minuteMs))
      }

      test.each([200, 201, 204, 299])("HTTP %i is a success", async (status) => {
        const { delivery } = await attempt({ status })
        expect(delivery).toMatchObject({ state: "delivered", next_attempt_at: null })
        expect(delivery.attempts).toMatchObject([{ attempt: 1, outcome: "success", status_code: status }])
      })

      test.each([304, 400, 404, 410, 429, 500, 503])(
        "HTTP %i is a failure: retry 1 is due a minute after the attempt began, whatever Retry-After says",
        async (status) => {
          const { delivery, first } = await attempt({ status, headers: { "retry-after": "3600" } })
          expect(first).toMatchObject({ outcome: "failure", status_code: status })
          expect(delivery).toMatchObject({ retry: 1 })
          waitsForRetry(delivery)
        }
      )

      test.each([301, 302, 303, 307, 308])("W5: a redirect (%i) is a failure and is not followed", async (status) => {
        const elsewhere = await bench.receiver(() => ({ status: 200 }))
        const { delivery, first, real } = await attempt({ status, headers: { location: elsewhere.url } })
        expect(first).toMatchObject({ outcome: "failure", status_code: status })
        expect([real.received.length, elsewhere.received.length]).toEqual([1, 0])
        waitsForRetry(delivery)
      })

      test.each(["refused", "reset", "dns", "tls"] as const)(
        "%s has no status, and names the failed stage",
        async (stage) => {
          const made = await bench.automation({ url: await bench.urlOf(stage) })
          const delivery = await bench.delivered(made)
          expect(delivery.attempts).toMatchObject([
            { outcome: stage, status_code: null, response: null, error: expect.stringMatching(/\S/) }
          ])
          waitsForRetry(delivery)
        }
      )

      test.each([
        [200, 65_536, false],
        [200, 65_537, true],
        [200, 5_000_000, true],
        [500, 5_000_000, true]
      ])(
        "W4: of a %i with a body of %i bytes, 64 KiB are kept, and the status decides",
        async (status, size, truncated) => {
          const { first } = await attempt({ status, body: "a".repeat(size) })
          expect(first).toMatchObject({ outcome: status === 200 ? "success" : "failure", response: { truncated } })
          expect(first.response?.body.length).toBe(65_536)
        }
      )
    })
  })
