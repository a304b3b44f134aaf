import { ChainKeyRefused } from "@tapedeck/core"
import { StartDocumentInvalid } from "@tapedeck/fixtures"
import type { FilesRefused } from "@tapedeck/storage/files"
import { ServeError } from "effect/http/HttpServerError"
import { ConfigInvalid } from "../config/Config.ts"
import { variableOf } from "../config/setting.ts"
import { type PlaceOf, problemLines, type SettingName } from "../config/settings.ts"
import { DataRefused } from "../dataDirectory.ts"
import { KeyRefused } from "../key/keyText.ts"
import { FixturesUnreadable } from "../start/fixtures.ts"
import { UsageError } from "./commandLine.ts"
import { exitCodes } from "./usage.ts"

/**
 * The message and exit code of an expected error; null for a defect, which prints its stack. A setting is named by the place
 * where it was set.
 */
export const explain = (
  error: unknown,
  placeOf: PlaceOf = variableOf
): { readonly text: string; readonly code: number } | null => {
  if (error instanceof UsageError) return { text: error.message, code: exitCodes.usage }
  if (error instanceof ConfigInvalid) {
    return { text: problemLines(error.problems, placeOf), code: exitCodes.usage }
  }
  if (error instanceof FixturesUnreadable) return { text: error.message, code: exitCodes.fixtures }
  if (error instanceof StartDocumentInvalid) return { text: error.message, code: exitCodes.fixtures }
  if (error instanceof DataRefused) return { text: error.message, code: exitCodes.data }
  if (error instanceof KeyRefused) return { text: error.message, code: exitCodes.key }
  if (error instanceof Error && error.name === "OtherKey") return { text: error.message, code: exitCodes.key }
  if (isFilesRefused(error)) {
    const problem = { names: settingsOf[error.setting], text: error.message }
    return { text: problemLines([problem], placeOf), code: exitCodes.data }
  }
  if (isStorageError(error) || isDatabaseGone(error)) return { text: error.message, code: exitCodes.data }
  if (error instanceof ChainKeyRefused) return { text: error.message, code: exitCodes.audit }
  if (error instanceof ServeError) {
    return { text: cannotListen(error.cause as AddressError, placeOf), code: exitCodes.listen }
  }
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

/** The settings to check if a bucket cannot be used. */
const settingsOf: Readonly<Record<FilesRefused["setting"], ReadonlyArray<SettingName>>> = {
  bucket: ["files"],
  credentials: ["s3_access_key_id", "s3_secret_access_key"],
  endpoint: ["s3_endpoint"],
  region: ["s3_region"]
}

const isFilesRefused = (error: unknown): error is FilesRefused =>
  error instanceof Error && error.name === "FilesRefused"

type AddressError = NodeJS.ErrnoException & {
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

const cannotListen = ({ address, code, hostname, message, port }: AddressError, placeOf: PlaceOf): string => {
  switch (code) {
    case "EADDRINUSE":
      return `${placeOf("port")}: ${port} is in use at ${address}; use --port 0 for a free one`
    case "EACCES":
      return `${placeOf("port")}: this user may not listen at ${port}`
    case "EADDRNOTAVAIL":
      return `${placeOf("host")}: ${address} is not an address of this machine`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${placeOf("host")}: host name not found: ${hostname}`
    default:
      return `cannot listen: ${message}`
  }
}
