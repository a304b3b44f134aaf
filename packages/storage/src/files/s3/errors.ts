import { StorageFull } from "@tapedeck/core"
import { FileError, FilesRefused, type FilesSetting } from "../errors.ts"

/** The used fields of the SDK's errors: others contain requests with their signatures. */
interface SdkError {
  readonly name?: string
  readonly message?: string
  readonly code?: string
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** A request that failed after its last try. */
export class S3Failure {
  readonly _tag = "S3Failure"
  /** S3's error code, or Node's. */
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

/** A failure to write or read content, as a defect that names the content. */
export const fileErrorAt = (path: string, failure: S3Failure): StorageFull | FileError =>
  isFull(failure)
    ? new StorageFull({ path })
    : new FileError(path, failure.code === "NoSuchKey" ? "no such content" : problemOf(failure).why)

const isFull = ({ code, status }: S3Failure) =>
  status === 507 || /^(QuotaExceeded|InsufficientCapacity|InsufficientStorage|XMinioStorageFull)$/.test(code)

/** The same at start, with the S3 operation that failed. */
export const refusalOf = (path: string, operation: string, failure: S3Failure): FilesRefused => {
  const { setting, why } = problemOf(failure)
  return new FilesRefused(setting, path, `${operation} failed: ${why}`)
}

const problemOf = (failure: S3Failure): { readonly setting: FilesSetting; readonly why: string } => {
  const { code, message, status } = failure
  const answer = status === undefined ? code : `${status} ${code}`
  switch (code) {
    case "NoSuchBucket":
      return { setting: "bucket", why: "there is no such bucket" }
    case "CredentialsProviderError":
      return { setting: "credentials", why: "no credentials were given, and none were found on this machine" }
    case "InvalidAccessKeyId":
    case "SignatureDoesNotMatch":
    case "ExpiredToken":
    case "InvalidToken":
      return { setting: "credentials", why: `the credentials are not accepted (${answer})` }
    case "PermanentRedirect":
    case "AuthorizationHeaderMalformed":
    case "IllegalLocationConstraintException":
      return { setting: "region", why: `the bucket is in another region (${answer})` }
  }
  if (/region is missing/i.test(message)) return { setting: "region", why: "its region is not known" }
  if (status === 404) return { setting: "bucket", why: `it is not there (${answer})` }
  if (status === 401 || status === 403) return { setting: "credentials", why: `access is denied (${answer})` }
  if (status === 301 || status === 307) return { setting: "region", why: `the bucket is elsewhere (${answer})` }
  return { setting: "endpoint", why: status === undefined ? `no answer (${code}: ${message})` : `it answers ${answer}` }
}
