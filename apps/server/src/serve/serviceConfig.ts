import { type ServiceConfig, signInLimits } from "@tapedeck/core"
import packageJson from "../../package.json" with { type: "json" }
import { type Config, hasMail } from "../config/Config.ts"

/** Port on which the server listens. The port 0 is replaced by the actual one once it listens. */
export interface Listening {
  port: number
}

/** Captures that may begin in an hour, by link, address and site. */
const capturesPerHour = { link: 200, address: 30, site: 300 }

/**
 * The settings of the use cases. Links point to `public_url`; without one, to the configured address of the server
 * (W12: never to the address of a request).
 */
export const serviceConfigOf = (
  config: Config,
  listening: Listening = { port: config.port }
): ServiceConfig["Service"] => ({
  get publicUrl() {
    return config.public_url ?? listeningUrl(config, listening)
  },
  vendor: config.vendor,
  version: packageJson.version,
  pageSize: config.page_size,
  rateLimit: config.rate_limit,
  standardWebhooks: config.standard_webhooks,
  corsOrigins: config.cors_origins,
  allowHttp: false,
  maxUploadBytes: config.upload_limit,
  uploadExpiryMs: config.upload_expiry,
  memberQuota: { recordings: config.quota_recordings, bytes: config.quota_bytes, uploads: config.quota_uploads },
  captureLimits: {
    perHour: capturesPerHour,
    bytesPerDay: config.quota_capture_bytes,
    keyBytesPerDay: config.quota_key_bytes
  },
  signedMs: config.signed_url_lifetime,
  get consoleUrl() {
    return hasMail(config) ? this.publicUrl : null
  },
  signIn: {
    ...signInLimits,
    passwords: config.password_sign_in,
    idleMs: config.session_idle,
    lifetimeMs: config.session_lifetime,
    isTls: config.tls_cert !== undefined,
    linkPath: "/sign-in/link"
  },
  mediaWork: {
    processes: config.ffmpeg !== "off",
    transcripts:
      config.transcriber_command === undefined && config.transcriber_url === undefined ? "none" : "transcriber",
    summarizes: config.summarizer_url !== undefined
  }
})

const listeningUrl = ({ host, tls_cert }: Config, { port }: Listening): string => {
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host
  return `${tls_cert === undefined ? "http" : "https"}://${name}:${port}`
}

/** The path of the server's public URL, without a slash at its end; empty at the root of a host. */
export const basePathOf = ({ public_url }: Pick<Config, "public_url">): string =>
  public_url === undefined ? "" : new URL(public_url).pathname.replace(/\/$/, "")
