import { isSigningError, type SigningFailure } from "./errors.ts"
import { type Verified, type VerifyOptions, type VerifySyncOptions, verify, verifySync } from "./verify.ts"
import { type VerifiedEvent, verifyEvent, verifyEventSync } from "./verifyEvent.ts"

/** A value, or an error instead of an exception. `ok` distinguishes the two. */
export type Result<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly error: SigningFailure }

// What is not ours (a replay store that cannot be reached, say) stays an exception.
const failed = (error: unknown): { readonly ok: false; readonly error: SigningFailure } => {
  if (isSigningError(error)) return { ok: false, error }
  throw error
}

const settled = <A>(promise: Promise<A>): Promise<Result<A>> =>
  promise.then((value): Result<A> => ({ ok: true, value }), failed)

const attempted = <A>(run: () => A): Result<A> => {
  try {
    return { ok: true, value: run() }
  } catch (error) {
    return failed(error)
  }
}

/** Same as `verify`, but returns a `Result`. */
export const verifyResult = (options: VerifyOptions): Promise<Result<Verified>> => settled(verify(options))

/** Same as `verifySync`, but returns a `Result`. */
export const verifyResultSync = (options: VerifySyncOptions): Result<Verified> => attempted(() => verifySync(options))

/** Same as `verifyEvent`, but returns a `Result`. */
export const verifyEventResult = (options: VerifyOptions): Promise<Result<VerifiedEvent>> =>
  settled(verifyEvent(options))

/** Same as `verifyEventSync`, but returns a `Result`. */
export const verifyEventResultSync = (options: VerifySyncOptions): Result<VerifiedEvent> =>
  attempted(() => verifyEventSync(options))
