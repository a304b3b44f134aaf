import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify"
import { expect, test } from "vitest"
import { webhook } from "../src/adapters/fastify.ts"
import { receiverSuite, secret, signed, timestamp } from "../test/support/receiverSuite.ts"

const options = { path: "/hook", secret, now: timestamp * 1000 }

receiverSuite("Fastify 5", async (given, work) => {
  const app = Fastify()
  await app.register(
    webhook({ ...given, path: "/hook" }, (delivery, _request: FastifyRequest, reply: FastifyReply) => {
      const answer = work(delivery)
      if (answer === undefined) return undefined
      return reply.code(answer.status).send(answer.text)
    })
  )
  const url = await app.listen({ port: 0, host: "127.0.0.1" })
  return { url: `${url}/hook`, close: () => app.close() }
})

const inject = (app: FastifyInstance, url = "/hook", body = `{"a":1}`) =>
  app.inject({ method: "POST", url, headers: { ...signed(body), "content-type": "application/json" }, payload: body })

test("the plugin keeps bodies as bytes in its own route only", async () => {
  const app = Fastify()
  app.post("/other", async ({ body }) => ({ got: body }))
  await app.register(webhook(options, (delivery) => ({ bytes: delivery.body.length })))
  expect((await inject(app, "/other")).json()).toEqual({ got: { a: 1 } })
  expect((await inject(app)).json()).toEqual({ bytes: 7 })
})

test("the plugin can be registered below a prefix, with the given methods", async () => {
  const app = Fastify()
  await app.register(
    webhook({ ...options, methods: ["PUT"] }, () => undefined),
    { prefix: "/api" }
  )
  expect((await inject(app, "/api/hook")).statusCode).toBe(404)
  const put = await app.inject({ method: "PUT", url: "/api/hook", headers: signed("{}"), payload: "{}" })
  expect(put.statusCode).toBe(204)
})

test("the handler's result is sent, and its status is kept", async () => {
  const answers: ReadonlyArray<readonly [(reply: FastifyReply) => unknown, number, string]> = [
    [() => ({ ok: true }), 200, `{"ok":true}`],
    [async () => "text", 200, "text"],
    [(reply) => void reply.code(202), 202, ""],
    [(reply) => reply.code(418).send("short"), 418, "short"],
    [(reply) => void reply.send("sent"), 200, "sent"]
  ]
  for (const [answer, status, text] of answers) {
    const app = Fastify()
    await app.register(webhook(options, (_delivery, _request, reply: FastifyReply) => answer(reply)))
    const response = await inject(app)
    expect([response.statusCode, response.body]).toEqual([status, text])
  }
})

test("an exception of the handler goes to the application's error handler", async () => {
  const broken = new Error("broken handler")
  const failures: Array<unknown> = []
  const app = Fastify()
  app.setErrorHandler((error, _request, reply) => {
    failures.push(error)
    return reply.code(503).send()
  })
  await app.register(webhook(options, () => Promise.reject(broken)))
  expect((await inject(app)).statusCode).toBe(503)
  expect(failures).toEqual([broken])
})

test("the error for a body that was parsed says so", async () => {
  const app = Fastify()
  app.addHook("preHandler", async (request) => {
    request.body = JSON.parse(String(request.body))
  })
  await app.register(webhook(options, () => undefined))
  const response = await inject(app)
  expect(response.statusCode).toBe(500)
  expect(response.json()).toMatchObject({
    code: "body_parsed",
    error: expect.stringContaining("without fastify-plugin")
  })
})
