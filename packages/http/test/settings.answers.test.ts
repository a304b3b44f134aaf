import { describe, expect, it } from "vitest"
import { ids } from "./fixtures.ts"
import { makeSettings } from "./settingsWorld.ts"

describe("validation of a request, in R1's order", () => {
  const bodied = ["POST /folders", "PATCH /automations/crm", "PUT /recordings/none/folder", "POST /tokens"]

  it.each(bodied)("%s requires a JSON object: 415, 400", async (call) => {
    const { ask } = await makeSettings()
    const headers = { "content-type": "text/plain" }
    expect(await ask(call, { body: "{}", headers })).toMatchObject({ status: 415 })
    const message = async (body: string) => {
      const answer = await ask(call, { body, headers: { "content-type": "application/json" } })
      expect(answer.status).toBe(400)
      return answer.body.error
    }
    expect(await message("")).toBe("The body must not be empty")
    expect(await message("{")).toBe("The body must be valid JSON")
    for (const body of ["[]", "null", '"x"', "7"]) expect(await message(body)).toBe("The body must be a JSON object")
  })

  it.each([
    ["PATCH /folders/none", "name"],
    ["PATCH /automations/none", "folder_id, url, method, headers, payload, only, enabled"],
    [
      "PATCH /audit-destinations/none",
      "name, url, description, headers, timeout_seconds, max_retries, filters, signature, enabled"
    ],
    ["PATCH /users/none", "name, role, notifications, notify_failed_deliveries"],
    ["PATCH /tokens/none", "name"],
    [
      `PATCH /recordings/${ids.unknown}`,
      "user, title, summary, description, recording_source, helpdesk, technical_details, v1_platform, console_logs, " +
        "console_errors, network_errors, browser, os, customer"
    ],
    ["PATCH /account", "name, api_access, sharing, embed_origins, link_previews, helpdesk_addresses"]
  ])("%s requires a change: 400, before 404", async (call, fields) => {
    const { ask } = await makeSettings()
    const answer = await ask(call, { json: {} })
    expect(answer).toMatchObject({ status: 400, body: { error: `The body must have at least one of ${fields}` } })
  })

  it.each([
    ["PATCH /folders/none", { name: "" }],
    ["PATCH /automations/none", { method: "GET" }],
    ["PATCH /users/99", { role: "owner" }],
    [`PATCH /recordings/${ids.unknown}`, { title: "" }],
    [`PUT /recordings/${ids.unknown}/transcript`, {}]
  ])("%s is answered with 404 before 422", async (call, json) => {
    const { ask } = await makeSettings()
    expect((await ask(call, { json })).status).toBe(404)
  })

  it("the last admin and a transcript in progress are answered with 409 before 422", async () => {
    const { ask } = await makeSettings()
    expect((await ask("PATCH /users/1", { json: { role: "member", name: "" } })).status).toBe(409)
    await ask(`POST /recordings/${ids.adas}/transcript/request`)
    expect((await ask(`PUT /recordings/${ids.adas}/transcript`, { json: {} })).status).toBe(409)
  })

  it("every invalid field is reported: 422", async () => {
    const { ask } = await makeSettings()
    const answer = await ask("POST /audit-destinations", {
      json: {
        name: " ",
        url: "http://x.test/",
        timeout_seconds: 0,
        max_retries: 11,
        filters: { categories: ["none"], severities: "low" },
        signature: "md5",
        headers: { "X-Webhook-Signature": "x" },
        secret: 5,
        enabled: null
      }
    })
    expect(answer.status).toBe(422)
    expect(answer.body.error.split("; ")).toEqual([
      "name must not be blank",
      "url must begin with https://",
      "timeout_seconds must be an integer from 1 to 300",
      "max_retries must be an integer from 0 to 10",
      "filters.categories[0] must be one of authentication, authorization, data_access, data_changes, admin_actions, security",
      "filters.severities must be a list",
      "signature must be one of hex, sha256=hex, base64",
      "headers.X-Webhook-Signature is set by the service and cannot be a custom header",
      "secret must be a string or null",
      "enabled must be true or false"
    ])
  })

  it("every invalid query parameter is reported: 400", async () => {
    const { ask } = await makeSettings()
    const { body, status } = await ask(
      `GET /audit-entries?page=0&severity=extreme&user=ada&since=yesterday&until=2026-02-30T00:00:00Z&target_id=${"x".repeat(256)}`
    )
    expect(status).toBe(400)
    for (const name of ["page", "severity", "user", "since", "until"]) expect(body.error).toContain(`${name} must be`)
    expect(body.error).toContain("target_id must have 1 to 255 characters")
    expect((await ask(`GET /audit-entries?target_id=${"x".repeat(255)}`)).status).toBe(200)
  })

  it("unknown paths are 404, and unknown methods 405 with Allow", async () => {
    const { ask } = await makeSettings()
    expect((await ask("GET /nothing")).status).toBe(404)
    const answer = await ask("PUT /folders/vip", { json: {} })
    expect(answer.status).toBe(405)
    expect(answer.headers.get("allow")).toBe("DELETE, GET, HEAD, PATCH")
  })

  it("JSON bodies are limited to 1 MiB: 413, before 401 if the length is declared", async () => {
    const { ask } = await makeSettings()
    const headers = { authorization: "Bearer unknown", "content-type": "application/json" }
    const body = JSON.stringify({ name: "x".repeat(1024 * 1024) })
    const declared = { ...headers, "content-length": String(body.length) }
    const tooLarge = { status: 413, body: { error: "The body is larger than 1 MiB" } }
    expect(await ask("POST /folders", { body, headers: declared })).toMatchObject(tooLarge)
    expect(await ask("POST /folders", { body, headers })).toMatchObject({ status: 401 })
    const atLimit = JSON.stringify({ name: " ".repeat(1024 * 1024 - 11) })
    expect(atLimit).toHaveLength(1024 * 1024)
    const json = { "content-type": "application/json" }
    expect(await ask("POST /folders", { body: atLimit, headers: json })).toMatchObject({ status: 422 })
    expect(await ask("POST /folders", { body: `${atLimit} `, headers: json })).toMatchObject(tooLarge)
  })

  it("bodies of sign-in, which takes no token, are limited to 16 KiB", async () => {
    const { ask } = await makeSettings()
    const headers = { "content-type": "application/json", origin: "http://localhost", host: "localhost" }
    const atLimit = `{"email":"${"x".repeat(16 * 1024 - 12)}"}`
    expect(atLimit).toHaveLength(16 * 1024)
    expect((await ask("POST /sign-in", { as: "unknown", body: atLimit, headers })).status).toBe(422)
    for (const declared of [{}, { "content-length": String(16 * 1024 + 1) }]) {
      const refused = await ask("POST /sign-in", {
        as: "unknown",
        body: `${atLimit} `,
        headers: { ...headers, ...declared }
      })
      expect(refused).toMatchObject({ status: 413, body: { error: "The body is larger than 16 KiB" } })
    }
  })
})

describe("a send-test", () => {
  it.each([
    [{ status: 204 }, "success"],
    [{ status: 302, body: "elsewhere" }, "warning"],
    [{ status: 500, body: "" }, "failed"],
    ["timeout", "failed"]
  ] as const)("reports its result: %j is %s (W9)", async (answer, result) => {
    const { ask, sentTests } = await makeSettings({ testAnswer: () => answer })
    for (const path of ["/automations/off", "/audit-destinations/siem"]) {
      const { body, status } = await ask(`POST ${path}/test`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ result, delivery: { test: true, attempts: [{ attempt: 1 }] } })
      expect((await ask(`GET ${path}/deliveries`)).body.deliveries).toContainEqual({
        ...body.delivery,
        recording: null
      })
    }
    expect(sentTests.map((sent) => sent.automationId ?? sent.destinationId)).toEqual(["off", "siem"])
  })
})

describe("lists", () => {
  it("have pages as in v2, newest or oldest first", async () => {
    const { ask } = await makeSettings()
    expect((await ask("GET /folders")).body).toEqual({
      pagination: { count: 2, page: 1, items: 100, pages: 1, last_page: 1, from: 1, to: 2 },
      folders: [
        { id: "vip", name: "VIP", created_at: "2026-03-01T12:00:00.000Z" },
        { id: "bugs", name: "Bugs", created_at: "2026-03-01T12:00:00.000Z" }
      ]
    })
    expect((await ask("GET /folders?page=3")).body).toMatchObject({
      pagination: { prev_page: 1, from: 0 },
      folders: []
    })
    expect((await ask("GET /automations?folder_id=bugs")).body.automations).toMatchObject([{ id: "off" }])
    expect((await ask("GET /users")).body.users.map(({ id }: { id: number }) => id)).toEqual([1, 2, 3, 4])
    expect((await ask("GET /recordings?ticket_id=4711&provider=zendesk")).body.records).toMatchObject([
      { uuid: ids.bobs, folder_id: null, transcript_status: "ready" }
    ])
  })
})

describe("the errors of a recording", () => {
  const call = `GET /recordings/${ids.bobs}/errors`

  it("are the given ones, else the error lines of its console output", async () => {
    const { ask } = await makeSettings()
    const change = (json: object) => ask(`PATCH /recordings/${ids.bobs}`, { json })
    await change({ console_logs: "[info] ready\n[error] TypeError: x is null", os: "Linux", browser: "Firefox 140" })
    expect((await ask(call)).body).toEqual({ console_errors: ["[error] TypeError: x is null"], network_errors: [] })
    const given = { console_errors: ["mine"], network_errors: [{ url: "https://shop.test/cart", status: 503 }] }
    expect((await change(given)).body).toMatchObject({ os: "Linux", browser: "Firefox 140" })
    expect((await ask(call)).body).toEqual(given)
  })

  it("are shown to the owner and to admins, and are 404 for others", async () => {
    const { ask } = await makeSettings()
    expect((await ask(call, { as: "bob" })).status).toBe(200)
    expect((await ask(`GET /recordings/${ids.adas}/errors`, { as: "bob" })).status).toBe(404)
  })
})

interface Document {
  readonly paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: unknown }> } }>>
}

describe("the OpenAPI document", () => {
  it("is public, and has examples that the API accepts", async () => {
    const world = await makeSettings()
    const { paths } = (await (await world.fetch("/api/settings/openapi.json", { as: null })).json()) as Document
    const made = await world.ask("POST /tokens", { json: { name: "Example" } })
    const link = await world.ask("POST /capture-links", { json: {} })
    const site = await world.ask("POST /sites", { json: { name: "Shop", origins: ["https://x.test"] } })
    const here: Readonly<Record<string, string>> = {
      "{uuid}": ids.bobs,
      "/folders/{id}": "/folders/vip",
      "/capture-links/{id}": `/capture-links/${link.body.id}`,
      "/sites/{id}": `/sites/${site.body.id}`,
      "/automations/{id}": "/automations/crm",
      "/audit-destinations/{id}": "/audit-destinations/siem",
      "/users/{id}": "/users/2",
      "/tokens/{id}": `/tokens/${made.body.id}`
    }
    // Those of signing in are good for whom they name alone: signIn.test.ts.
    const aboutSigningIn = ["/sign-in", "/sign-in/link", "/sign-in/forgotten", "/password"]
    const statuses: Record<string, number> = {}
    for (const [path, operations] of Object.entries(paths)) {
      for (const [method, { requestBody }] of Object.entries(operations)) {
        const json = requestBody?.content["application/json"]?.example
        if (json === undefined || aboutSigningIn.includes(path)) continue
        let target = path
        for (const [template, real] of Object.entries(here)) target = target.replace(template, real)
        const call = `${method.toUpperCase()} ${target}`
        statuses[call] = (await world.ask(call, { json })).status
        // The transcript of a trimmed recording does not change.
        if (path.endsWith("/trim")) await world.ask(`DELETE ${target}`)
      }
    }
    expect(Object.keys(statuses)).toHaveLength(29)
    expect(Object.entries(statuses).filter(([, status]) => status >= 300)).toEqual([])
  })
})
