import type { Settings } from "@tapedeck/client"
import type { AttemptOutcome, DeliveryStateName } from "@tapedeck/domain"
import { isSkipReason, skipText } from "@tapedeck/domain/internal/delivery"
import { platformName, titleOf } from "../recordings/facts.ts"
import type { Tone } from "../ui/Badge.tsx"
import { keysOf, known, words } from "../ui/format.ts"

type State = Settings.DeliveryState
type Outcome = Settings.AttemptOutcome

const stateNames: Readonly<Record<DeliveryStateName, string>> = {
  scheduled: "Scheduled",
  attempting: "In progress",
  waiting: "Waiting",
  delivered: "Delivered",
  permanently_failed: "Permanently failed",
  cancelled: "Cancelled",
  skipped: "Skipped"
}

export const states = keysOf(stateNames)

export const stateWord = (state: State): string => known(stateNames, state) ?? words(state)

const stateTones: Readonly<Record<DeliveryStateName, Tone>> = {
  scheduled: "info",
  attempting: "info",
  waiting: "warn",
  delivered: "good",
  permanently_failed: "bad",
  cancelled: "plain",
  skipped: "plain"
}

export const stateTone = (state: State): Tone => known(stateTones, state) ?? "plain"

/** Returns why a delivery was skipped: `Skipped: the recording has no ticket.` */
export const skipSentence = ({ reason, variables }: Settings.Skip): string =>
  `Skipped: ${isSkipReason(reason) ? skipText({ reason, variables }) : words(reason)}.`

/** Returns the recording of a delivery in words, `Checkout fails (Zendesk 4711)`; null for a delivery without one, and for a deleted one. */
export const subjectOf = ({ recording }: Pick<Settings.Delivery, "recording">): string | null => {
  if (recording === undefined || recording === null) return null
  const { platform, ticket_id: ticket } = recording
  return `${titleOf(recording)}${ticket === null ? "" : ` (${platformName(platform)} ${ticket})`}`
}

const outcomeNames: Readonly<Record<AttemptOutcome, string>> = {
  success: "Success",
  failure: "Refused by the receiver",
  timeout: "Timed out",
  reset: "Connection reset",
  refused: "Connection refused",
  dns: "Name not found",
  tls: "TLS failed",
  blocked: "Blocked by policy",
  lost: "Lost with its worker"
}

const outcomeWord = (outcome: Outcome): string => known(outcomeNames, outcome) ?? words(outcome)

/** Returns the outcome of an attempt: `200`, `503`, or the stage that failed. */
export const outcomeOf = ({
  outcome,
  status_code: status
}: Pick<Settings.Attempt, "outcome" | "status_code">): string =>
  status === null ? outcomeWord(outcome) : String(status)

/** Returns the outcome of an attempt in words. */
export const outcomeInWords = ({ outcome }: Pick<Settings.Attempt, "outcome">): string => outcomeWord(outcome)
