import { describe, expect, it } from "vitest"
import { openApiSettings } from "../src/index.ts"

const document = openApiSettings({ vendor: "Tapedeck" })

const statuses = (method: string, path: string) =>
  Object.keys(document.paths[path]?.[method]?.responses ?? {}).map(Number)

/** What any request may be answered: 400 for what it has that the endpoint does not know. */
const any = [400, 401, 403, 405, 413, 414, 429, 500, 503, 507]
/** What a JSON body may be refused with. */
const body = [400, 415, 422]

const sorted = (...all: ReadonlyArray<number>) => [...new Set(all)].sort()

describe("the settings API's endpoints and their statuses", () => {
  it.each([
    ["get", "/folders", [200, 400]],
    ["post", "/folders", [201, 409, ...body]],
    ["get", "/folders/{id}", [200, 404]],
    ["patch", "/folders/{id}", [200, 404, ...body]],
    ["delete", "/folders/{id}", [204, 404]],
    ["get", "/folders/{id}/recordings", [200, 400, 404]],
    ["get", "/recordings", [200, 400, 410]],
    ["post", "/recordings", [201, 409, ...body]],
    ["get", "/recordings/{uuid}", [200, 404]],
    ["get", "/recordings/{uuid}/errors", [200, 404]],
    ["get", "/recordings/{uuid}/folder-deliveries", [200, 404]],
    ["patch", "/recordings/{uuid}", [200, 404, ...body]],
    ["delete", "/recordings/{uuid}", [204, 404]],
    ["get", "/recordings/{uuid}/video", [200, 206, 304, 404, 409, 412, 416]],
    ["put", "/recordings/{uuid}/video", [200, 400, 404, 409, 415, 422]],
    ["put", "/recordings/{uuid}/trim", [200, 404, 409, ...body]],
    ["delete", "/recordings/{uuid}/trim", [200, 404]],
    ["put", "/recordings/{uuid}/folder", [200, 404, ...body]],
    ["delete", "/recordings/{uuid}/folder", [204, 404]],
    ["get", "/recordings/{uuid}/transcript", [200, 404]],
    ["put", "/recordings/{uuid}/transcript", [200, 404, 409, ...body]],
    ["put", "/recordings/{uuid}/transcript/import", [200, 400, 404, 409, 415, 422]],
    ["post", "/recordings/{uuid}/transcript/request", [200, 400, 404, 409, 422]],
    ["post", "/recordings/{uuid}/summary/request", [200, 400, 404, 409, 422]],
    ["put", "/recordings/{uuid}/seen", [204, 404]],
    ["get", "/recordings/{uuid}/sharing", [200, 404]],
    ["put", "/recordings/{uuid}/sharing", [200, 404, ...body]],
    ["post", "/recordings/{uuid}/share-links", [201, 404, 409, ...body]],
    ["delete", "/recordings/{uuid}/share-links/{id}", [204, 404]],
    ["get", "/capture-links", [200, 400]],
    ["post", "/capture-links", [201, 409, ...body]],
    ["get", "/capture-links/{id}", [200, 404]],
    ["patch", "/capture-links/{id}", [200, 404, 409, ...body]],
    ["delete", "/capture-links/{id}", [204, 404]],
    ["get", "/sites", [200, 400]],
    ["post", "/sites", [201, 409, ...body]],
    ["get", "/sites/{id}", [200, 404]],
    ["patch", "/sites/{id}", [200, 404, ...body]],
    ["delete", "/sites/{id}", [204, 404]],
    ["post", "/captures", [201, 409, ...body]],
    ["get", "/recordings/{uuid}/log", [200, 400, 404]],
    ["put", "/recordings/{uuid}/log", [200, 400, 404, 409, 415]],
    ["get", "/recordings/{uuid}/log.har", [200, 404]],
    ["get", "/audit-chain", [200]],
    ["get", "/profile", [200]],
    ["patch", "/profile", [200, ...body]],
    ["get", "/profile/picture", [200, 404]],
    ["put", "/profile/picture", [200, 422]],
    ["delete", "/profile/picture", [204]],
    ["get", "/users/{id}/sessions", [200, 404]],
    ["delete", "/users/{id}/sessions", [204, 404]],
    ["get", "/audit-entries", [200, 400]],
    ["get", "/audit-entries/{id}", [200, 404]],
    ["get", "/tokens", [200, 400]],
    ["post", "/tokens", [201, ...body]],
    ["get", "/tokens/{id}", [200, 404]],
    ["patch", "/tokens/{id}", [200, 404, ...body]],
    ["delete", "/tokens/{id}", [204, 404]],
    ["get", "/users", [200, 400]],
    ["post", "/users", [201, 409, ...body]],
    ["get", "/users/{id}", [200, 404]],
    ["patch", "/users/{id}", [200, 404, 409, ...body]],
    ["post", "/users/{id}/deactivate", [200, 400, 404, 409, 422]],
    ["post", "/users/{id}/reactivate", [200, 400, 404, 409, 422]],
    ["get", "/users/{id}/picture", [200, 404]],
    ["put", "/users/{id}/picture", [200, 404, 422]],
    ["delete", "/users/{id}/picture", [204, 404]],
    ["get", "/account", [200]],
    ["patch", "/account", [200, ...body]],
    ["get", "/deliveries", [200, 400]],
    ["get", "/events", [200, 429, 503]],
    ["get", "/deliveries/{id}", [200, 404]],
    ["get", "/deliveries/{id}/explain", [200, 404]],
    ["post", "/deliveries/{id}/cancel", [200, 400, 404, 409, 422]],
    ["get", "/statistics", [200, 400]],
    ["get", "/redeliveries", [200]],
    ["post", "/redeliveries", [200, 201, 409, ...body]],
    ["get", "/redeliveries/{id}", [200, 404]],
    ["post", "/redeliveries/{id}/stop", [200, 400, 404, 409, 422]],
    ["delete", "/audit-destinations/{id}/secret", [204, 404]],
    ["post", "/users/{id}/password-link", [201, 404, 409]],
    ["get", "/session", [200]],
    ["get", "/sessions", [200]],
    ["delete", "/sessions", [204]],
    ["delete", "/sessions/{id}", [204, 404]],
    ["post", "/sign-out", [204]],
    ["post", "/password", [204, ...body]]
  ])("declares the statuses of %s %s", (method, path, own) => {
    expect(statuses(method, path)).toEqual(sorted(...own, ...any))
  })

  it.each([
    ["/sign-in", [200, 401]],
    ["/sign-in/link", [200, 404]],
    ["/sign-in/forgotten", [202, 409]]
  ])("declares the statuses of post %s, which takes no token", (path, own) => {
    expect(statuses("post", path)).toEqual(sorted(...own, ...body, ...any.filter((status) => status !== 401)))
  })

  it.each(["/automations", "/audit-destinations"])("declares %s and the paths below it", (root) => {
    expect(statuses("get", root)).toEqual(sorted(200, 400, ...any))
    expect(statuses("post", root)).toEqual(sorted(201, 409, ...body, ...any))
    expect(statuses("get", `${root}/{id}`)).toEqual(sorted(200, 404, ...any))
    expect(statuses("patch", `${root}/{id}`)).toEqual(sorted(200, 404, ...body, ...any))
    expect(statuses("delete", `${root}/{id}`)).toEqual(sorted(204, 404, ...any))
    expect(statuses("get", `${root}/{id}/secret`)).toEqual(sorted(200, 404, ...any))
    expect(statuses("post", `${root}/{id}/secret/rotate`)).toEqual(sorted(200, 404, 409, ...body, ...any))
    expect(statuses("get", `${root}/{id}/explain`)).toEqual(sorted(200, 400, 404, ...any))
    expect(statuses("post", `${root}/{id}/test`)).toEqual(sorted(200, 404, ...any))
    expect(statuses("get", `${root}/{id}/deliveries`)).toEqual(sorted(200, 400, 404, ...any))
    expect(statuses("get", `${root}/{id}/deliveries/{delivery_id}`)).toEqual(sorted(200, 404, ...any))
    expect(statuses("post", `${root}/{id}/deliveries/{delivery_id}/redeliver`)).toEqual(
      sorted(201, 400, 404, 409, 422, ...any)
    )
  })

  it("declares no other operations", () => {
    const operations = Object.values(document.paths).flatMap((operations) => Object.keys(operations))
    expect(operations).toHaveLength(87 + 3 + 2 * 12)
  })
})

it("every POST accepts an `Idempotency-Key`, except those of sign-in, sign-out, passwords, tokens, share links and send-tests", () => {
  const posts = Object.entries(document.paths).flatMap(([path, { post }]) =>
    post === undefined ? [] : [{ path, post }]
  )
  const isKeyed = ({ post }: (typeof posts)[number]) => post.parameters.some(({ name }) => name === "Idempotency-Key")
  expect(posts.filter((one) => !isKeyed(one)).map(({ path }) => path)).toEqual([
    "/recordings/{uuid}/share-links",
    "/automations/{id}/test",
    "/audit-destinations/{id}/test",
    "/tokens",
    "/users/{id}/password-link",
    "/sign-in",
    "/sign-in/link",
    "/sign-in/forgotten",
    "/sign-out",
    "/password"
  ])
  const replayed = ({ post }: (typeof posts)[number]) =>
    Object.keys(post.responses).filter((status) => "Idempotency-Replayed" in post.responses[status]!.headers)
  expect(posts.filter(isKeyed).map(replayed)).toEqual(
    posts.filter(isKeyed).map(({ post }) => Object.keys(post.responses).filter((one) => /^(20[01]|404|409)$/.test(one)))
  )
})

it("each schema has a name of its own", () => {
  const doubled = Object.keys(document.components.schemas).filter((name) => /_\d+$/.test(name))
  expect(doubled).toEqual([])
})

it("no response has a secret, except where one is viewed or issued", () => {
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
