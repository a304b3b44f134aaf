import { Context } from "effect"
import packageJson from "../package.json" with { type: "json" }
import type { MediaWork } from "./files/media/MediaWork.ts"
import { defaultSignInPolicy, type SignInPolicy } from "./people/signIn/policy.ts"
import type { AllowHttp } from "./receivers/webhookChecks.ts"

/** The quota of one member; null: unlimited. Admins have no quota. */
export interface Quota {
  /** Recordings that are theirs. */
  readonly recordings: number | null
  /** Bytes of the files of these recordings together. */
  readonly bytes: number | null
  /** Uploads that they began and that have not ended. */
  readonly uploads: number | null
}

/** Limits on captures; null: none. */
export interface CaptureLimits {
  /** Captures begun in an hour by a link, from a network address, on a site. An address has a tenth of a link's and a site's. */
  readonly perHour: { readonly link: number; readonly address: number; readonly site: number } | null
  /** Bytes of video of an account's captures in 24 hours. */
  readonly bytesPerDay: number | null
  /** Bytes of video of a link's or a site's captures in 24 hours. A network address has a quarter of them. */
  readonly keyBytesPerDay: number | null
}

const dayMs = 24 * 3_600_000

/** The settings that operators and integrators can change. */
export class ServiceConfig extends Context.Service<
  ServiceConfig,
  {
    /** Base of the links in answers and payloads; without a slash at its end (W12). */
    readonly publicUrl: string
    /** The word in `X-<Vendor>-Signature` and, in lower case, the own-app value of `platform` (N2). */
    readonly vendor: string
    /** The program's version, which deliveries name in their `User-Agent` (W14). */
    readonly version: string
    /** Items on a page of a list (R6). */
    readonly pageSize: number
    /** Requests that one token may make in `perMs`; null for no limit (R18). */
    readonly rateLimit: { readonly requests: number; readonly perMs: number } | null
    /** True if deliveries carry the Standard Webhooks headers (W2). */
    readonly standardWebhooks: boolean
    /** Origins whose pages may call the API with a token (R25). */
    readonly corsOrigins: ReadonlyArray<string>
    /** Webhooks that may use plain HTTP. */
    readonly allowHttp: AllowHttp
    /** The largest file that can be uploaded, in bytes. */
    readonly maxUploadBytes: number
    /** Maximum time of a resumable upload, from its start. */
    readonly uploadExpiryMs: number
    readonly memberQuota: Quota
    readonly captureLimits: CaptureLimits
    /** Minimum time for which the signed links in webhooks open a recording's files. */
    readonly signedMs: number
    /** The address of the console, to which mails about events link; null: users are not mailed about events. */
    readonly consoleUrl: string | null
    readonly signIn: SignInPolicy
    readonly mediaWork: MediaWork
  }
>()("@tapedeck/core/ServiceConfig") {}

export const defaultServiceConfig: ServiceConfig["Service"] = {
  publicUrl: "https://tapedeck.test",
  vendor: "Tapedeck",
  version: packageJson.version,
  pageSize: 100,
  rateLimit: null,
  standardWebhooks: true,
  corsOrigins: [],
  allowHttp: false,
  maxUploadBytes: 1024 ** 3,
  uploadExpiryMs: dayMs,
  memberQuota: { recordings: null, bytes: null, uploads: null },
  captureLimits: { perHour: null, bytesPerDay: null, keyBytesPerDay: null },
  signedMs: 7 * dayMs,
  consoleUrl: null,
  signIn: defaultSignInPolicy,
  mediaWork: { processes: false, transcripts: "script" }
}

/** Segments on a page of a transcript: the specification's limit, not a setting (R6). */
export const transcriptPageSize = 100
