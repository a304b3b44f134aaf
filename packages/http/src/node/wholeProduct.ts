import { Effect } from "effect"
import { AppOptions } from "../AppOptions.ts"
import { type AddedRoutes, apiDocuments, captureApi, settingsApi } from "../ProductApp.ts"
import type { CoreServices, Endpoint } from "../routes.ts"
import { captureScript, consoleAsset, consoleDocument, consoleIcon, consolePolicy } from "./console.ts"

type Answer = Extract<Endpoint<never>, { readonly operation: null }>["answer"]

const get = (path: Endpoint["path"], answer: Answer): Endpoint<never> => ({
  methods: ["GET"],
  path,
  operation: null,
  answer
})

/** A timer of the page is a worker whose script the page makes. The address holds a token, so it is in no `Referer`. */
const captureHeaders = {
  "content-security-policy": `${consolePolicy}; worker-src blob:`,
  "referrer-policy": "no-referrer"
}

/**
 * The page on which customers record, `{base}/c/{token}` (spec/capture.md), and its files. The page looks the token up;
 * `{base}/c/site#{key}` is the page of a site, `{base}/c/agent` that of an agent. `{base}/capture.js` is what sites load,
 * and `{base}/capture-redactor.js` what that loads when a person records.
 */
const capturePages: ReadonlyArray<Endpoint<never>> = [
  get("/capture.js", ({ request }) => captureScript("capture.js", request)),
  get("/capture-redactor.js", ({ request }) => captureScript("capture-redactor.js", request)),
  get("/c/:token", () =>
    Effect.flatMap(AppOptions, ({ basePath: base }) =>
      consoleDocument("capture.html", `${base}/c/`, `${base}/c/`, captureHeaders)
    )
  ),
  get("/c/assets/:name", ({ params, request }) => consoleAsset(params.name ?? "", request)),
  get("/c/favicon.svg", () => consoleIcon)
]

/** Icon of pages that name none: browsers ask for it by this path. */
const icon = get("/favicon.ico", () => consoleIcon)

/** Routes of the product in addition to v2, v1 and the public pages: its other APIs, their documents, and the pages that record. */
export const wholeProduct = {
  roots: [settingsApi, captureApi],
  endpoints: [...apiDocuments, ...capturePages, icon]
} satisfies AddedRoutes<CoreServices>
