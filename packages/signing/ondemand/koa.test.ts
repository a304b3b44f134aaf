import { createServer } from "node:http"
import { bodyParser } from "@koa/bodyparser"
import Koa from "koa"
import { request } from "undici"
import { expect, test } from "vitest"
import { webhook } from "../src/adapters/koa.ts"
import { receiverSuite, secret, serve, signed, timestamp } from "../test/support/receiverSuite.ts"

const options = { secret, now: timestamp * 1000 }

/** Koa writes what a handler throws to the console, unless it is told not to. */
const quiet = () => {
  const app = new Koa()
  app.silent = true
  return app
}
const open = (app: Pick<Koa, "callback">) => serve(createServer(app.callback()))

receiverSuite("Koa", (given, work) => {
  const app = quiet()
  app.use(
    webhook(given, (delivery, context) => {
      const answer = work(delivery)
      if (answer === undefined) return
      context.status = answer.status
      context.body = answer.text
    })
  )
  return open(app)
})

const send = async (app: Pick<Koa, "callback">) => {
  const receiver = await open(app)
  const headers = { ...signed(`{"a":1}`), "content-type": "application/json" }
  const response = await request(receiver.url, { method: "POST", headers, body: `{"a":1}` })
  const answer = { status: response.statusCode, text: await response.body.text() }
  await receiver.close()
  return answer
}

test("behind a body parser the error says what to do, in the sender's log too", async () => {
  const app = quiet()
    .use(bodyParser())
    .use(webhook(options, () => undefined))
  const { status, text } = await send(app)
  expect(status).toBe(500)
  expect(JSON.parse(text)).toEqual({
    code: "body_parsed",
    error:
      "The body is not bytes (object): it was parsed already, and the signature covers the bytes that were sent. Mount this " +
      "before the body parser, in the order of app.use, or leave this path out of the body parser."
  })
})

test("a handler gets Koa's context, with its types, and its response is sent", async () => {
  const app = quiet().use(
    webhook(options, (delivery, context: Koa.Context) => {
      context.set("x-scheme", delivery.scheme)
      context.body = { path: context.path }
    })
  )
  expect(await send(app)).toEqual({ status: 200, text: `{"path":"/hook"}` })
})

test("an exception of the handler goes to the outer middleware", async () => {
  const broken = new Error("broken handler")
  const caught: Array<unknown> = []
  const app = quiet()
    .use(async (context, next) => {
      try {
        await next()
      } catch (error) {
        caught.push(error)
        context.status = 503
      }
    })
    .use(webhook(options, () => Promise.reject(broken)))
  expect(await send(app)).toMatchObject({ status: 503 })
  expect(caught).toEqual([broken])
})
