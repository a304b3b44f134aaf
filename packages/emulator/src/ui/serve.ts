import { readFileSync } from "node:fs"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { controlEndpoint } from "../control/controlEndpoints.ts"
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
export const uiEndpoints = [
  ...Object.entries(assets).map(([path, one]) =>
    controlEndpoint("GET", path as keyof typeof assets, { isNoted: false, answer: () => asset(one) })
  ),
  controlEndpoint("GET", "/_emulator/ui/worlds", {
    isNoted: false,
    answer: ({ emulator }) => Effect.succeed(json({ worlds: [...emulator.worlds.keys()] }))
  })
]
