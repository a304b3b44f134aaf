import { createServer } from "node:http"
import express from "express"
import { request } from "undici"
import { expect, test } from "vitest"
import { webhook } from "../src/adapters/express.ts"
import { type OpenReceiver, receiverSuite, secret, serve, signed, timestamp } from "../test/support/receiverSuite.ts"

const open = (app: express.Express): Promise<OpenReceiver> => serve(createServer(app))
const options = { secret, now: timestamp * 1000 }

// Express writes what a handler throws to the console.
const quiet: express.ErrorRequestHandler = (_error, _request, response, _next) => {
  response.status(500).send("failed")
}

receiverSuite("Express 5, first in line", (given, work) => {
  const app = express()
  const hook = webhook(given, (delivery, _request: express.Request, response: express.Response) => {
    const answer = work(delivery)
    if (answer !== undefined) response.status(answer.status).send(answer.text)
  })
  app.all("/hook", hook)
  app.use(express.json())
  app.use(quiet)
  return open(app)
})

receiverSuite("Express 5, behind express.raw()", (given, work) => {
  const app = express()
  app.use("/hook", express.raw({ type: "*/*", limit: "10mb" }))
  app.all(
    "/hook",
    webhook(given, (delivery, _request, response) => {
      const answer = work(delivery)
      if (answer === undefined) return
      response.statusCode = answer.status
      response.end(answer.text)
    })
  )
  app.use(quiet)
  return open(app)
})

const send = async (app: express.Express, body = `{"a":1}`) => {
  const receiver = await open(app)
  const headers = { ...signed(body), "content-type": "application/json" }
  const response = await request(receiver.url, { method: "POST", headers, body })
  const answer = { status: response.statusCode, text: await response.body.text() }
  await receiver.close()
  return answer
}

test("behind express.json() the error says what to do, in the sender's log too", async () => {
  const app = express()
    .use(express.json())
    .post(
      "/hook",
      webhook(options, () => undefined)
    )
  const { status, text } = await send(app)
  expect(status).toBe(500)
  expect(JSON.parse(text)).toEqual({
    code: "body_parsed",
    error:
      "The body is not bytes (object): it was parsed already, and the signature covers the bytes that were sent. Mount this " +
      'before express.json(), or keep the bytes on this path: app.use("/hook", express.raw({ type: "*/*" })).'
  })
})

test("behind express.text() the text is verified like its bytes", async () => {
  const app = express()
    .use(express.text({ type: "*/*" }))
    .post(
      "/hook",
      webhook(options, () => undefined)
    )
  expect(await send(app, `{"a":"ü"}`)).toEqual({ status: 204, text: "" })
})

test("a body parser that skipped the body does not interfere", async () => {
  const app = express()
    .use(express.json({ type: "application/other" }))
    .post(
      "/hook",
      webhook(options, () => undefined)
    )
  expect(await send(app)).toEqual({ status: 204, text: "" })
})

test("an exception of the handler goes to the application's error handler", async () => {
  const failures: Array<unknown> = []
  const keep: express.ErrorRequestHandler = (error, _request, response, _next) => {
    failures.push(error)
    response.sendStatus(503)
  }
  const broken = new Error("broken handler")
  const app = express()
    .post(
      "/hook",
      webhook(options, () => Promise.reject(broken))
    )
    .use(keep)
  expect(await send(app)).toMatchObject({ status: 503 })
  expect(failures).toEqual([broken])
})
