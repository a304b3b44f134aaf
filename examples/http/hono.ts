import { serve } from "@hono/node-server"
import { makeFetchHandler } from "@tapedeck/http"
import { Hono } from "hono"
import { openTapedeck } from "./tapedeck.ts"

const services = await openTapedeck(crypto.getRandomValues(new Uint8Array(32)))
const tapedeck = makeFetchHandler({ services, prefix: "/tapedeck" })

const app = new Hono()
app.get("/", ({ text }) => text("The application's own page"))
app.all("/tapedeck/*", ({ req }) => tapedeck(req.raw))

serve({ fetch: app.fetch, hostname: "127.0.0.1", port: Number(process.env.PORT ?? 3000) }, ({ port }) => {
  console.log(`http://127.0.0.1:${port}`)
})
