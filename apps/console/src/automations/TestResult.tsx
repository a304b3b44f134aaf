import { Link } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { useEffect, useRef } from "react"
import { AttemptView } from "../deliveries/AttemptView.tsx"
import { outcomeInWords } from "../deliveries/words.ts"
import { Badge } from "../ui/Badge.tsx"
import { known, words } from "../ui/format.ts"
import { Card } from "../ui/Page.tsx"
import { messageOf } from "../ui/states.tsx"

const results = {
  success: { tone: "good", word: "Success", text: "The receiver took it." },
  warning: { tone: "warn", word: "Warning", text: "The receiver answered, but not with 2xx." },
  failed: { tone: "bad", word: "Failed", text: "There was no answer that counts." }
} as const

/** The reason why a test failed: the stage and its message. */
const reasonOf = ({ delivery }: Settings.SendTest): string | undefined => {
  const attempt = delivery.attempts.at(-1)
  if (attempt === undefined) return delivery.error === null ? undefined : `${words(delivery.error)}.`
  return attempt.status_code === null
    ? `${outcomeInWords(attempt)}${attempt.error === null ? "." : `: ${attempt.error}`}`
    : undefined
}

interface TestResultProps {
  readonly result: Settings.SendTest | undefined
  readonly error: unknown
  /** Key that distinguishes two results for screen readers. */
  readonly at: number
}

/** The outcome of a send-test: the result, the request as sent, the response as received. */
export const TestResult = ({ at, error, result }: TestResultProps) => {
  const shown = result === undefined ? undefined : known(results, result.result)
  const attempt = result?.delivery.attempts.at(-1)
  const reason = result && reasonOf(result)
  const top = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each result is shown
  useEffect(() => {
    top.current?.scrollIntoView({ block: "nearest" })
  }, [at])
  return (
    <Card title="Result of the test">
      <div ref={top} role="status" key={at} className="mb-4 flex flex-wrap items-center gap-2">
        {result === undefined ? (
          <p className="text-bad">{messageOf(error)}</p>
        ) : (
          <>
            <Badge tone={shown?.tone ?? "plain"}>{shown?.word ?? words(result.result)}</Badge>
            <span className="min-w-0 wrap-anywhere">
              {reason === undefined ? shown?.text : <bdi className="font-medium text-bad">{reason}</bdi>} A test is
              never retried.
            </span>
            <Link to="/deliveries/$id" params={{ id: result.delivery.id }} className="text-accent hover:underline">
              In the log
            </Link>
          </>
        )}
      </div>
      {result !== undefined && attempt !== undefined && <AttemptView attempt={attempt} delivery={result.delivery} />}
    </Card>
  )
}
