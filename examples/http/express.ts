import type { AddressInfo } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { makeFetchHandler } from "@tapedeck/http"
import express, { type Request as Incoming, type Response as Outgoing } from "express"
import { openTapedeck } from "./tapedeck.ts"

const services = await openTapedeck(crypto.getRandomValues(new Uint8Array(32)))
const tapedeck = makeFetchHandler({ services })

/** The request as it is in the web. A body that express.json() has parsed is written again; any other is still unread. */
const toWeb = (incoming: Incoming, signal: AbortSignal): Request => {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
    for (const value of values) headers.append(name, value)
  }
  const init: RequestInit & { duplex: "half" } = { method: incoming.method, headers, signal, duplex: "half" }
  if (incoming.method !== "GET" && incoming.method !== "HEAD") {
    if (incoming.body === undefined) init.body = Readable.toWeb(incoming) as ReadableStream
    else {
      init.body = JSON.stringify(incoming.body)
      headers.delete("content-length")
    }
  }
  // Express removes the path of a mounted handler from `url`.
  return new Request(new URL(`http://${incoming.headers.host ?? "localhost"}${incoming.url}`), init)
}

const send = async (response: Response, outgoing: Outgoing): Promise<void> => {
  outgoing.status(response.status).setHeaders(response.headers)
  if (response.body === null) outgoing.end()
  else await pipeline(response.body, outgoing)
}

const app = express()
app.use(express.json())
app.post("/own", ({ body }, response) => {
  response.json({ own: body })
})
app.use("/tapedeck", async (incoming, outgoing) => {
  const gone = new AbortController()
  outgoing.once("close", () => gone.abort())
  await send(await tapedeck(toWeb(incoming, gone.signal)), outgoing)
})

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
