import { describe, expect, it } from "vitest"
import { openApiSettings } from "../src/index.ts"

const document = openApiSettings({ vendor: "Tapedeck" })

const statuses = (method: string, path: string) =>
  Object.keys(document.paths[path]?.[method]?.responses ?? {}).map(Number)

/** What any request may be answered. */
const any = [401, 403, 405, 413, 414, 429, 500]
/** What a JSON body may be refused with. */
const body = [400, 415, 422]

describe("the settings API's endpoints and their statuses", () => {
  it.each([
    ["get", "/folders", [200, 400]],
    ["post", "/folders", [201, ...body]],
    ["get", "/folders/{id}", [200, 404]],
    ["patch", "/folders/{id}", [200, 404, ...body]],
    ["delete", "/folders/{id}", [204, 404]],
    ["get", "/folders/{id}/recordings", [200, 400, 404]],
    ["get", "/recordings", [200, 400]],
    ["post", "/recordings", [201, ...body]],
    ["get", "/recordings/{uuid}", [200, 404]],
    ["patch", "/recordings/{uuid}", [200, 404, ...body]],
    ["delete", "/recordings/{uuid}", [204, 404]],
    ["get", "/recordings/{uuid}/video", [200, 206, 304, 404, 409, 416]],
    ["put", "/recordings/{uuid}/video", [200, 400, 404, 415, 422, 507]],
    ["put", "/recordings/{uuid}/folder", [200, 404, ...body]],
    ["delete", "/recordings/{uuid}/folder", [204, 404]],
    ["get", "/recordings/{uuid}/transcript", [200, 404]],
    ["put", "/recordings/{uuid}/transcript", [200, 404, 409, ...body]],
    ["put", "/recordings/{uuid}/transcript/import", [200, 400, 404, 415, 422]],
    ["post", "/recordings/{uuid}/transcript/request", [200, 404, 409]],
    ["get", "/audit-entries", [200, 400]],
    ["get", "/audit-entries/{id}", [200, 404]],
    ["get", "/tokens", [200, 400]],
    ["post", "/tokens", [201, ...body]],
    ["get", "/tokens/{id}", [200, 404]],
    ["patch", "/tokens/{id}", [200, 404, ...body]],
    ["delete", "/tokens/{id}", [204, 404]],
    ["get", "/users", [200, 400]],
    ["post", "/users", [201, ...body]],
    ["get", "/users/{id}", [200, 404]],
    ["patch", "/users/{id}", [200, 404, 409, ...body]],
    ["post", "/users/{id}/deactivate", [200, 404, 409]],
    ["post", "/users/{id}/reactivate", [200, 404]],
    ["get", "/account", [200]],
    ["patch", "/account", [200, ...body]],
    ["get", "/deliveries/{id}/explain", [200, 404]],
    ["delete", "/audit-destinations/{id}/secret", [204, 404]],
    ["post", "/users/{id}/password-link", [201, 404, 409]],
    ["get", "/session", [200]],
    ["get", "/sessions", [200]],
    ["delete", "/sessions", [204]],
    ["delete", "/sessions/{id}", [204, 404]],
    ["post", "/sign-out", [204]],
    ["post", "/password", [204, ...body]]
  ])("%s %s", (method, path, own) => {
    expect(statuses(method, path)).toEqual([...own, ...any].sort())
  })

  it.each([
    ["/sign-in", [200, 401]],
    ["/sign-in/link", [200, 404]],
    ["/sign-in/forgotten", [202, 409]]
  ])("post %s, which takes no token", (path, own) => {
    expect(statuses("post", path)).toEqual([...own, ...body, ...any.filter((status) => status !== 401)].sort())
  })

  it.each(["/automations", "/audit-destinations"])("%s and what is below it", (root) => {
    expect(statuses("get", root)).toEqual([200, 400, ...any].sort())
    expect(statuses("post", root)).toEqual([201, ...body, ...any].sort())
    expect(statuses("get", `${root}/{id}`)).toEqual([200, 404, ...any].sort())
    expect(statuses("patch", `${root}/{id}`)).toEqual([200, 404, ...body, ...any].sort())
    expect(statuses("delete", `${root}/{id}`)).toEqual([204, 404, ...any].sort())
    expect(statuses("get", `${root}/{id}/secret`)).toEqual([200, 404, ...any].sort())
    expect(statuses("post", `${root}/{id}/secret/rotate`)).toEqual([200, 404, 409, ...body, ...any].sort())
    expect(statuses("get", `${root}/{id}/explain`)).toEqual([200, 400, 404, ...any].sort())
    expect(statuses("post", `${root}/{id}/test`)).toEqual([200, 404, ...any].sort())
    expect(statuses("get", `${root}/{id}/deliveries`)).toEqual([200, 400, 404, ...any].sort())
    expect(statuses("get", `${root}/{id}/deliveries/{delivery_id}`)).toEqual([200, 404, ...any].sort())
    expect(statuses("post", `${root}/{id}/deliveries/{delivery_id}/redeliver`)).toEqual([201, 404, 409, ...any].sort())
  })

  it("are these and no other", () => {
    const operations = Object.values(document.paths).flatMap((operations) => Object.keys(operations))
    expect(operations).toHaveLength(43 + 3 + 2 * 12)
  })
})

it("names each schema once: a second one of the same name would be another shape", () => {
  const doubled = Object.keys(document.components.schemas).filter((name) => /_\d+$/.test(name))
  expect(doubled).toEqual([])
})

it("shows no secret but where one is viewed or given", () => {
  const shown = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { responses }]) =>
      /whsec_\w|tdk_\w/.test(JSON.stringify(responses)) ? [`${method} ${path}`] : []
    )
  )
  const viewing = [
    "get /audit-destinations/{id}/secret",
    "get /automations/{id}/secret",
    "get /tokens/{id}",
    "post /tokens"
  ]
  expect(shown.toSorted()).toEqual(viewing)
})
