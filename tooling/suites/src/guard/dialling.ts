import { dnsResolver, type NetworkOptions } from "@tapedeck/dispatcher/network"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { type NameServer, nameServer, type Zone } from "./nameServer.ts"
import { closeReceivers, forwardProxy, tlsReceiver } from "./receivers.ts"
import { type ServerWay, serverWay } from "./serverWay.ts"

const success = { outcome: "success", error: null }
const leadsToLoopback = "webhooks may not go to receiver.test: it leads to a loopback address"

/** What the guard makes of names: whatever they mean, only addresses that were judged are dialled, and those once. */
export const dialling = (): void => {
  const ways: Array<ServerWay> = []
  const servers: Array<NameServer> = []
  afterEach(async () => {
    await Promise.all(ways.splice(0).map((way) => way.close()))
    await closeReceivers()
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })

  const opened = (options: NetworkOptions): ServerWay => {
    const way = serverWay(options)
    ways.push(way)
    return way
  }

  /** A server that asks a name server of the test's own, and may call 127.0.0.2 and no other address of loopback. */
  const withZone = async (zone: Zone, options: NetworkOptions = { allow: ["127.0.0.2"] }, ttlSeconds = 0) => {
    const names = await nameServer(zone, ttlSeconds)
    servers.push(names)
    return { names, way: opened({ ...options, resolve: dnsResolver({ servers: [names.address] }) }) }
  }

  /** Two receivers on one port: the one that may be called, and the one that may not. */
  const twoReceivers = async () => {
    while (true) {
      const good = await tlsReceiver("127.0.0.2")
      // Another process may have that port of 127.0.0.1.
      const bad = await tlsReceiver("127.0.0.1", good.port).catch(() => null)
      if (bad !== null) return { good, bad, url: `https://receiver.test:${good.port}/hook` }
    }
  }

  describe("the server's resolution of a host name", () => {
    test("dials the first answer, and does not resolve again, if a second answer would be 127.0.0.1", async () => {
      const { bad, good, url } = await twoReceivers()
      const { names, way } = await withZone({ "receiver.test": (nth) => [nth === 0 ? "127.0.0.2" : "127.0.0.1"] })
      expect(await way.attempt(url)).toEqual(success)
      expect([good.requests(), bad.connections()]).toEqual([1, 0])
      expect(names.asked.toSorted()).toEqual(["A receiver.test", "AAAA receiver.test"])
    })

    test("blocks a name that resolves to 127.0.0.1 by the time of the next connection", async () => {
      const { bad, good, url } = await twoReceivers()
      const { way } = await withZone({ "receiver.test": (nth) => [nth === 0 ? "127.0.0.2" : "127.0.0.1"] })
      expect(await way.attempt(url)).toEqual(success)
      // The connection that was made to the address that was judged may be used again; another is judged anew.
      good.disconnect()
      await expect.poll(() => way.attempt(url)).toEqual({ outcome: "blocked", error: leadsToLoopback })
      expect(await way.sendTest(url)).toEqual({ outcome: "blocked", error: leadsToLoopback })
      expect(bad.connections()).toBe(0)
    })

    test.each([
      ["first", ["127.0.0.1", "127.0.0.2"]],
      ["last", ["127.0.0.2", "127.0.0.1"]],
      ["of another family", ["127.0.0.2", "::1"]],
      ["in the middle", ["127.0.0.2", "10.0.0.1", "127.0.0.2"]]
    ])("blocks a host with a refused address among allowed ones, %s, without a connection", async (_, addresses) => {
      const { bad, good, url } = await twoReceivers()
      const { way } = await withZone({ "receiver.test": () => addresses })
      expect(await way.attempt(url)).toMatchObject({
        outcome: "blocked",
        error: expect.stringMatching(
          /^webhooks may not go to receiver\.test: it leads to a (loopback|private) address$/
        )
      })
      expect([good.connections(), bad.connections()]).toEqual([0, 0])
    })

    test.each([
      ["169.254.169.254", "a link-local address"],
      ["10.1.2.3", "a private address"],
      ["0.0.0.0", "an unspecified address"],
      ["64:ff9b::7f00:1", "an IPv4 address behind a translator (NAT64)"],
      ["::ffff:7f00:1", "an IPv4 address in IPv6 spelling"],
      ["fd00:ec2::254", "a private address"]
    ])("blocks a host name that resolves to %s, with an error that names only the kind: %s", async (address, kind) => {
      const { way } = await withZone({ "internal.receiver.test": () => [address] })
      const expected = {
        outcome: "blocked",
        error: `webhooks may not go to internal.receiver.test: it leads to ${kind}`
      }
      expect(await way.attempt("https://internal.receiver.test/hook")).toEqual(expected)
      expect(await way.sendTest("https://internal.receiver.test/hook")).toEqual(expected)
    })

    test("reports an unknown host name as a DNS failure", async () => {
      const { way } = await withZone({})
      expect(await way.attempt("https://missing.test/hook")).toEqual({
        outcome: "dns",
        error: "the host name was not resolved (ENOTFOUND)"
      })
    })

    test("reports a name without an address as a DNS failure", async () => {
      const { way } = await withZone({ "receiver.test": () => [] })
      expect(await way.attempt("https://receiver.test/hook")).toEqual({
        outcome: "dns",
        error: "the host name was not resolved (ENODATA)"
      })
    })

    test("reports a name whose name server cannot be reached as a DNS failure, not as a refused connection", async () => {
      const way = opened({ resolve: () => Promise.reject(Object.assign(new Error("no"), { code: "ECONNREFUSED" })) })
      expect(await way.attempt("https://receiver.test/hook")).toMatchObject({ outcome: "dns" })
    })

    test("resolves a name again after its time to live, and not before", async () => {
      const { good, url } = await twoReceivers()
      const { names, way } = await withZone({ "receiver.test": () => ["127.0.0.2"] }, undefined, 3_600)
      await Promise.all([way.attempt(url), way.attempt(url), way.attempt(url)])
      expect(good.requests()).toBe(3)
      expect(names.asked).toHaveLength(2)
    })

    test("treats a name with a trailing full stop as the same name", async () => {
      const { good } = await twoReceivers()
      const { way } = await withZone({ "receiver.test": () => ["127.0.0.2"] })
      expect(await way.attempt(`https://receiver.test.:${good.port}/hook`)).toEqual(success)
    })
  })

  describe("the server's allow-list", () => {
    test.each([["127.0.0.2"], ["127.0.0.2/32"], ["127.0.0.0/8"], ["10.0.0.0/8, 127.0.0.0/30"]])(
      "%s allows its addresses, and the names that resolve to them",
      async (list) => {
        const good = await tlsReceiver("127.0.0.2")
        const { way } = await withZone({ "receiver.test": () => ["127.0.0.2"] }, { allow: list.split(",") })
        expect(await way.attempt(`https://127.0.0.2:${good.port}/hook`)).toEqual(success)
        expect(await way.attempt(`https://receiver.test:${good.port}/hook`)).toEqual(success)
        expect(await way.sendTest(`https://receiver.test:${good.port}/hook`)).toEqual(success)
      }
    )

    test("allows its addresses in every spelling of a URL, and in its own address family only", async () => {
      const good = await tlsReceiver("127.0.0.1")
      const way = opened({ allow: ["127.0.0.1"] })
      for (const host of ["127.1", "2130706433", "0x7f.1", "127.0.0.1"]) {
        expect(await way.attempt(`https://${host}:${good.port}/`)).toEqual(success)
      }
      expect(await way.attempt(`https://[::ffff:127.0.0.1]:${good.port}/`)).toMatchObject({ outcome: "blocked" })
    })

    test.each([["127.0.0.3"], ["128.0.0.0/8"], ["::/0"], ["127.0.0.4/30"]])(
      "%s allows no other address",
      async (entry) => {
        const way = opened({ allow: [entry] })
        expect(await way.attempt("https://127.0.0.2/")).toMatchObject({ outcome: "blocked" })
      }
    )

    test.each([
      "127.0.0.1/33",
      "10",
      "0x7f.1",
      "localhost",
      "10.0.0.0/8/8",
      "fe80::1%eth0",
      "::1/129",
      "",
      "10.0.0.0/"
    ])("%j is refused with its name", async (entry) => {
      const way = opened({ allow: [entry] })
      await expect(way.attempt("https://127.0.0.1/")).rejects.toThrow(
        `"${entry}" is neither an IP address nor a CIDR block`
      )
      ways.splice(0)
    })
  })

  test("the server does not follow a redirect to its own machine (W5)", async () => {
    const bad = await tlsReceiver("127.0.0.1")
    const location = `https://127.0.0.1:${bad.port}/`
    const good = await tlsReceiver("127.0.0.2", 0, { status: 307, headers: { location } })
    const way = opened({ allow: ["127.0.0.2"] })
    expect(await way.attempt(`https://127.0.0.2:${good.port}/`)).toMatchObject({ outcome: "failure" })
    expect([good.requests(), bad.connections()]).toEqual([1, 0])
  })

  describe("the server's proxy", () => {
    const names = [
      "HTTP_PROXY",
      "HTTPS_PROXY",
      "ALL_PROXY",
      "http_proxy",
      "https_proxy",
      "all_proxy",
      "NODE_USE_ENV_PROXY"
    ]
    const before = names.map((name) => process.env[name])
    beforeEach(() => {
      for (const name of names) delete process.env[name]
    })
    afterEach(() => {
      names.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name]
        else process.env[name] = before[index]
      })
    })

    test("is not read from the environment", async () => {
      const good = await tlsReceiver("127.0.0.1")
      const proxy = await forwardProxy(good.port)
      for (const name of names)
        process.env[name] = name === "NODE_USE_ENV_PROXY" ? "1" : `http://127.0.0.1:${proxy.port}`
      const way = opened({ allow: ["127.0.0.1"] })
      expect(await way.attempt(`https://127.0.0.1:${good.port}/`)).toEqual(success)
      expect([good.requests(), proxy.asked]).toEqual([1, []])
    })

    test("gets names unresolved, by CONNECT, with its own credentials", async () => {
      const good = await tlsReceiver("127.0.0.1")
      const proxy = await forwardProxy(good.port)
      const way = opened({ proxy: `http://user:p%40ss@127.0.0.1:${proxy.port}` })
      expect(await way.attempt("https://receiver.test/hook")).toEqual(success)
      expect(await way.sendTest("https://receiver.test:8443/hook")).toEqual(success)
      expect(proxy.asked).toEqual(["CONNECT receiver.test:443", "CONNECT receiver.test:8443"])
      expect(proxy.authorizations[0]).toBe(`Basic ${Buffer.from("user:p@ss").toString("base64")}`)
      expect(good.requests()).toBe(2)
    })

    test("gets no request for a URL that is refused", async () => {
      const proxy = await forwardProxy(1)
      const way = opened({ proxy: `http://127.0.0.1:${proxy.port}` })
      for (const host of ["10.0.0.1", "0x7f.1", "[::ffff:7f00:1]", "localhost", "a.localhost.", "169.254.169.254"]) {
        expect(await way.attempt(`https://${host}/`)).toMatchObject({ outcome: "blocked" })
      }
      expect(proxy.asked).toEqual([])
    })

    test("gives refused connections if it refuses, and if it does not exist", async () => {
      const proxy = await forwardProxy(1)
      expect(await opened({ proxy: `http://127.0.0.1:${proxy.port}` }).attempt("https://refused.test/")).toEqual({
        outcome: "refused",
        error: "the proxy refused the connection (403)"
      })
      await closeReceivers()
      expect(await opened({ proxy: `http://127.0.0.1:${proxy.port}` }).attempt("https://receiver.test/")).toEqual({
        outcome: "refused",
        error: "the proxy was not reached (ECONNREFUSED)"
      })
    })

    test.each(["socks5://127.0.0.1:1080", "127.0.0.1:3128", "http://proxy/path", "http://user:secret@proxy/?q"])(
      "%j is refused at start, without its password in the error",
      async (proxy) => {
        const way = opened({ proxy })
        const error = await way.attempt("https://receiver.test/").catch((thrown: unknown) => String(thrown))
        expect(error).toContain("the proxy must be a URL like http://proxy.internal:3128")
        expect(error).not.toContain("secret")
        ways.splice(0)
      }
    )
  })
}
