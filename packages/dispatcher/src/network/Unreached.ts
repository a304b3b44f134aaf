import type { AttemptOutcome } from "@tapedeck/domain"

/** Why nothing was sent, where it is known better than by an error code: the stage, and a sentence for the attempt's log. */
export class Unreached extends Error {
  readonly outcome: AttemptOutcome

  constructor(outcome: AttemptOutcome, message: string) {
    super(message)
    this.name = "Unreached"
    this.outcome = outcome
  }
}
