import type { Settings } from "@tapedeck/client"
import type { Tone } from "../ui/Badge.tsx"

type State = Settings.DeliveryState
type Outcome = Settings.AttemptOutcome

export const stateWords: Readonly<Record<State, string>> = {
  scheduled: "Scheduled",
  attempting: "In progress",
  waiting: "Waiting",
  delivered: "Delivered",
  permanently_failed: "Permanently failed",
  cancelled: "Cancelled"
}

export const states = Object.keys(stateWords) as ReadonlyArray<State>

export const stateTones: Readonly<Record<State, Tone>> = {
  scheduled: "info",
  attempting: "info",
  waiting: "warn",
  delivered: "good",
  permanently_failed: "bad",
  cancelled: "plain"
}

const outcomeWords: Readonly<Record<Outcome, string>> = {
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

/** How an attempt ended: `200`, `503`, or the stage that failed. */
export const outcomeOf = ({
  outcome,
  status_code: status
}: Pick<Settings.Attempt, "outcome" | "status_code">): string =>
  status === null ? outcomeWords[outcome] : String(status)

/** The same in words. */
export const outcomeInWords = ({ outcome }: Pick<Settings.Attempt, "outcome">): string => outcomeWords[outcome]
