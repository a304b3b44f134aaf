import { describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { MASK, makeSettings } from "./settingsWorld.ts"

const shown = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

describe("a secret (S3)", () => {
  it("is masked in answers except for its end, and header values completely", async () => {
    const { ask } = await makeSettings()
    const crm = (await ask("GET /automations/crm")).body
    expect(crm).toMatchObject({ secret: `${MASK}LaSw`, headers: { "X-Api-Key": MASK }, previous_secrets: [] })
    // One that is short would be given away by its end.
    expect((await ask("GET /automations/off")).body.secret).toBe(MASK)
    expect((await ask("GET /audit-destinations/siem")).body.secret).toBe(MASK)
  })

  it("is masked in every answer except those that view it", async () => {
    const { ask } = await makeSettings()
    const json = { headers: { "X-Api-Key": "k-4711", "X-More": "m-0815" } }
    const answers = [
      await ask("GET /automations"),
      await ask("PATCH /automations/crm", { json }),
      await ask("POST /automations", { json: { folder_id: "vip", url: "https://x.test/", secret: shown, ...json } }),
      await ask("POST /automations/crm/secret/rotate", { json: { secret: `${shown.slice(0, -4)}abcd` } }),
      await ask("POST /audit-destinations", { json: { name: "D", url: "https://x.test/", secret: shown, ...json } }),
      await ask("PATCH /audit-destinations/siem", { json }),
      await ask("GET /audit-destinations"),
      await ask("GET /tokens"),
      await ask("GET /audit-entries")
    ]
    const told = JSON.stringify(answers.map(({ body }) => body))
    for (const secret of [shown, "MfKQ", "k-4711", "m-0815", "ada-token", "ada-session"])
      expect(told).not.toContain(secret)
  })

  it("is shown with the previous ones by the call that views it, which forbids caching", async () => {
    const { ask, wait } = await makeSettings()
    await ask("POST /automations/crm/secret/rotate", { json: { secret: "new", overlap_seconds: 60 } })
    const { body, headers } = await ask("GET /automations/crm/secret")
    expect(body).toEqual({
      secret: "new",
      previous_secrets: [{ secret: shown, expires_at: "2026-03-01T12:01:00.000Z" }]
    })
    expect(headers.get("cache-control")).toBe("no-store")
    await wait(60_000)
    expect((await ask("GET /automations/crm/secret")).body.previous_secrets).toEqual([])
    expect((await ask("GET /automations/crm")).body.previous_secrets).toEqual([])
    expect((await ask("GET /audit-destinations/siem/secret")).body).toEqual({ secret: "s", previous_secrets: [] })
  })

  it("is unchanged if it is sent back masked", async () => {
    const { ask, memory } = await makeSettings()
    const { body } = await ask("GET /automations/crm")
    const { headers, url } = body
    const patched = await ask("PATCH /automations/crm", { json: { headers, url, method: "PUT" } })
    expect(patched).toMatchObject({ status: 200, body: { ...body, method: "PUT" } })
    expect(memory.state().automations.get("crm")).toMatchObject({ secret: shown, headers: { "X-Api-Key": "k-4711" } })
  })

  it("is shown as an access token when it is created and viewed, otherwise by its end", async () => {
    const { ask } = await makeSettings()
    const made = await ask("POST /tokens", { json: { name: "CI" } })
    expect(made).toMatchObject({ status: 201, body: { name: "CI", token: expect.stringMatching(/^tdk_\w{46}$/) } })
    const { id, token } = made.body
    expect((await ask(`GET /tokens/${id}`)).body).toEqual(made.body)
    for (const answer of [made, await ask(`GET /tokens/${id}`)])
      expect(answer.headers.get("cache-control")).toBe("no-store")
    const masked = MASK + token.slice(-4)
    expect((await ask("GET /tokens")).body.tokens).toContainEqual({ ...made.body, token: masked })
    expect((await ask(`PATCH /tokens/${id}`, { json: { name: "CD" } })).body).toMatchObject({
      name: "CD",
      token: masked
    })
    const headers = { authorization: `Bearer ${token}` }
    expect((await ask("GET /users", { headers })).status).toBe(200)
    expect((await ask(`DELETE /tokens/${id}`)).status).toBe(204)
    expect((await ask("GET /users", { headers })).status).toBe(401)
  })

  it("is masked in execution logs: custom header values and signatures", async () => {
    const { ask, memory, run } = await makeSettings()
    await ask(`PUT /recordings/${ids.bobs}/folder`, { json: { folder_id: "vip" } })
    const [delivery] = (await run(memory.store.deliveries.list({}))).filter(({ automationId }) => automationId !== null)
    const at = delivery!.createdAt
    await run(
      memory.store.deliveries.update({
        ...delivery!,
        state: { _tag: "Waiting", retry: 1, dueAt: at, firstAttemptAt: at },
        attempts: [
          {
            attempt: 1,
            at,
            elapsedMs: 0,
            endedAt: at,
            outcome: "failure",
            statusCode: 500,
            request: {
              method: "POST",
              url: "https://crm.test/hook",
              headers: [
                ["content-type", "application/json"],
                ["x-api-key", "k-4711"],
                ["x-tapedeck-signature", "sha256=ab"],
                ["webhook-id", delivery!.id],
                ["webhook-timestamp", "1"],
                ["webhook-signature", "v1,ab"]
              ]
            },
            response: {
              headers: [
                ["set-cookie", "a"],
                ["set-cookie", "b"]
              ],
              body: "no",
              truncated: true
            },
            error: null
          }
        ]
      })
    )
    const log = (await ask("GET /automations/crm/deliveries")).body
    expect(log.deliveries).toEqual([(await ask(`GET /automations/crm/deliveries/${delivery!.id}`)).body])
    expect(log.deliveries[0]).toMatchObject({
      id: delivery!.id,
      test: false,
      state: "waiting",
      retry: 1,
      recording_uuid: ids.bobs,
      audit_entry_id: null,
      automation_id: "crm",
      audit_destination_id: null,
      body: delivery!.body,
      body_truncated: false,
      next_attempt_at: "2026-03-01T12:00:00.000Z",
      attempts: [
        {
          attempt: 1,
          timestamp: "2026-03-01T12:00:00.000Z",
          outcome: "failure",
          status_code: 500,
          request: {
            headers: {
              "content-type": "application/json",
              "x-api-key": MASK,
              "x-tapedeck-signature": MASK,
              "webhook-id": delivery!.id,
              "webhook-timestamp": "1",
              "webhook-signature": MASK
            }
          },
          response: { headers: { "set-cookie": "a\nb" }, body: "no", truncated: true }
        }
      ]
    })
    expect((await ask("GET /automations/crm/deliveries?state=waiting")).body.pagination.count).toBe(1)
    expect((await ask("GET /automations/crm/deliveries?state=delivered")).body.deliveries).toEqual([])
  })
})
