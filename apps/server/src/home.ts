import { Store } from "@tapedeck/core"
import type { Recording, RecordingUuid } from "@tapedeck/domain"
import { type Endpoint, escapeHtml, htmlResponse } from "@tapedeck/http"
import { Effect } from "effect"

/**
 * A page at `/` for browsers: what the service is, with links. `shown` are recordings of the demo. Other servers list none,
 * because the address of a recording is enough to see it.
 */
export const homePage = (shown: ReadonlyArray<RecordingUuid>): Effect.Effect<Endpoint, never, Store> =>
  Effect.map(Store, ({ recordings }) => ({
    methods: ["GET"],
    path: "/",
    operation: null,
    answer: () => Effect.map(Effect.forEach(shown, recordings.byUuid), (found) => htmlResponse(homeHtml(found)))
  }))

const link = (path: string, text: string): string => `<li><a href="${path}">${escapeHtml(text)}</a></li>`

const style = `
  :root { color-scheme: light dark; --ink: #1d2330; --soft: #667085; --ground: #f5f6f8; --card: #fff; --line: #e3e6ec; --link: #2450c9 }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #eceef3; --soft: #98a2b3; --ground: #14171f; --card: #1d212b; --line: #2d323e; --link: #8fb0ff }
  }
  body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, sans-serif }
  main { max-width: 44rem; margin: 0 auto; padding: 3rem 1rem 4rem }
  h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .25rem }
  h2 { font-size: 1rem; margin: 0 0 .25rem }
  p { margin: 0 0 1.5rem; color: var(--soft) }
  section { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem 1.25rem; margin-top: 1rem }
  ul { margin: 0; padding-left: 1.1rem }
  a { color: var(--link) }
`

const section = (title: string, items: ReadonlyArray<string>): string =>
  items.length === 0 ? "" : `<section><h2>${title}</h2><ul>${items.join("")}</ul></section>`

const recordingLinks = (recordings: ReadonlyArray<Recording | undefined>): ReadonlyArray<string> =>
  recordings.flatMap((recording) =>
    recording === undefined ? [] : [link(`r/${recording.uuid}`, recording.title ?? "Untitled recording")]
  )

const homeHtml = (recordings: ReadonlyArray<Recording | undefined>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Tapedeck</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Tapedeck</h1>
<p>Screen and video recordings of customer support, behind a REST API with signed webhooks.</p>
${section("Recordings of the demo", recordingLinks(recordings))}
${section("For people", [link("sign-in", "Sign in")])}
${section("For programs", [
  link("api/docs", "API reference"),
  link("api/v2/openapi.json", "OpenAPI document of v2"),
  link("api/v1/openapi.json", "of the legacy v1"),
  link("api/settings/openapi.json", "of the settings")
])}
</main>
</body>
</html>
`
