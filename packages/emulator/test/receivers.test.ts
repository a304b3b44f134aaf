import { Effect } from "effect"
import { describe, expect, test } from "vitest"
import { receiverGuard, receiverRules } from "../src/deliveries/receivers.ts"
import { sinkAt, sinkUrl } from "../src/sinks/Sinks.ts"

const called = (allow: ReadonlyArray<string>, urls: ReadonlyArray<string>) => urls.filter(receiverRules(allow))

describe("Real receivers", () => {
  test("are allowed on loopback, in any spelling and on any port", () => {
    const loopback = [
      "http://localhost:3000/hook",
      "https://LOCALHOST/hook",
      "http://app.localhost/",
      "http://127.0.0.1/",
      "http://127.9.8.7:65535/",
      "http://[::1]:8080/",
      "http://[0:0:0:0:0:0:0:1]/",
      "http://0x7f.1/",
      "http://2130706433/",
      "http://[::ffff:127.0.0.1]/"
    ]
    expect(called([], loopback)).toEqual(loopback)
  })

  test("are refused at other addresses, so that a copied fixture cannot call a customer's endpoint", () => {
    expect(
      called(
        [],
        [
          "https://hooks.customer.test/x",
          "https://localhost.customer.test/",
          "https://notlocalhost/",
          "http://128.0.0.1/",
          "http://10.0.0.1/",
          "http://0.0.0.0/",
          "http://169.254.169.254/latest",
          "http://[::2]/",
          "http://[fe80::1]/",
          "http://[::ffff:10.0.0.1]/",
          "http://localhost@customer.test/",
          "no url"
        ]
      )
    ).toEqual([])
  })

  test("are allowed if allow_receivers names them: host names, addresses, CIDRs", () => {
    const allow = ["Receiver", "hooks.customer.test", "10.1.0.0/16", "192.0.2.7", "2001:db8::/32", "fd00::1"]
    const named = [
      "http://receiver:8080/hook",
      "https://HOOKS.customer.test/",
      "http://10.1.255.3/",
      "http://192.0.2.7/",
      "http://[2001:db8:ffff::1]/",
      "http://[fd00::1]/"
    ]
    expect(called(allow, named)).toEqual(named)
    expect(
      called(allow, [
        "http://other/",
        "https://a.hooks.customer.test/",
        "http://10.2.0.1/",
        "http://192.0.2.8/",
        "http://[2001:db9::1]/",
        "http://[fd00::2]/"
      ])
    ).toEqual([])
  })

  test("are checked by the guard, like sinks, and refused with a reason", async () => {
    const guard = receiverGuard([])
    const check = (url: string) => Effect.runPromise(guard.check(url))
    expect([await check("http://127.0.0.1:1/"), await check(sinkUrl("crm"))]).toEqual([null, null])
    expect(await check("https://hooks.customer.test/")).toBe(
      "the emulator calls sinks, loopback and the receivers in allow_receivers only"
    )
  })
})

describe("A sink's URL", () => {
  test("contains its escaped id, and may have a path", () => {
    for (const id of ["crm", "a b/c", "ü"]) expect(sinkAt(sinkUrl(id))?.id).toBe(id)
    expect(sinkAt(`${sinkUrl("crm")}/hook?x=1`)).toEqual({ id: "crm", path: "/crm/hook?x=1" })
    expect(sinkAt("https://sinks.tapedeck.test.evil.test/crm")).toBeNull()
    expect(sinkAt("http://sinks.tapedeck.test/crm")).toBeNull()
  })
})
