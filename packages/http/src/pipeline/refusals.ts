import {
  type ApiError,
  BadRequest,
  Conflict,
  Forbidden,
  Gone,
  InsufficientStorage,
  Internal,
  NotFound,
  PayloadTooLarge,
  ServiceUnavailable,
  TooManyRequests,
  Unauthenticated,
  Unprocessable
} from "@tapedeck/contract"
import type * as Core from "@tapedeck/core"
import { storeFailureIn } from "@tapedeck/core"
import type { LogUnreadable } from "@tapedeck/domain/capture"
import type { TranscriptUnreadable } from "@tapedeck/domain/transcript"
import { type Cause, Effect } from "effect"

type CoreRefusal =
  | Core.ApiAccessDisabled
  | Core.CaptureRefused
  | Core.CaptureTooLarge
  | Core.ChangesForgotten
  | Core.TooManyPieces
  | Core.CrossSite
  | Core.Forbidden
  | Core.InputInvalid
  | Core.InputMalformed
  | Core.KeyInFlight
  | Core.KeyReused
  | Core.LinkRefused
  | Core.LinkUsedUp
  | LogUnreadable
  | Core.NotAPicture
  | Core.NotAVideo
  | Core.NotFound
  | Core.OriginRefused
  | Core.SessionRequired
  | Core.SignInRefused
  | Core.StateConflict
  | Core.StorageFull
  | TranscriptUnreadable
  | Core.Unauthenticated
  | Core.UploadTooLarge
  | Core.VideoNotReady

type Throttled = Core.RateLimited | Core.SignInThrottled | Core.SummariesLimited

/** A refusal with its rule, if the endpoint and the status do not determine it. */
export class RefusedBy {
  readonly _tag = "RefusedBy"
  readonly error: ApiError
  readonly rule: string
  constructor(rule: string, error: ApiError) {
    this.rule = rule
    this.error = error
  }
}

/** Refusals of an endpoint. */
export type Refusal = ApiError | CoreRefusal | Throttled | RefusedBy

const classes = {
  ApiAccessDisabled: Forbidden,
  CaptureRefused: Unauthenticated,
  CaptureTooLarge: PayloadTooLarge,
  ChangesForgotten: Gone,
  TooManyPieces: PayloadTooLarge,
  CrossSite: Forbidden,
  Forbidden,
  InputInvalid: Unprocessable,
  InputMalformed: BadRequest,
  KeyInFlight: Conflict,
  KeyReused: Unprocessable,
  LinkRefused: NotFound,
  LinkUsedUp: Gone,
  LogUnreadable: BadRequest,
  NotAPicture: Unprocessable,
  NotAVideo: Unprocessable,
  NotFound,
  OriginRefused: Forbidden,
  SessionRequired: Forbidden,
  SignInRefused: Unauthenticated,
  StateConflict: Conflict,
  StorageFull: InsufficientStorage,
  TranscriptUnreadable: Unprocessable,
  Unauthenticated,
  UploadTooLarge: PayloadTooLarge,
  VideoNotReady: Conflict
} satisfies Record<CoreRefusal["_tag"], unknown>

const isCore = (refusal: ApiError | CoreRefusal): refusal is CoreRefusal => Object.hasOwn(classes, refusal._tag)

/** The refusal as the API's error. The words of core's are core's. */
export const apiErrorOf = (refusal: Refusal): ApiError => {
  if (refusal._tag === "RefusedBy") return refusal.error
  const { message } = refusal
  if ("retryAfterMs" in refusal) {
    return new TooManyRequests({ message, retryAfterSeconds: Math.max(1, Math.ceil(refusal.retryAfterMs / 1000)) })
  }
  if (refusal._tag === "LogUnreadable" && refusal.lines !== undefined)
    return new BadRequest({ message, lines: refusal.lines })
  return isCore(refusal) ? new classes[refusal._tag]({ message }) : refusal
}

/** The rule that the refusal itself names. */
export const ownRule = (refusal: Refusal): string | undefined => {
  if (refusal._tag === "RefusedBy") return refusal.rule
  return refusal._tag === "ApiAccessDisabled" ? "General rules 1" : undefined
}

/** Refusals that are the same everywhere. Decisions by their number, the specification by its part; it has no word on 503. */
export const rulesEverywhere: Readonly<Record<number, string>> = {
  401: "Authentication 3",
  405: "R20",
  412: "R12",
  413: "R20",
  414: "R20",
  415: "R20",
  416: "R12",
  429: "R18",
  500: "R3"
}

/** The refusal of parameters; by the first rule that one of them has. */
export const refuseParameters = (
  { parameterRules = {} }: { readonly parameterRules?: Readonly<Record<string, string>> },
  names: Iterable<string>,
  message: string
): Refusal => {
  const error = new BadRequest({ message })
  for (const name of names) {
    const rule = parameterRules[name]
    if (rule !== undefined) return new RefusedBy(rule, error)
  }
  return error
}

/** Seconds until a caller repeats a request for which the store was too busy. */
const busySeconds = 1

/** Seconds until a caller repeats a request that the database did not answer. */
const unavailableSeconds = 5

/** The answer to a defect, and its line in the log, which alone has the cause (R3). */
export const failureOf = (
  cause: Cause.Cause<unknown>
): { readonly error: ApiError; readonly logged: Effect.Effect<void> } => {
  const failure = storeFailureIn(cause)
  switch (failure?._tag) {
    case "StorageFull":
      return {
        error: new InsufficientStorage({ message: failure.message }),
        logged: Effect.logError("No space is left", { path: failure.path })
      }
    case "StoreBusy":
      return {
        error: new ServiceUnavailable({ message: failure.message, retryAfterSeconds: busySeconds }),
        logged: Effect.annotateLogs(Effect.logError("A request was refused: its transaction conflicted at each try"), {
          tries: failure.tries
        })
      }
    case "StoreUnavailable":
      return {
        error: new ServiceUnavailable({ message: failure.message, retryAfterSeconds: unavailableSeconds }),
        logged: Effect.logError("A request was refused: the database does not respond", cause)
      }
    default:
      return {
        error: new Internal({ message: "Internal server error" }),
        logged: Effect.logError("A request failed", cause)
      }
  }
}
