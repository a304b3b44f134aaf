import { Readable } from "node:stream"
import { makeFetchHandler } from "@tapedeck/http"
import fastify, { type FastifyPluginAsync, type FastifyRequest } from "fastify"
import { openTapedeck } from "./tapedeck.ts"

/** The application's own sign-in: which user a cookie is, and the access token that the user has. */
const tokens: Readonly<Record<string, string>> = { "user=ada": "ada-token", "user=bob": "bob-token" }

const services = await openTapedeck(crypto.getRandomValues(new Uint8Array(32)))
const tapedeck = makeFetchHandler({
  services,
  prefix: "/tapedeck",
  authenticate: ({ headers }) => tokens[headers.get("cookie") ?? ""] ?? null
})

const toWeb = ({ headers, host, method, raw }: FastifyRequest, signal: AbortSignal): Request => {
  const sent = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] satisfies [string, string]]
  )
  const hasBody = method !== "GET" && method !== "HEAD"
  const init: RequestInit & { duplex: "half" } = { method, headers: sent, signal, duplex: "half" }
  if (hasBody) init.body = Readable.toWeb(raw) as ReadableStream
  return new Request(`http://${host || "localhost"}${raw.url}`, init)
}

/** Bodies are left unread in this plugin alone: the application's own routes parse theirs. */
const api: FastifyPluginAsync = async (scope) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser("*", (_request, _payload, done) => done(null))
  scope.all("/tapedeck/*", async (request, reply) => {
    const gone = new AbortController()
    reply.raw.once("close", () => gone.abort())
    return reply.send(await tapedeck(toWeb(request, gone.signal)))
  })
}

const app = fastify()
app.post("/own", async ({ body }) => ({ own: body }))
await app.register(api)
console.log(await app.listen({ host: "127.0.0.1", port: Number(process.env.PORT ?? 3000) }))
