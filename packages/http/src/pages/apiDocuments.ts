import { apiDocs, openApiCapture, openApiSettings, openApiV1, openApiV2 } from "@tapedeck/contract"
import { ServiceConfig } from "@tapedeck/core"
import { Context, Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import { AppOptions } from "../AppOptions.ts"
import { jsonBytes } from "../responses.ts"
import { htmlResponse } from "./html.ts"

type Response = HttpServerResponse.HttpServerResponse

/** Settings that the documents show. */
interface Shown extends Pick<ServiceConfig["Service"], "pageSize" | "publicUrl" | "standardWebhooks" | "vendor"> {
  readonly base: string
}

/** The OpenAPI documents, and the page made from them. */
const makers = {
  "/api/v2/openapi.json": (shown: Shown) => jsonOf(v2Of(shown)),
  "/api/v1/openapi.json": (shown: Shown) => jsonOf(v1Of(shown)),
  "/api/settings/openapi.json": (shown: Shown) => jsonOf(settingsOf(shown)),
  "/api/capture/openapi.json": (shown: Shown) => jsonOf(captureOf(shown)),
  "/api/docs": (shown: Shown) =>
    htmlResponse(
      Buffer.from(apiDocs({ v2: v2Of(shown), v1: v1Of(shown), settings: settingsOf(shown), capture: captureOf(shown) }))
    )
} as const

export type DocumentPath = keyof typeof makers

const v2Of = ({ base, ...shown }: Shown) => openApiV2({ ...shown, serverUrl: `${base}/api/v2` })
const v1Of = ({ base, ...shown }: Shown) => openApiV1({ ...shown, serverUrl: `${base}/api/v1` })
const settingsOf = ({ base, ...shown }: Shown) => openApiSettings({ ...shown, serverUrl: `${base}/api/settings` })
const captureOf = ({ base, ...shown }: Shown) => openApiCapture({ ...shown, serverUrl: `${base}/api/capture` })
const jsonOf = (document: unknown): Response => jsonBytes(Buffer.from(JSON.stringify(document)))

/** Maximum number of responses in the cache: a server has one configuration, an emulator one for each world. */
export const maxCachedDocuments = 64

/** Responses by path and configuration, the least recently requested first. A response keeps its bytes and their number. */
const cached = new Map<string, Response>()

/** A document with the configuration of the requested world. It is built with the first request. */
export const apiDocument = (path: DocumentPath): Effect.Effect<Response, never, AppOptions | ServiceConfig> =>
  Effect.contextWith((context: Context.Context<AppOptions | ServiceConfig>) => {
    const { pageSize, publicUrl, standardWebhooks, vendor } = Context.get(context, ServiceConfig)
    const { basePath: base } = Context.get(context, AppOptions)
    const key = JSON.stringify([path, pageSize, publicUrl, standardWebhooks, vendor, base])
    const response = cached.get(key) ?? makers[path]({ pageSize, publicUrl, standardWebhooks, vendor, base })
    cached.delete(key)
    cached.set(key, response)
    const [oldest] = cached.keys()
    if (cached.size > maxCachedDocuments && oldest !== undefined) cached.delete(oldest)
    return Effect.succeed(response)
  })
