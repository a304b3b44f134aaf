import type { Settings } from "@tapedeck/client"
import { Body, Headers } from "../ui/Body.tsx"
import { milliseconds } from "../ui/format.ts"
import { When } from "../ui/time.tsx"
import { outcomeInWords, outcomeOf } from "./words.ts"

interface AttemptViewProps {
  readonly attempt: Settings.Attempt
  readonly delivery: Settings.Delivery
}

/** An attempt: its request and its response. */
export const AttemptView = ({ attempt, delivery }: AttemptViewProps) => (
  <div className="space-y-5">
    <section aria-label="Request" className="space-y-2">
      <h3 className="flex flex-wrap items-baseline gap-2 font-semibold">
        Request
        <span className="font-normal text-soft">
          <When at={attempt.timestamp} />
        </span>
      </h3>
      {attempt.request === null ? (
        <p className="text-soft">What was sent is not known: the worker died, or lost its lease.</p>
      ) : (
        <>
          <p className="rounded-md bg-sunken px-3 py-2 font-mono text-xs break-all">
            <span className="font-semibold text-accent">{attempt.request.method}</span> {attempt.request.url}
          </p>
          <Headers label="Request headers" headers={attempt.request.headers} />
          <Body label="Request body" text={delivery.body} isCut={delivery.body_truncated} />
        </>
      )}
    </section>
    <section aria-label="Response" className="space-y-2">
      <h3 className="flex flex-wrap items-baseline gap-2 font-semibold">
        Response
        <span className={attempt.outcome === "success" ? "text-good" : "text-bad"}>{outcomeOf(attempt)}</span>
        <span className="font-normal text-soft">
          {attempt.status_code !== null && `${outcomeInWords(attempt)}, `}after {milliseconds(attempt.duration_ms)}
        </span>
      </h3>
      {attempt.error !== null && <p className="rounded-md bg-bad-soft px-3 py-2 text-bad">{attempt.error}</p>}
      {attempt.response !== null && (
        <>
          <Headers label="Response headers" headers={attempt.response.headers} />
          <Body label="Response body" text={attempt.response.body} isCut={attempt.response.truncated} />
        </>
      )}
    </section>
  </div>
)
