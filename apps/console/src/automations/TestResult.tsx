import { Link } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { AttemptView } from "../deliveries/AttemptView.tsx"
import { Badge } from "../ui/Badge.tsx"
import { known, words } from "../ui/format.ts"
import { Card } from "../ui/Page.tsx"
import { messageOf } from "../ui/states.tsx"

const results = {
  success: { tone: "good", word: "Success", text: "The receiver took it." },
  warning: { tone: "warn", word: "Warning", text: "The receiver answered, but not with 2xx." },
  failed: { tone: "bad", word: "Failed", text: "There was no answer that counts." }
} as const

interface TestResultProps {
  readonly result: Settings.SendTest | undefined
  readonly error: unknown
  /** Sets two results apart for readers. */
  readonly at: number
}

/** The outcome of a send-test: the result, the request as sent, the response as received. */
export const TestResult = ({ at, error, result }: TestResultProps) => {
  const shown = result === undefined ? undefined : known(results, result.result)
  const attempt = result?.delivery.attempts.at(-1)
  return (
    <Card title="Result of the test">
      <div role="status" key={at} className="mb-4 flex flex-wrap items-center gap-2">
        {result === undefined ? (
          <p className="text-bad">{messageOf(error)}</p>
        ) : (
          <>
            <Badge tone={shown?.tone ?? "plain"}>{shown?.word ?? words(result.result)}</Badge>
            <span>{shown?.text} A test is never retried.</span>
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
