import type { Recording } from "@tapedeck/domain"
import { MAX_SUMMARY_REQUESTS } from "@tapedeck/domain/internal/recordings"
import { Schema } from "effect"
import type { Caller } from "../../people/Caller.ts"
import type { TryCount } from "../../people/signIn/tries.ts"

const perMs = 3_600_000

/** More title, summary and chapters were requested than the limits of an hour allow (429). */
export class SummariesLimited extends Schema.TaggedError<SummariesLimited>()("SummariesLimited", {
  retryAfterMs: Schema.Int
}) {
  override get message() {
    const { account, recording, user } = MAX_SUMMARY_REQUESTS
    return (
      "Title, summary and chapters were requested too often: " +
      `at most ${recording} requests an hour for a recording, ${user} for a user and ${account} for an account`
    )
  }
}

/** The counters of a request for texts of the recording, with their limits. */
export const summaryCounts = ({ account, user }: Caller, recording: Recording): ReadonlyArray<TryCount> => {
  const ids = { recording: recording.uuid, user: user.id, account: account.id }
  return (["recording", "user", "account"] as const).map((name) => [
    `summary ${name} ${ids[name]}`,
    { tries: MAX_SUMMARY_REQUESTS[name], perMs }
  ])
}
