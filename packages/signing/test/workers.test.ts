import { signSync } from "@tapedeck/signing"
import { webhook } from "@tapedeck/signing/fetch"
import { describe, expect, test } from "vitest"

interface Env {
  readonly WEBHOOK_SECRET: string
}
interface Context {
  waitUntil(promise: Promise<unknown>): void
}

const request = (secret: string) => {
  const body = "{}"
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = signSync({ scheme: "standard", id: "msg_1", timestamp, body, secret })
  return new Request("https://worker.test/hook", { method: "POST", headers, body })
}

describe("an adapter on Cloudflare Workers", () => {
  const worker = (refused: Array<string> = []) =>
    webhook<Request, [env: Env, ctx: Context]>(
      { secret: (env) => env.WEBHOOK_SECRET, onRefused: ({ code }) => void refused.push(code) },
      (delivery, _request, env, ctx) => {
        ctx.waitUntil(Promise.resolve([delivery.scheme, env.WEBHOOK_SECRET]))
      }
    )

  test("reads the secret from env, and passes env and ctx to the handler", async () => {
    const waited: Array<Promise<unknown>> = []
    const ctx = { waitUntil: (promise: Promise<unknown>) => void waited.push(promise) }
    const hook = worker()
    for (const secret of ["one", "two"]) {
      expect((await hook(request(secret), { WEBHOOK_SECRET: secret }, ctx)).status).toBe(204)
    }
    expect((await hook(request("one"), { WEBHOOK_SECRET: "two" }, ctx)).status).toBe(401)
    expect(await Promise.all(waited)).toEqual([
      ["standard", "one"],
      ["standard", "two"]
    ])
  })

  test("answers 500 and reports it if env has no secret", async () => {
    const refused: Array<string> = []
    const answer = await worker(refused)(request("one"), {} as Env, { waitUntil: () => undefined })
    expect(answer.status).toBe(500)
    expect(await answer.json()).toMatchObject({ code: "secret_refused" })
    expect(refused).toEqual(["secret_refused"])
  })

  test("accepts any env if the secret is fixed", async () => {
    const hook = webhook<Request, [unknown, number]>({ secret: "one" }, () => undefined)
    expect((await hook(request("one"), { params: {} }, 7)).status).toBe(204)
  })
})
