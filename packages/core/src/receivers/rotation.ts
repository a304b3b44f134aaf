import type { SigningSecrets } from "@tapedeck/domain"
import { acceptedPart, type DecodedInput, type SecretRotation } from "@tapedeck/domain/input"
import {
  DEFAULT_OVERLAP_MS,
  livePreviousSecrets,
  MAX_PREVIOUS_SECRETS,
  rotateSecret
} from "@tapedeck/domain/internal/receivers"
import { Effect } from "effect"
import { StateConflict } from "../errors.ts"
import { Ids } from "../Ids.ts"
import { valueOf } from "../input/decodeInput.ts"
import { now } from "../now.ts"

/** Returns the receiver with a new secret; the old one signs too during the overlap. */
export const rotated = Effect.fnUntraced(function* <Owner extends SigningSecrets>(
  owner: Owner,
  input: DecodedInput<SecretRotation>
) {
  const at = yield* now
  const overlaps = acceptedPart(input).overlap_seconds !== 0 && owner.secret !== null
  if (overlaps && livePreviousSecrets(owner, at).length >= MAX_PREVIOUS_SECRETS) {
    const reason = `${MAX_PREVIOUS_SECRETS} old secrets sign along already: wait until one expires, or rotate with overlap_seconds 0`
    return yield* new StateConflict({ reason })
  }
  const { overlap_seconds, secret: given } = yield* valueOf(input)
  const overlapMs = overlap_seconds === undefined ? DEFAULT_OVERLAP_MS : overlap_seconds * 1000
  return rotateSecret(owner, { to: given ?? (yield* Ids.webhookSecret), at, overlapMs })
})
