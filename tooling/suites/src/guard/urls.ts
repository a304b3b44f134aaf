import { describe, expect, test } from "vitest"
import {
  badAddresses,
  loopbackSpellings,
  mappedLoopback,
  metadataAddresses,
  oddSpellings,
  otherSchemes,
  publicAddresses,
  trickyUrls,
  wrappedLoopback
} from "./addresses.ts"
import type { ServerWay } from "./serverWay.ts"
import type { Way } from "./Way.ts"

const hosts = [...badAddresses, ...metadataAddresses, ...oddSpellings, ...wrappedLoopback]

/** Every way: no address that is not the public internet's is called, however it is spelled, loopback itself left aside. */
export const blockedAddresses = (way: Way): void => {
  describe(`${way.name}: a blocked attempt`, () => {
    test.each(hosts.map(([host]) => host))("blocks %s, by the schedule and as a send-test", async (host) => {
      expect(await way.attempt(`https://${host}/hook`)).toMatchObject({ outcome: "blocked" })
      expect(await way.sendTest(`https://${host}:8443/hook`)).toMatchObject({ outcome: "blocked" })
    })
  })
}

/** The server's: nothing of this machine is called either, and what is blocked is told why. */
export const blockedUrls = (way: ServerWay): void => {
  const blocked = async (url: string, why: RegExp) => {
    const expected = { outcome: "blocked", error: expect.stringMatching(why) }
    expect(await way.attempt(url)).toEqual(expected)
    expect(await way.sendTest(url)).toEqual(expected)
  }

  describe(`${way.name}: the reason of a blocked attempt`, () => {
    test.each([...hosts, ...mappedLoopback])("blocks %s: %s", (host, why) => blocked(`https://${host}/hook`, why))

    test.each(loopbackSpellings)("blocks this machine, written as %s", (host) =>
      blocked(`https://${host}/hook`, /^webhooks may not go to [^ ]+: it (is|leads to) a loopback address$/)
    )

    test.each(trickyUrls)("blocks %j: %s", blocked)

    test.each(otherSchemes)("blocks %s, because only HTTPS is allowed", (url) =>
      blocked(url, /^webhooks go by HTTPS only$/)
    )
  })

  test(`${way.name}: the reason names the host and no other part of the URL`, async () => {
    const { error } = await way.attempt("https://10.0.0.1:8443/path-secret?query=secret#fragment-secret")
    expect(error).toBe("webhooks may not go to 10.0.0.1: it is a private address")
  })
}

/** What of the public internet is next to what is not. Nothing of it is called. */
export const openAddresses = (check: (url: string) => Promise<string | null>): void => {
  test.each(publicAddresses)("the server allows %s", async (host) => {
    expect(await check(`https://${host}/hook`)).toBeNull()
  })
}
