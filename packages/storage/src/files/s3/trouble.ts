import { StorageFull } from "@tapedeck/core"
import { FileTrouble } from "../trouble.ts"

/** What is to be looked at where a bucket cannot be used. */
export type Setting = "bucket" | "credentials" | "endpoint" | "region"

/** The bucket cannot be used as it is set: found at start. The message says why, and holds no secret. */
export class FilesRefused extends Error {
  override readonly name = "FilesRefused"
  readonly setting: Setting
  constructor(setting: Setting, path: string, why: string) {
    super(`${path}: ${why}`)
    this.setting = setting
  }
}

/** What the SDK throws, as far as it is looked at: the rest holds requests, with their signatures. */
interface SdkError {
  readonly name?: string
  readonly message?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** A request that failed for good. */
export class S3Failure {
  readonly _tag = "S3Failure"
  /** S3's word for it, or Node's. */
  readonly code: string
  readonly status: number | undefined
  readonly message: string
  constructor(error: unknown) {
    const { $metadata, code, message, name } = error as SdkError
    this.code = (name === "Error" ? code : name) ?? code ?? "Error"
    this.status = $metadata?.httpStatusCode
    this.message = message ?? ""
  }

  get isMissing(): boolean {
    return this.status === 404
  }
}

/** A failure while content is written or read, as a defect that says with which. */
export const troubleAt = (path: string, failure: S3Failure): StorageFull | FileTrouble =>
  isFull(failure)
    ? new StorageFull({ path })
    : new FileTrouble(path, failure.code === "NoSuchKey" ? "it is not there" : wordsFor(failure).why)

const isFull = ({ code, status }: S3Failure) =>
  status === 507 || /^(QuotaExceeded|InsufficientCapacity|InsufficientStorage|XMinioStorageFull)$/.test(code)

/** The same, before anything was written or read. */
export const refusalOf = (path: string, failure: S3Failure): FilesRefused => {
  const { setting, why } = wordsFor(failure)
  return new FilesRefused(setting, path, why)
}

const wordsFor = (failure: S3Failure): { readonly setting: Setting; readonly why: string } => {
  const { code, message, status } = failure
  const said = status === undefined ? code : `${status} ${code}`
  switch (code) {
    case "NoSuchBucket":
      return { setting: "bucket", why: "there is no such bucket" }
    case "CredentialsProviderError":
      return { setting: "credentials", why: "no credentials were given, and none were found on this machine" }
    case "InvalidAccessKeyId":
    case "SignatureDoesNotMatch":
    case "ExpiredToken":
    case "InvalidToken":
      return { setting: "credentials", why: `the credentials are not accepted (${said})` }
    case "PermanentRedirect":
    case "AuthorizationHeaderMalformed":
    case "IllegalLocationConstraintException":
      return { setting: "region", why: `the bucket is in another region (${said})` }
  }
  if (/region is missing/i.test(message)) return { setting: "region", why: "its region is not known" }
  if (status === 404) return { setting: "bucket", why: `it is not there (${said})` }
  if (status === 401 || status === 403) return { setting: "credentials", why: `access is denied (${said})` }
  if (status === 301 || status === 307) return { setting: "region", why: `the bucket is elsewhere (${said})` }
  return { setting: "endpoint", why: status === undefined ? `no answer (${code}: ${message})` : `it answers ${said}` }
}
