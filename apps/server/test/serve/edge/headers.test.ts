import { expect, test } from "vitest"
import { listening } from "../../support/command.ts"
import { asAdmin, recording, startedWith } from "../../support/people.ts"

test("every response has the security and cache headers", async () => {
  const { view } = await listening(startedWith({ folders: [{ id: "a", name: "A" }] }))
  const headersOf = async (path: string, headers: Record<string, string> = asAdmin) => {
    const answer = await fetch(`${view.base_url}${path}`, { headers })
    await answer.arrayBuffer()
    expect(answer.headers.get("x-content-type-options"), path).toBe("nosniff")
    // The console sends its origin with requests to the API.
    expect(answer.headers.get("referrer-policy"), path).toBe(path === "/" ? "same-origin" : "no-referrer")
    expect(answer.headers.get("x-frame-options"), path).toBe("DENY")
    expect(answer.headers.get("content-security-policy"), path).toContain("frame-ancestors 'none'")
    expect(answer.headers.has("strict-transport-security"), path).toBe(false)
    return answer.headers
  }
  for (const path of ["/api/v2/recordings", "/api/v1/recordings", "/api/settings/folders", "/api/v2/nothing"]) {
    expect((await headersOf(path)).get("cache-control"), path).toBe("no-store")
    expect((await headersOf(path, {})).get("cache-control"), path).toBe("no-store")
  }
  for (const path of ["/", `/r/${recording}`, "/r/unknown", "/api/docs"]) {
    const policy = (await headersOf(path)).get("content-security-policy")
    expect(policy, path).toMatch(/^default-src 'none'; /)
    expect(policy?.match(/frame-ancestors/g), path).toHaveLength(1)
  }
  expect((await headersOf("/readyz")).get("cache-control")).toBe("no-store")
  await headersOf(`/r/${recording}/embed`)
  await fetch(`${view.base_url}/api/settings/account`, {
    method: "PATCH",
    headers: { ...asAdmin, "content-type": "application/json" },
    body: JSON.stringify({ embed_origins: ["https://help.acme.test"] })
  })
  const embed = await fetch(`${view.base_url}/r/${recording}/embed`)
  await embed.arrayBuffer()
  expect(embed.headers.get("content-security-policy")).toMatch(/; frame-ancestors https:\/\/help\.acme\.test$/)
  expect([embed.status, embed.headers.has("x-frame-options")]).toEqual([200, false])
})

test("all responses of v1, and no others, announce the deprecation and the end that the operator sets", async () => {
  const { view } = await listening([...startedWith(), "--v1-deprecation", "2027-01-01/2028-06-30"])
  const announced = async (path: string, headers: Record<string, string> = asAdmin) => {
    const answer = await fetch(`${view.base_url}${path}`, { headers })
    await answer.arrayBuffer()
    return [answer.status, answer.headers.get("deprecation"), answer.headers.get("sunset")]
  }
  const both = ["@1798761600", "Fri, 30 Jun 2028 00:00:00 GMT"]
  expect(await announced("/api/v1/recordings")).toEqual([200, ...both])
  expect(await announced("/api/v1/nope")).toEqual([404, ...both])
  expect(await announced("/api/v1/recordings", {})).toEqual([401, ...both])
  for (const path of ["/api/v2/recordings", "/api/settings/folders", "/"])
    expect(await announced(path), path).toEqual([200, null, null])
})
