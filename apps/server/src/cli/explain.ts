import { cannotListen, type ListenError } from "@tapedeck/core/command"
import type { FilesRefused } from "@tapedeck/storage/files"
import type { ServeError } from "effect/http/HttpServerError"
import type { SqlError } from "effect/sql/SqlError"
import { variableOf } from "../config/setting.ts"
import { type ConfigInvalid, type PlaceOf, problemLines, type SettingName } from "../config/settings.ts"
import { exitCodes } from "./usage.ts"

/** Exit codes of expected errors by their tag: the modules that define them are loaded only if they are used. */
const codes = {
  BackupRefused: exitCodes.data,
  ChainKeyRefused: exitCodes.audit,
  DataRefused: exitCodes.data,
  DatabaseRefused: exitCodes.data,
  DirectoryInUse: exitCodes.data,
  FileError: exitCodes.data,
  FixturesUnreadable: exitCodes.fixtures,
  KeyRefused: exitCodes.key,
  OtherKey: exitCodes.key,
  StartDocumentInvalid: exitCodes.fixtures,
  StorageFull: exitCodes.data,
  UsageError: exitCodes.usage
} as const

type Expected = ConfigInvalid | FilesRefused | ServeError | SqlError | (Error & { readonly _tag: keyof typeof codes })

/**
 * The message and exit code of an expected error; null for a defect, which prints its stack. A setting is named by the place
 * where it was set.
 */
export const explain = (
  thrown: unknown,
  placeOf: PlaceOf = variableOf
): { readonly text: string; readonly code: number } | null => {
  if (!(thrown instanceof Error)) return null
  const error = thrown as Expected
  switch (error._tag) {
    case "ConfigInvalid":
      return { text: problemLines(error.problems, placeOf), code: exitCodes.usage }
    case "FilesRefused": {
      const problem = { names: settingsOf[error.setting], text: error.message }
      return { text: problemLines([problem], placeOf), code: exitCodes.data }
    }
    case "ServeError":
      return { text: cannotListen(error.cause as ListenError, placeOf), code: exitCodes.listen }
    case "SqlError":
      return isDatabaseGone(error) ? { text: error.message, code: exitCodes.data } : null
    default:
      return Object.hasOwn(codes, error._tag) ? { text: error.message, code: codes[error._tag] } : null
  }
}

/** The connection to PostgreSQL was lost while the command ran: an operational error, not a defect. */
const isDatabaseGone = ({ reason: { _tag, cause } }: SqlError): boolean =>
  _tag === "ConnectionError" || /^57P0[123]$/.test(String((cause as { readonly code?: unknown } | null)?.code))

/** The settings to check if files cannot be used. */
const settingsOf: Readonly<Record<FilesRefused["setting"], ReadonlyArray<SettingName>>> = {
  bucket: ["files"],
  directory: ["data"],
  credentials: ["s3_access_key_id", "s3_secret_access_key"],
  endpoint: ["s3_endpoint"],
  region: ["s3_region"]
}
