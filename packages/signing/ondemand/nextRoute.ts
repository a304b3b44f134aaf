import type { RequestListener } from "node:http"
import { createRequire } from "node:module"
import type { NextRequest } from "next/server.js"

// Next.js needs this before any of its server files are loaded, and its files are CommonJS.
const require = createRequire(import.meta.url)
require("next/dist/server/node-environment.js")
const { AppRouteRouteModule } = require("next/dist/server/route-modules/app-route/module.js")
const { NodeNextRequest, NodeNextResponse } = require("next/dist/server/base-http/node.js")
const nextRequest = require("next/dist/server/web/spec-extension/adapters/next-request.js")
const { sendResponse } = require("next/dist/server/send-response.js")

/** A `route.ts` below `app`, by its methods. */
export type Route = Readonly<Record<string, (request: NextRequest, context: unknown) => Promise<Response>>>

/**
 * Runs a route handler as the code does that Next.js puts around it when it builds (`build/templates/app-route`): its request,
 * its route module, its way to send the response. What that template does for caches and manifests is left out.
 */
export const nextRoute = (userland: Route): RequestListener => {
  const module = new AppRouteRouteModule({
    definition: {
      kind: "APP_ROUTE",
      page: "/hook/route",
      pathname: "/hook",
      filename: "route",
      bundlePath: "app/hook/route"
    },
    distDir: "",
    relativeProjectDir: "",
    resolvedPagePath: "app/hook/route",
    nextConfigOutput: undefined,
    userland: () => userland
  })
  const context = {
    params: undefined,
    previewProps: { previewModeId: "", previewModeEncryptionKey: "", previewModeSigningKey: "" },
    renderOpts: { experimental: {}, onClose: () => undefined, waitUntil: () => undefined },
    sharedContext: { buildId: "test", deploymentId: "" }
  }
  return async (incoming, response) => {
    try {
      await module.ensureUserland()
      const request = new NodeNextRequest(incoming)
      const signal = nextRequest.signalFromNodeResponse(response)
      const answer = await module.handle(nextRequest.NextRequestAdapter.fromNodeNextRequest(request, signal), context)
      await sendResponse(request, new NodeNextResponse(response), answer)
    } catch {
      if (!response.headersSent) response.statusCode = 500
      response.end()
    }
  }
}
