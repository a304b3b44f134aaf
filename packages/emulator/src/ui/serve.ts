import { readFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { CurrentWorld } from "../control/CurrentWorld.ts"
import { json } from "../control/requests.ts"

/** The page's files; beside this module in the sources, and in the bundle. */
const assets = {
  "/_emulator/ui": { file: "ui.html", contentType: "text/html; charset=utf-8" },
  "/_emulator/ui/ui.css": { file: "ui.css", contentType: "text/css; charset=utf-8" },
  "/_emulator/ui/ui.js": { file: "ui.js", contentType: "text/javascript; charset=utf-8" },
  "/_emulator/ui/views.js": { file: "views.js", contentType: "text/javascript; charset=utf-8" }
} as const

/** Nothing from elsewhere, and nothing that a page of elsewhere may frame. */
const headers = {
  "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'",
  "cache-control": "no-cache"
}

const asset = ({ contentType, file }: (typeof assets)[keyof typeof assets]) =>
  Effect.sync(() =>
    HttpServerResponse.text(readFileSync(new URL(`./assets/${file}`, import.meta.url), "utf8"), {
      contentType,
      headers
    })
  )

/** The page at `/_emulator/ui`, and the list of worlds that it offers. */
export const uiRoutes = Layer.mergeAll(
  ...(Object.entries(assets).map(([path, one]) => HttpRouter.add("GET", path as `/${string}`, asset(one))) as [
    Layer.Layer<never, never, HttpRouter.HttpRouter>
  ]),
  HttpRouter.add(
    "GET",
    "/_emulator/ui/worlds",
    CurrentWorld.useSync(({ emulator }) => json({ worlds: [...emulator.worlds.keys()] }))
  )
)
