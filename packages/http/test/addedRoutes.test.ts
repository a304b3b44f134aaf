import { Context, Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"
import { describe, expect, it } from "vitest"
import { type AuthenticatedRequest, makeProductApp, makeRouteTable } from "../src/index.ts"
import { wholeProduct } from "../src/node/index.ts"
import { makeWorld } from "./world.ts"

const table = makeRouteTable({
  roots: wholeProduct.roots,
  endpoints: [
    ...wholeProduct.endpoints,
    {
      methods: ["POST", "HEAD", "OPTIONS"],
      path: "/api/settings/recordings/:uuid/extra",
      operation: { id: "recordings.extra", permission: "member" },
      answer: ({ caller, params: { uuid }, request: { method } }: AuthenticatedRequest) =>
        Effect.succeed(
          HttpServerResponse.text("", { headers: { "x-seen": `${method} ${uuid} by ${caller.user.email}` } })
        )
    },
    {
      methods: ["GET"],
      path: "/api/settings/admins",
      operation: { id: "admins.list", permission: "admin" },
      answer: () => Effect.succeed(HttpServerResponse.text("for admins"))
    }
  ]
})
const app = makeProductApp(table)
const handler = HttpEffect.toWebHandlerWith<never, Effect.Services<typeof app>>(Context.empty())(app)

const asked = async (method: string, path: string, as: string | null = "bob") => {
  const { context } = await makeWorld()
  const headers = as === null ? {} : { authorization: `Bearer ${as}-token` }
  const response = await handler(new Request(`http://x${path}`, { method, headers }), context)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe("an added endpoint", () => {
  const path = "/api/settings/recordings/7/extra"

  it.each(["POST", "HEAD", "OPTIONS"])("gets a %s request with its caller and parameters", async (method) => {
    const { headers, status } = await asked(method, path)
    expect([status, headers.get("x-seen")]).toEqual([200, `${method} 7 by bob@acme.test`])
    expect(headers.get("x-request-id")).toBeTruthy()
  })

  it("is subject to the common refusals: 401, 405 with the allowed methods, 403 by account and by role, 404 beside it", async () => {
    expect((await asked("POST", path, null)).status).toBe(401)
    const wrong = await asked("GET", path)
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "HEAD, OPTIONS, POST"])
    expect(await asked("POST", path, "ned")).toMatchObject({
      status: 403,
      text: '{"error":"API access is not enabled for this account"}'
    })
    expect((await asked("GET", "/api/settings/admins")).status).toBe(403)
    expect((await asked("GET", "/api/settings/admins", "ada")).text).toBe("for admins")
    expect((await asked("POST", `${path}/more`)).status).toBe(404)
  })

  it("does not replace endpoints of the contract", async () => {
    expect((await asked("GET", "/api/v2/recordings")).status).toBe(200)
    expect((await asked("GET", "/api/settings/openapi.json", null)).status).toBe(200)
  })
})
