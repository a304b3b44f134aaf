import type { Instant } from "@tapedeck/domain"
import type { Capture, CaptureToken } from "@tapedeck/domain/capture"
import type { DecodedInput, FinishInput } from "@tapedeck/domain/input"
import { Context, Effect } from "effect"
import { AuditLog } from "../audit/AuditLog.ts"
import { type InputInvalid, NotFound, type RateLimited } from "../errors.ts"
import { removePieceFiles } from "../files/pieces.ts"
import { Folders } from "../folders/Folders.ts"
import { Ids } from "../Ids.ts"
import type { UnfinishedJob } from "../jobs/JobRunner.ts"
import { now } from "../now.ts"
import { ServiceConfig } from "../ServiceConfig.ts"
import { serviceLayer } from "../serviceLayer.ts"
import { inTransaction, storeKeys, storeOf } from "../store/Store.ts"
import { Vault } from "../Vault.ts"
import { isOfDeactivated, issueToken } from "./begin.ts"
import { type CaptureClaim, claimCapture, keepAlive, openCapture } from "./captureJob.ts"
import { dropCapture } from "./captureOfRecording.ts"
import { runCaptureJob } from "./due.ts"
import { CaptureRefused } from "./errors.ts"
import { closeAsFinished, completeCapture } from "./finish.ts"
import { countCode, maxPairings, pairingCodeMs } from "./limits.ts"

/** Access of a page that was paired with a capture. */
export interface Paired {
  readonly capture: Capture
  readonly token: string
}

/** A capture from its start to its end: who may send to it, signs of life, pairing, and its end. */
export class CaptureSessions extends Context.Service<
  CaptureSessions,
  {
    /** The capture that a token opens, if it is this one and the token is of one of these kinds; `isOver`: also a closed one. */
    readonly authenticate: (
      token: string,
      captureId: string,
      options: { readonly kinds: ReadonlyArray<CaptureToken["kind"]>; readonly isOver?: boolean }
    ) => Effect.Effect<Capture, CaptureRefused>
    /** A sign of life. */
    readonly touch: (captureId: string) => Effect.Effect<void, CaptureRefused>
    readonly pair: (
      captureId: string
    ) => Effect.Effect<{ readonly code: string; readonly expiresAt: Instant }, CaptureRefused | RateLimited>
    readonly redeem: (code: string) => Effect.Effect<Paired, CaptureRefused | NotFound>
    /** A repeat answers the same, and waits for nothing: the first one completes the capture. */
    readonly finish: (
      captureId: string,
      input: DecodedInput<FinishInput>
    ) => Effect.Effect<Capture, InputInvalid | CaptureRefused>
    readonly discard: (captureId: string) => Effect.Effect<void, CaptureRefused>
    /** Runs the due event of a capture: it is abandoned or completed, or its recording enters its folder. */
    readonly runJob: (claim: CaptureClaim) => Effect.Effect<UnfinishedJob | void>
  }
>()("@tapedeck/core/CaptureSessions") {
  static readonly layer = serviceLayer(
    CaptureSessions,
    [
      AuditLog,
      Folders,
      Ids,
      ServiceConfig,
      Vault,
      ...storeKeys("auditEntries", "automations", "captureLinks", "captures", "changes", "destinations", "files"),
      ...storeKeys("folders", "jobs", "recordingParts", "recordings", "transaction", "tryWindows", "users")
    ],
    () => ({
      authenticate,
      touch: (captureId) => inTransaction(touch(captureId)),
      pair: (captureId) => Effect.andThen(countCode(captureId), inTransaction(pair(captureId))),
      redeem: (code) => inTransaction(redeem(code)),
      finish,
      discard,
      runJob: runCaptureJob
    })
  )
}

const holderOf = Effect.fnUntraced(function* (token: string) {
  const { captures } = yield* storeOf("captures")
  return yield* captures.byToken((yield* Vault).hash(token))
})

const authenticate = Effect.fnUntraced(function* (
  token: string,
  captureId: string,
  { isOver = false, kinds }: { readonly kinds: ReadonlyArray<CaptureToken["kind"]>; readonly isOver?: boolean }
) {
  const found = yield* holderOf(token)
  const isValid =
    found !== undefined &&
    found.capture.id === captureId &&
    kinds.includes(found.token.kind) &&
    found.token.expiresAt > (yield* now) &&
    (isOver || found.capture.state === "open")
  return isValid && !(yield* isOfDeactivated(found.capture)) ? found.capture : yield* new CaptureRefused()
})

const touch = Effect.fnUntraced(function* (captureId: string) {
  yield* Effect.flatMap(openCapture(captureId), keepAlive)
})

const pair = Effect.fnUntraced(function* (captureId: string) {
  const { captures } = yield* storeOf("captures")
  yield* touch(captureId)
  const at = yield* now
  yield* captures.pruneTokens(at)
  const expiresAt = (at + pairingCodeMs) as Instant
  return { code: yield* issueToken(captureId, "code", expiresAt), expiresAt }
})

const redeem = Effect.fnUntraced(function* (code: string) {
  const { captures } = yield* storeOf("captures")
  const found = yield* holderOf(code)
  const isValid = found?.token.kind === "code" && found.token.expiresAt > (yield* now)
  if (found === undefined || !isValid) return yield* new NotFound({ what: "Pairing code" })
  yield* captures.removeToken(found.token.hash)
  const capture = yield* openCapture(found.capture.id)
  yield* keepAlive(capture)
  if (capture.pairings >= maxPairings) return yield* new CaptureRefused()
  yield* captures.save({ ...capture, pairings: capture.pairings + 1 })
  return { capture, token: yield* issueToken(capture.id, "log", capture.expiresAt) }
})

const finish = Effect.fn("CaptureSessions.finish")(function* (captureId: string, input: DecodedInput<FinishInput>) {
  const { captures } = yield* storeOf("captures")
  const closed = yield* inTransaction(Effect.andThen(closeAsFinished(captureId, input), claimCapture(captureId)))
  if (closed !== undefined) yield* completeCapture(closed.capture, closed.claim)
  const capture = yield* captures.byId(captureId)
  return capture ?? (yield* new CaptureRefused())
})

const discard = Effect.fn("CaptureSessions.discard")(function* (captureId: string) {
  yield* removePieceFiles(yield* inTransaction(Effect.flatMap(openCapture(captureId), dropCapture)))
})
