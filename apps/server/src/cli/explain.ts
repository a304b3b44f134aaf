import { ChainKeyRefused } from "@tapedeck/core"
import { StartDocumentInvalid } from "@tapedeck/fixtures"
import type { FilesRefused } from "@tapedeck/storage/files"
import { ServeError } from "effect/http/HttpServerError"
import { ConfigInvalid } from "../config/Config.ts"
import { DataRefused } from "../dataDirectory.ts"
import { KeyRefused } from "../key/keyText.ts"
import { FixturesUnreadable } from "../start/fixtures.ts"
import { UsageError } from "./commandLine.ts"
import { exitCodes } from "./usage.ts"

/** The message and exit code of an expected error; null for a defect, which prints its stack. */
export const explain = (error: unknown): { readonly text: string; readonly code: number } | null => {
  if (error instanceof UsageError) return { text: `${error.message}\nSee tapedeck --help.`, code: exitCodes.usage }
  if (error instanceof ConfigInvalid) return { text: error.message, code: exitCodes.usage }
  if (error instanceof FixturesUnreadable) return { text: error.message, code: exitCodes.fixtures }
  if (error instanceof StartDocumentInvalid) return { text: error.message, code: exitCodes.fixtures }
  if (error instanceof DataRefused) return { text: error.message, code: exitCodes.data }
  if (error instanceof KeyRefused) return { text: error.message, code: exitCodes.key }
  if (error instanceof Error && error.name === "OtherKey") return { text: error.message, code: exitCodes.key }
  if (isFilesRefused(error)) {
    return { text: `${settingOf[error.setting]}: ${error.message}`, code: exitCodes.data }
  }
  if (isStorageError(error) || isDatabaseGone(error)) return { text: error.message, code: exitCodes.data }
  if (error instanceof ChainKeyRefused) return { text: error.message, code: exitCodes.audit }
  if (error instanceof ServeError) return { text: cannotListen(error.cause as AddressError), code: exitCodes.listen }
  return null
}

/** Compares names, because the modules of the store are loaded only if they are used. */
const isStorageError = (error: unknown): error is Error =>
  error instanceof Error && /^(BackupRefused|DatabaseRefused|DirectoryInUse|FileError|StorageFull)$/.test(error.name)

interface SqlFailure extends Error {
  readonly _tag: "SqlError"
  readonly reason: { readonly _tag: string; readonly cause?: unknown }
}

const isSqlFailure = (error: unknown): error is SqlFailure =>
  error instanceof Error && (error as Partial<SqlFailure>)._tag === "SqlError"

/** The connection to PostgreSQL was lost while the command ran: an operational error, not a defect. */
const isDatabaseGone = (error: unknown): error is Error => {
  if (!isSqlFailure(error)) return false
  const { _tag, cause } = error.reason
  return _tag === "ConnectionError" || /^57P0[123]$/.test(String((cause as { readonly code?: unknown } | null)?.code))
}

/** The variable to check if a bucket cannot be used. */
const settingOf: Readonly<Record<FilesRefused["setting"], string>> = {
  bucket: "TAPEDECK_FILES",
  credentials: "TAPEDECK_S3_ACCESS_KEY_ID and TAPEDECK_S3_SECRET_ACCESS_KEY",
  endpoint: "TAPEDECK_S3_ENDPOINT",
  region: "TAPEDECK_S3_REGION"
}

const isFilesRefused = (error: unknown): error is FilesRefused =>
  error instanceof Error && error.name === "FilesRefused"

type AddressError = NodeJS.ErrnoException & {
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

const cannotListen = ({ address, code, hostname, message, port }: AddressError): string => {
  switch (code) {
    case "EADDRINUSE":
      return `--port: ${port} is in use at ${address}; --port 0 takes a free one`
    case "EACCES":
      return `--port: this user may not listen at ${port}`
    case "EADDRNOTAVAIL":
      return `--host: ${address} is not an address of this machine`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `--host: host name not found: ${hostname}`
    default:
      return `cannot listen: ${message}`
  }
}
