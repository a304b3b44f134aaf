import type { NextApiHandler, NextApiRequest, NextApiResponse, PageConfig } from "next"
import { apiResolver } from "next/dist/server/api-utils/node/api-resolver.js"
import { request } from "undici"
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { webhook } from "../src/adapters/next-pages.ts"
import { listen, receiverSuite, secret, signed, timestamp } from "../test/support/receiverSuite.ts"

beforeAll(() => {
  // Next.js writes what a handler throws to the console.
  vi.spyOn(console, "error").mockImplementation(() => undefined)
})
afterAll(() => {
  vi.restoreAllMocks()
})

/** A file below `pages/api`, run by the function of Next.js that runs such files. */
const open = (page: { readonly default: NextApiHandler; readonly config?: PageConfig }) => {
  const context = { previewModeId: "", previewModeEncryptionKey: "", previewModeSigningKey: "" }
  return listen((incoming, response) =>
    apiResolver(
      incoming,
      response,
      {},
      page,
      context as Parameters<typeof apiResolver>[4],
      true,
      false,
      "/api/hook"
    ).catch(() => {
      response.statusCode = 500
      response.end("failed")
    })
  )
}

const config: PageConfig = { api: { bodyParser: false } }
const options = { secret, now: timestamp * 1000 }

receiverSuite("Next.js pages/api", (given, work) =>
  open({
    config,
    default: webhook(given, (delivery, _request: NextApiRequest, response: NextApiResponse) => {
      const answer = work(delivery)
      if (answer !== undefined) response.status(answer.status).send(answer.text)
    })
  })
)

test("without the route's config the error names it, in the sender's log too", async () => {
  const receiver = await open({ default: webhook(options, () => undefined) })
  const headers = { ...signed(`{"a":1}`), "content-type": "application/json" }
  const response = await request(receiver.url, { method: "POST", headers, body: `{"a":1}` })
  expect(response.statusCode).toBe(500)
  expect(await response.body.json()).toEqual({
    code: "body_parsed",
    error:
      "The body is not bytes (object): it was parsed already, and the signature covers the bytes that were sent. Export this " +
      "from the same file: export const config = { api: { bodyParser: false } }."
  })
  await receiver.close()
})
