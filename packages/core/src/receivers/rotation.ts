import type { SigningSecrets } from "@tapedeck/domain"
import { integer, object, optional, secret } from "@tapedeck/domain/input"
import {
  DEFAULT_OVERLAP_MS,
  livePreviousSecrets,
  MAX_OVERLAP_MS,
  MAX_PREVIOUS_SECRETS,
  rotateSecret
} from "@tapedeck/domain/internal"
import { Effect } from "effect"
import { StateConflict } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { readInput, type SettingsInput } from "../input/decodeInput.ts"
import { now } from "../now.ts"

const longestSeconds = MAX_OVERLAP_MS / 1000

export const RotationInput = object(
  optional({
    secret: secret("The new secret. Default: one is made."),
    overlap_seconds: integer(
      `must be an integer from 0 to ${longestSeconds}`,
      { minimum: 0, maximum: longestSeconds },
      "How long the old secret signs along. Default: a day. 0: every old secret stops at once."
    )
  }),
  "A rotation."
)

/** Returns the receiver with a new secret; the old one signs too during the overlap. */
export const rotated = Effect.fnUntraced(function* <Owner extends SigningSecrets>(owner: Owner, input: SettingsInput) {
  const at = yield* now
  const overlaps = input.overlap_seconds !== 0 && owner.secret !== null
  if (overlaps && livePreviousSecrets(owner, at).length >= MAX_PREVIOUS_SECRETS) {
    const reason = `${MAX_PREVIOUS_SECRETS} old secrets sign along already: wait until one expires, or rotate with overlap_seconds 0`
    return yield* new StateConflict({ reason })
  }
  const { overlap_seconds, secret: given } = yield* readInput(RotationInput, input)
  const overlapMs = overlap_seconds === undefined ? DEFAULT_OVERLAP_MS : overlap_seconds * 1000
  return rotateSecret(owner, { to: given ?? (yield* Ids.webhookSecret), at, overlapMs })
})
