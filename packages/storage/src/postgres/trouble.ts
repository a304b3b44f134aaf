import { StorageFull } from "@tapedeck/core"
import { Cause } from "effect"
import { isSqlError, SqlError } from "effect/sql/SqlError"
import { ConnectionRefused } from "./encryption.ts"

/** How errors and logs name a database: without the password, and without what else an address may hold. */
export const nameOf = (url: string): string => {
  try {
    const { host, pathname, username } = new URL(url)
    return `postgres://${username === "" ? "" : `${username}@`}${host}${pathname}`
  } catch {
    return "the PostgreSQL database"
  }
}

interface ServerError {
  /** PostgreSQL's own, or the operating system's. */
  readonly code?: string
  readonly message?: string
}

const causeOf = ({ reason: { cause } }: SqlError): ServerError =>
  typeof cause === "object" && cause !== null ? (cause as ServerError) : {}

const DISK_FULL = "53100"

/** Why TLS did not begin, and what to do; undefined where something else is wrong. */
const tlsProblem = ({ code = "", message = "" }: ServerError): string | undefined => {
  if (message === "The server does not support TLS") {
    return "it has no TLS: turn that on there, or set sslmode=disable in its address if the way to it is private"
  }
  return /CERT|^UNABLE_TO|^ERR_TLS/.test(code)
    ? `its certificate is not trusted (${message}): name its CA's file in its address, ?sslmode=verify-full&sslrootcert=FILE`
    : undefined
}

const wordsFor = (error: SqlError): string => {
  const cause = causeOf(error)
  const { code, message = error.reason.message ?? error.reason._tag } = cause
  if (cause instanceof ConnectionRefused) return cause.message
  switch (error.reason._tag) {
    case "AuthenticationError":
      return "it does not let this user in: look at the user's name and the password"
    case "ConnectionError":
      // Several addresses of one host were tried: then the message is empty.
      return tlsProblem(cause) ?? `it cannot be reached (${message === "" ? code : message})`
    default:
      if (code === "3D000") return "there is no such database"
      return code === DISK_FULL ? "there is no space left for it" : message
  }
}

/** What PostgreSQL said, with the database's name; without what it says of values, which may be somebody's. */
export const sqlErrorOf = (error: SqlError, name: string): SqlError => {
  const { code } = causeOf(error)
  const { operation } = error.reason as { readonly operation?: string }
  const message = `${name}: ${wordsFor(error)}`
  const cause = Object.assign(new Error(message), { code })
  const Reason = error.reason.constructor as new (fields: object) => SqlError["reason"]
  return new SqlError({ reason: new Reason({ ...error.reason, cause, message, operation: operation ?? "query" }) })
}

export const defectOf = (error: SqlError, name: string): StorageFull | SqlError => {
  const told = sqlErrorOf(error, name)
  return causeOf(error).code === DISK_FULL ? Object.assign(new StorageFull({ path: name }), { cause: told }) : told
}

/** What the database refused a transaction's body, if that is what it ended with. */
export const refusalIn = (cause: Cause.Cause<unknown>): SqlError | undefined => {
  for (const reason of cause.reasons) {
    const error = Cause.isDieReason(reason) ? reason.defect : Cause.isFailReason(reason) ? reason.error : undefined
    if (isSqlError(error)) return error
  }
  return undefined
}

/**
 * Whether another transaction was in the way, so that the same may do next time. A row that somebody else has just made is
 * told as a violation of uniqueness: the next time it is seen by whoever asks for it.
 */
export const isConflict = ({ reason: { _tag } }: SqlError): boolean =>
  _tag === "SerializationError" || _tag === "DeadlockError" || _tag === "UniqueViolation"

/**
 * Whether the connection ended, or the server is going down or coming up: nothing of an open transaction is kept then. 25P03:
 * it was idle in the middle of a transaction for too long, as of a process that was stopped.
 */
export const isDisconnection = (error: SqlError): boolean =>
  error.reason._tag === "ConnectionError" || /^(57P0[123]|25P03)$/.test(causeOf(error).code ?? "")
