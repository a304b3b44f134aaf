import { getCACertificates, setDefaultCACertificates } from "node:tls"
import type { settingsUseCases, UploadPolicy, useCases } from "@tapedeck/core"
import { Effect, Exit, Layer, Scope } from "effect"
import { afterAll, afterEach, beforeAll, describe, expect, expectTypeOf, it } from "vitest"
import { Guard, type makeDispatcher, type makeTestSender, Sender } from "../src/index.ts"
import { layerNetwork, type NetworkOptions } from "../src/network/index.ts"
import { cert } from "./support/certificate.ts"
import { closeReceivers, httpReceiver, httpsReceiver } from "./support/receivers.ts"

const before = getCACertificates("default")
beforeAll(() => setDefaultCACertificates([...before, cert]))
afterAll(() => setDefaultCACertificates(before))

const scope = Scope.makeUnsafe()
afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
afterEach(closeReceivers)

const openGuarded = async (options: NetworkOptions) => {
  const context = await Effect.runPromise(Layer.buildWithScope(layerNetwork(options), scope))
  const run = <A>(effect: Effect.Effect<A, never, Guard | Sender>) => Effect.runPromise(Effect.provide(effect, context))
  return {
    check: (url: string) => run(Effect.flatMap(Guard, ({ check }) => check(url))),
    send: (url: string) =>
      run(
        Effect.flatMap(Sender, ({ send }) =>
          send(
            { method: "POST", url, headers: [], body: Buffer.from("x"), text: "x" },
            { startedAt: 0 as never, timeoutMs: 20_000 }
          )
        )
      )
  }
}

describe("the guarded network", () => {
  it("dials addresses of the allow-list, over TLS, and no other address on loopback", async () => {
    const receiver = await httpsReceiver((response) => response.end("ok"))
    const allowed = await openGuarded({ allow: ["127.0.0.1/32"] })
    expect(await allowed.check(receiver.url)).toBeNull()
    expect(await allowed.send(receiver.url)).toMatchObject({ outcome: "success", statusCode: 200 })
    const closed = await openGuarded({})
    expect(await closed.check(receiver.url)).toBe("webhooks may not go to 127.0.0.1: it is a loopback address")
    expect(await closed.send(receiver.url)).toMatchObject({
      outcome: "blocked",
      error: "webhooks may not go to 127.0.0.1: it is a loopback address"
    })
    expect(receiver.connections).toHaveLength(1)
  })

  it("sends nothing over plain HTTP, whether or not the caller checked it", async () => {
    const { send } = await openGuarded({ allow: ["127.0.0.1/32"] })
    expect(await send("http://127.0.0.1:1/")).toMatchObject({
      outcome: "blocked",
      error: "webhooks go by HTTPS only"
    })
  })

  it("sends over plain HTTP if it is allowed, to the addresses that are allowed and no others", async () => {
    const receiver = await httpReceiver((response) => response.end("ok"))
    const allowed = await openGuarded({ allow: ["127.0.0.1/32"], allowHttp: true })
    expect(await allowed.check(receiver.url)).toBeNull()
    expect(await allowed.send(receiver.url)).toMatchObject({ outcome: "success", statusCode: 200 })
    const closed = await openGuarded({ allowHttp: true })
    expect(await closed.send(receiver.url)).toMatchObject({
      outcome: "blocked",
      error: "webhooks may not go to 127.0.0.1: it is a loopback address"
    })
    expect(await allowed.check("ftp://127.0.0.1/")).toBe("webhooks go by HTTPS only")
    expect(receiver.connections).toHaveLength(1)
  })

  it("has to be named where deliveries are sent, as how uploads are judged has to be", () => {
    expectTypeOf<Guard>().toExtend<Effect.Services<ReturnType<typeof makeDispatcher | typeof makeTestSender>>>()
    expectTypeOf<UploadPolicy>().toExtend<Layer.Services<typeof useCases>>()
    expectTypeOf<UploadPolicy>().toExtend<Layer.Services<typeof settingsUseCases>>()
  })

  it("checks every address that it dials, also through a proxy, whether or not the caller checked it", async () => {
    // No process listens there: an attempt that got that far would be refused.
    for (const options of [{}, { proxy: "http://127.0.0.1:1" }]) {
      const { send } = await openGuarded(options)
      for (const host of ["10.0.0.1", "127.1", "[::1]", "[::ffff:7f00:1]", "localhost", "169.254.169.254"]) {
        expect(await send(`https://${host}/`), host).toMatchObject({ outcome: "blocked" })
      }
    }
  })
})
