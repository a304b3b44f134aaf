import type { FileBody } from "./options.ts"

/** Parts of an operation's request besides its path. */
export interface Details {
  /** JSON, or bytes and text as they are. */
  readonly body?: object | FileBody
  readonly query?: object | undefined
  /** The operation takes an `Idempotency-Key`. */
  readonly isKeyed?: boolean
  /** The operation takes no token. */
  readonly isPublic?: boolean
}

/** One call of an operation. */
export interface Call extends Details {
  readonly method: string
  /** From the root of the service: `/api/v2/recordings`. */
  readonly path: string
}
