import { Effect } from "effect"
import { AppOptions } from "../AppOptions.ts"
import type { Endpoint } from "../routes.ts"
import { captureScript, consoleAsset, consoleDocument, consoleIcon, consolePolicy } from "./console.ts"

type Answer = Extract<Endpoint<never>, { readonly operation: null }>["answer"]

const get = (path: Endpoint["path"], answer: Answer): Endpoint<never> => ({
  methods: ["GET"],
  path,
  operation: null,
  answer
})

/** A timer of the page is a worker whose script the page makes. The address holds a token, so it is in no `Referer`. */
const headers = {
  "content-security-policy": `${consolePolicy}; worker-src blob:`,
  "referrer-policy": "no-referrer"
}

/**
 * The page on which customers record, `{base}/c/{token}` (spec/capture.md), and its files. The page looks the token up;
 * `{base}/c/site#{key}` is the page of a site, `{base}/c/agent` that of an agent. `{base}/capture.js` is what sites load,
 * and `{base}/capture-redactor.js` what that loads when a person records.
 */
export const capturePages: ReadonlyArray<Endpoint<never>> = [
  get("/capture.js", ({ request }) => captureScript("capture.js", request)),
  get("/capture-redactor.js", ({ request }) => captureScript("capture-redactor.js", request)),
  get("/c/:token", () =>
    Effect.flatMap(AppOptions, ({ basePath: base }) =>
      consoleDocument("capture.html", `${base}/c/`, `${base}/c/`, headers)
    )
  ),
  get("/c/assets/:name", ({ params, request }) => consoleAsset(params.name ?? "", request)),
  get("/c/favicon.svg", () => consoleIcon)
]
