import { createHash } from "node:crypto"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { escapeHtml } from "../pages/html.ts"

type Request = HttpServerRequest.HttpServerRequest
type Response = HttpServerResponse.HttpServerResponse

/** The first segments of the console's pages. Each is one document; its script shows what the rest of the path names. */
export const consoleSections = [
  "recordings",
  "folders",
  "automations",
  "deliveries",
  "security",
  "people",
  "account",
  "personal"
] as const

/**
 * Content security policy: nothing from other origins, and nothing inline. `blob:` is a picture or a video that the page has read or
 * recorded itself.
 */
export const consolePolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'",
  "img-src 'self' data: blob:; media-src 'self' blob:",
  "base-uri 'self'; form-action 'self'; frame-ancestors 'none'"
].join("; ")

const safe = { "x-content-type-options": "nosniff", "referrer-policy": "same-origin" }

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2"
}

/** Returns a file of the console; null if no file has this name. The module that reads files is loaded with the first one. */
const read = (path: string): Effect.Effect<Buffer | null> =>
  Effect.promise(async () => (await import("./consoleFiles.ts")).readConsoleFile(path))

const notFound = HttpServerResponse.empty({ status: 404 })

/** A document of `apps/console`, at an address, with its files at another. */
export const consoleDocument = (name: string, base: string, files: string, headers: Readonly<Record<string, string>>) =>
  Effect.map(
    read(name),
    (html): Response =>
      html === null
        ? notFound
        : HttpServerResponse.text(located(html.toString(), escapeHtml(base), escapeHtml(files)), {
            contentType: "text/html; charset=utf-8",
            headers: { ...safe, "cache-control": "no-cache", ...headers }
          })
  )

/**
 * The document of every page. `base` is the console's address, with a slash at its end: `/worlds/w1/_emulator/ui/`; `files` is
 * the address of its files, which several consoles of a process may share.
 */
export const consolePage = (base: string, files: string = base): Effect.Effect<Response> =>
  consoleDocument("index.html", base, files, { "content-security-policy": consolePolicy })

/** All addresses of the documents have one of these two forms: a test of `apps/console` finds any other. */
const located = (html: string, base: string, files: string): string =>
  html.replace('<base href="/">', `<base href="${base}">`).replaceAll('="./', `="${files}`)

/** A file that the document names; 404 for another. Its name has a hash of what is in it, so caches keep it. */
export const consoleAsset = Effect.fnUntraced(function* (name: string, { headers }: Request) {
  const contentType = types[name.slice(name.lastIndexOf(".") + 1)]
  if (contentType === undefined || !/^[\w-]+\.\w+$/.test(name)) return notFound
  const isAccepted = /\bgzip\b/.test(headers["accept-encoding"] ?? "")
  const compressed = isAccepted ? yield* read(`assets/${name}.gz`) : null
  const body = compressed ?? (yield* read(`assets/${name}`))
  if (body === null) return notFound
  return HttpServerResponse.uint8Array(body, {
    contentType,
    headers: {
      ...safe,
      "content-security-policy": "default-src 'none'",
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(compressed !== null && { "content-encoding": "gzip" })
    }
  })
})

/** Time for which sites use a cached script, in seconds. */
const scriptAgeSeconds = 3_600

/**
 * `capture.js`, and the file that it loads. Pages of any origin load it, also those that check its hash or isolate themselves. Its
 * address has no hash: sites name it for years.
 */
export const captureScript = Effect.fnUntraced(function* (name: string, { headers }: Request) {
  const isAccepted = /\bgzip\b/.test(headers["accept-encoding"] ?? "")
  const body = yield* read(isAccepted ? `${name}.gz` : name)
  if (body === null) return notFound
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`
  const shared = {
    ...safe,
    etag,
    vary: "accept-encoding",
    "cache-control": `public, max-age=${scriptAgeSeconds}`,
    "access-control-allow-origin": "*",
    "cross-origin-resource-policy": "cross-origin"
  }
  if (headers["if-none-match"]?.includes(etag)) return HttpServerResponse.empty({ status: 304, headers: shared })
  return HttpServerResponse.uint8Array(body, {
    contentType: types.js ?? "",
    headers: { ...shared, ...(isAccepted && { "content-encoding": "gzip" }) }
  })
})

/** The icon, whose name has no hash. */
export const consoleIcon: Effect.Effect<Response> = Effect.map(read("favicon.svg"), (body) =>
  body === null
    ? notFound
    : HttpServerResponse.uint8Array(body, {
        contentType: types.svg ?? "",
        headers: { ...safe, "content-security-policy": "default-src 'none'", "cache-control": "no-cache" }
      })
)
