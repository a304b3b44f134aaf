import { StorageFull } from "@tapedeck/core"
import { Cause } from "effect"
import { ConnectionError, isSqlError, SqlError } from "effect/sql/SqlError"
import { ConnectionRefused } from "./encryption.ts"

/** The name of a database in errors and logs: its address without password and parameters. */
export const nameOf = (url: string): string => {
  try {
    const { host, pathname, username } = new URL(url)
    return `postgres://${username === "" ? "" : `${username}@`}${host}${pathname}`
  } catch {
    return "the PostgreSQL database"
  }
}

interface ServerError {
  /** PostgreSQL's code, or the operating system's. */
  readonly code?: string
  readonly message?: string
}

const causeOf = ({ reason: { cause } }: SqlError): ServerError =>
  typeof cause === "object" && cause !== null ? (cause as ServerError) : {}

/** PostgreSQL's code of an error, or the operating system's. */
export const codeOf = (error: SqlError): string | undefined => causeOf(error).code

const DISK_FULL = "53100"

/** Reason why TLS failed, and what to do; undefined for other errors. */
const tlsProblem = ({ code = "", message = "" }: ServerError): string | undefined => {
  if (message === "The server does not support TLS") {
    return "it does not support TLS: enable TLS there, or set sslmode=disable in its address if the network is private"
  }
  return /CERT|^UNABLE_TO|^ERR_TLS/.test(code)
    ? `its certificate is not trusted (${message}): name its CA's file in its address, ?sslmode=verify-full&sslrootcert=FILE`
    : undefined
}

const reasonOf = (error: SqlError): string => {
  const cause = causeOf(error)
  const { code, message = error.reason.message ?? error.reason._tag } = cause
  if (cause instanceof ConnectionRefused) return cause.message
  switch (error.reason._tag) {
    case "AuthenticationError":
      return "authentication failed: check the user name and the password"
    case "ConnectionError":
      if (message.startsWith("unsupported startup parameter")) {
        return `a pooler refuses the settings with which a session begins (${message}): connect to PostgreSQL itself, because nodes have pools of their own`
      }
      // The message is empty if several addresses of a host were tried.
      return tlsProblem(cause) ?? `it cannot be reached (${message === "" ? code : message})`
    default:
      if (code === "3D000") return "there is no such database"
      return code === DISK_FULL ? "there is no space left for it" : message
  }
}

/** The error with the database's name, and without its details, which may contain customers' values. */
export const sqlErrorOf = (error: SqlError, name: string): SqlError => {
  const { code } = causeOf(error)
  const { _tag, ...fields } = error.reason as { readonly _tag: string; readonly operation?: string }
  const message = `${name}: ${reasonOf(error)}`
  const cause = Object.assign(new Error(message), { code })
  // Callers recognise a database that is not available by the reason, whichever code it has.
  const known = isDisconnection(error) ? ConnectionError : error.reason.constructor
  const Reason = known as new (fields: object) => SqlError["reason"]
  return new SqlError({ reason: new Reason({ operation: "query", ...fields, cause, message }) })
}

export const defectOf = (error: SqlError, name: string): StorageFull | SqlError => {
  const named = sqlErrorOf(error, name)
  return causeOf(error).code === DISK_FULL ? Object.assign(new StorageFull({ path: name }), { cause: named }) : named
}

/** The database's error with which a transaction's body ended, if any. */
export const sqlErrorIn = (cause: Cause.Cause<unknown>): SqlError | undefined => {
  for (const reason of cause.reasons) {
    const error = Cause.isDieReason(reason) ? reason.defect : Cause.isFailReason(reason) ? reason.error : undefined
    if (isSqlError(error)) return error
  }
  return undefined
}

/**
 * Returns whether the transaction conflicted with another, so that it can succeed when it runs again. A concurrent insert of the same
 * row is a violation of uniqueness; the next run sees that row. A lock that is not granted in time is held by another transaction.
 */
export const isConflict = ({ reason: { _tag } }: SqlError): boolean =>
  _tag === "SerializationError" || _tag === "DeadlockError" || _tag === "LockTimeoutError" || _tag === "UniqueViolation"

/**
 * Returns whether the connection ended, or the server is shutting down or starting: an open transaction is lost then. 25P03: the
 * transaction was idle for too long, because the process was suspended.
 */
export const isDisconnection = (error: SqlError): boolean =>
  error.reason._tag === "ConnectionError" || /^(57P0[123]|25P03)$/.test(causeOf(error).code ?? "")

/** Returns whether the database did not respond in time: to a statement, or to a new connection. */
export const isTimeout = ({ reason }: SqlError): boolean =>
  reason._tag === "StatementTimeoutError" ||
  (reason._tag === "ConnectionError" && /timed out$/.test(reason.message ?? ""))
