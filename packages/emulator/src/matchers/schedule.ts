import { type Elapsed, elapsedMs, elapsedText } from "./elapsed.ts"
import { callText, type Expectation, type MatcherResult, result } from "./result.ts"
import { type AttemptLog, deliveriesIn, deliveryLog, logsIn } from "./subjects.ts"
import { type Comparison, logTable } from "./table.ts"

/** The end of an attempt: its `outcome`, or the status of the response. */
export type ExpectedOutcome = AttemptOutcome | number

type AttemptOutcome = "success" | "failure" | "timeout" | "reset" | "refused" | "dns" | "tls" | "blocked"

const outcomes: Readonly<Record<AttemptOutcome, true>> = {
  success: true,
  failure: true,
  timeout: true,
  reset: true,
  refused: true,
  dns: true,
  tls: true,
  blocked: true
}

/**
 * Attempts were made at exactly these times after the first one. For a delivery or a sink, or for each of several.
 */
export function toHaveAttemptsAt(
  this: Expectation,
  received: unknown,
  ...elapsed: ReadonlyArray<Elapsed>
): MatcherResult {
  const wanted = elapsed.map((one, index) => {
    const ms = elapsedMs(one)
    if (ms !== undefined) return ms
    throw new TypeError(
      `toHaveAttemptsAt: argument ${index + 1}, ${JSON.stringify(one)}, is not a time after the first attempt: ` +
        'write "36m", "2h 36m", "PT2H36M" or milliseconds'
    )
  })
  return compare(this, "toHaveAttemptsAt", elapsed, logsIn("toHaveAttemptsAt", received), {
    expected: wanted.map(elapsedText),
    differs: (attempt, index) => attempt?.elapsedMs !== wanted[index]
  })
}

/** Attempts ended with exactly these outcomes or statuses. For deliveries. */
export function toHaveOutcomes(
  this: Expectation,
  received: unknown,
  ...expected: ReadonlyArray<ExpectedOutcome>
): MatcherResult {
  for (const [index, one] of expected.entries()) {
    if (typeof one === "number" || Object.hasOwn(outcomes, one)) continue
    const names = Object.keys(outcomes).join(", ")
    throw new TypeError(
      `toHaveOutcomes: argument ${index + 1}, ${JSON.stringify(one)}, is not an outcome: write a status or one of ${names}`
    )
  }
  return compare(this, "toHaveOutcomes", expected, deliveriesIn("toHaveOutcomes", received).map(deliveryLog), {
    expected: expected.map(String),
    differs: (attempt, index) => {
      const wanted = expected[index]
      return wanted === undefined || (typeof wanted === "number" ? attempt?.statusCode : attempt?.outcome) !== wanted
    }
  })
}

const compare = (
  expectation: Expectation,
  matcher: string,
  args: ReadonlyArray<unknown>,
  logs: ReadonlyArray<AttemptLog>,
  wanted: Comparison
): MatcherResult => {
  const failing = logs.filter((log) => !isAsWanted(log, wanted))
  const pass = failing.length === 0
  return result(pass, () => [
    callText(expectation, matcher, args.map((one) => JSON.stringify(one)).join(", ")),
    pass ? "The attempts are just these:" : summary(failing, logs.length, wanted),
    ...(pass ? logs.map((log) => logTable(log)) : failing.map((log) => logTable(log, wanted)))
  ])
}

const isAsWanted = ({ attempts }: AttemptLog, { differs, expected }: Comparison): boolean =>
  attempts.length === expected.length && attempts.every((attempt, index) => !differs(attempt, index))

const summary = (failing: ReadonlyArray<AttemptLog>, count: number, { expected }: Comparison): string => {
  if (count > 1) return `Of ${count} logs, ${failing.length} ${failing.length === 1 ? "is" : "are"} not as expected:`
  const made = failing[0]!.attempts.length
  return made === expected.length
    ? "The attempts are not as expected:"
    : `Expected ${expected.length} attempts, and there are ${made}:`
}
