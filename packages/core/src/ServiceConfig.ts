import { Context } from "effect"

/** The settings that operators and integrators can change. */
export class ServiceConfig extends Context.Service<
  ServiceConfig,
  {
    /** Where links in answers and payloads point to; without a slash at its end (W12). */
    readonly publicUrl: string
    /** The word in `X-<Vendor>-Signature` and, in lower case, the own-app value of `platform` (N2). */
    readonly vendor: string
    /** The program's version, which deliveries name in their `User-Agent` (W14). */
    readonly version: string
    /** Items on a page of a list (R6). */
    readonly pageSize: number
    /** Requests that one token may make in `perMs`; null for no limit (R18). */
    readonly rateLimit: { readonly requests: number; readonly perMs: number } | null
    /** Whether deliveries carry the Standard Webhooks headers (W2). */
    readonly standardWebhooks: boolean
    /** Origins whose pages may call the API with a token (R25). */
    readonly corsOrigins: ReadonlyArray<string>
  }
>()("@tapedeck/core/ServiceConfig") {}

export const defaultServiceConfig: ServiceConfig["Service"] = {
  publicUrl: "https://tapedeck.test",
  vendor: "Tapedeck",
  version: "0.0.0",
  pageSize: 100,
  rateLimit: null,
  standardWebhooks: true,
  corsOrigins: []
}

/** Segments on a page of a transcript: the specification's limit, not a setting (R6). */
export const transcriptPageSize = 100
