import type { AccountId, RecordingUuid, UserId } from "@tapedeck/domain"
import { Schema } from "effect"
import type { TryCount } from "../../people/signIn/tries.ts"

const perMs = 3_600_000

/** Maximum numbers of requests for title, summary and chapters in an hour: each is a paid request to the summarizer. */
const maxRequests = { recording: 10, user: 20, account: 200 }

/** More title, summary and chapters were requested than the limits of an hour allow (429). */
export class SummariesLimited extends Schema.TaggedError<SummariesLimited>()("SummariesLimited", {
  retryAfterMs: Schema.Int
}) {
  override get message() {
    const { account, recording, user } = maxRequests
    return (
      "Title, summary and chapters were requested too often: an hour has at most " +
      `${recording} requests for a recording, ${user} of a user and ${account} of an account`
    )
  }
}

/** The counters of a request, with their limits. */
export const summaryCounts = (of: {
  readonly recording: RecordingUuid
  readonly user: UserId
  readonly account: AccountId
}): ReadonlyArray<TryCount> =>
  (["recording", "user", "account"] as const).map((name) => [
    `summary ${name} ${of[name]}`,
    { tries: maxRequests[name], perMs }
  ])
