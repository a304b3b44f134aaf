import { Context, Option } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { AuditEvents } from "../src/about.ts"
import { operationOf, settings, v1, v2 } from "../src/index.ts"

interface Api {
  readonly groups: Readonly<Record<string, { readonly endpoints: Readonly<Record<string, HttpApiEndpoint.Top>> }>>
}

const endpointsOf = ({ groups }: Api) => Object.values(groups).flatMap(({ endpoints }) => Object.values(endpoints))

const eventsOf = ({ annotations }: HttpApiEndpoint.Top) =>
  Option.getOrElse(Context.getOption(annotations as Context.Context<AuditEvents>, AuditEvents), () => [])

describe("operations", () => {
  it("allow members to read, and only admins to update and to see users (General rule 6, R4)", () => {
    const permissions = endpointsOf(v2.Api).map((endpoint) => {
      const operation = operationOf(endpoint)
      return [operation?.id, operation?.permission]
    })
    expect(Object.fromEntries(permissions)).toEqual({
      "recordings.list": "member",
      "recordings.get": "member",
      "recordings.update": "admin",
      "recordings.download": "member",
      "recordings.transcript": "member",
      "users.list": "admin",
      "users.search": "admin"
    })
  })

  it.each([
    ["v1", v1.Api],
    ["v2", v2.Api],
    ["settings", settings.Api]
  ])("each endpoint of %s says who may call it, by an id of its own", (_, api: Api) => {
    const ids = endpointsOf(api).flatMap((endpoint) => operationOf(endpoint)?.id ?? [])
    expect(new Set(ids).size).toBe(ids.length)
  })

  it("that change something write an audit event (A4), and so do those that show a secret or a video", () => {
    const endpoints = [v2.Api, settings.Api].flatMap((api: Api) => endpointsOf(api))
    const id = (endpoint: HttpApiEndpoint.Top) => operationOf(endpoint)?.id ?? endpoint.path
    const silent = endpoints.filter((endpoint) => endpoint.method !== "GET" && eventsOf(endpoint).length === 0)
    // A mark of what its reader has opened changes nothing for others.
    expect(silent.map(id)).toEqual(["recordings.markSeen", "/api/settings/sign-in/forgotten"])
    const shown = endpoints.filter((endpoint) => endpoint.method === "GET" && eventsOf(endpoint).length > 0)
    expect(shown.map(id)).toEqual([
      "recordings.download",
      "recordings.download",
      "automations.viewSecret",
      "auditDestinations.viewSecret",
      "tokens.get"
    ])
  })
})
