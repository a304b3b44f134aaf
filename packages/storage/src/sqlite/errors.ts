import { StorageFull } from "@tapedeck/core"
import { Schema } from "effect"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"

/** SQLite's primary result codes. */
const READONLY = 8
const IOERR = 10
const CORRUPT = 11
const FULL = 13
const CANTOPEN = 14
const NOTADB = 26

const reasonOf = (code: number, message: string): string => {
  switch (code) {
    case READONLY:
      return "this user may not write to it, or to its directory"
    case CANTOPEN:
      return "its directory does not exist, or this user may not write to it"
    case FULL:
      return "there is no space left for it"
    case NOTADB:
      return "it is not a SQLite database"
    case CORRUPT:
      return `it is damaged (${message}): restore a backup`
    case IOERR:
      return `the disk failed (${message})`
    default:
      return message
  }
}

const codeOf = (cause: unknown): number => ((cause as { readonly errcode?: number }).errcode ?? 0) & 0xff

/** SQLite's error, with the file's name and what to do. */
export const sqlErrorOf = (cause: unknown, file: string): SqlError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new SqlError({
    reason: classifySqliteError(cause, { message: `${file}: ${reasonOf(codeOf(cause), message)}` })
  })
}

/** The error as a defect. A full disk is `StorageFull`, which has its own response. */
export const defectOf = (error: SqlError, file: string): StorageFull | SqlError => {
  if (codeOf(error.reason.cause) !== FULL) return error
  return Object.assign(new StorageFull({ path: file }), { cause: error })
}

/** Another process uses the data directory. */
export class DirectoryInUse extends Schema.TaggedError<DirectoryInUse>()("DirectoryInUse", {
  directory: Schema.String
}) {
  override get message(): string {
    return `${this.directory}: another Tapedeck server, or a command of one, uses this data directory; stop it first, or choose another directory`
  }
}
