import type { Settings } from "@tapedeck/client"
import { Check, Clock, LoaderCircle, X } from "lucide-react"
import { cx } from "../ui/cx.ts"
import { elapsed, milliseconds } from "../ui/format.ts"
import { Countdown } from "../ui/time.tsx"
import { auditDelaysMs, automationDelaysMs, type Planned, plan } from "./schedule.ts"
import { outcomeInWords, outcomeOf } from "./words.ts"

type Delivery = Settings.Delivery

/** The attempts that the schedule has for a delivery. */
export const plannedFor = (delivery: Delivery, maxRetries: number | undefined): ReadonlyArray<Planned> => {
  if (delivery.test) return plan([])
  return plan(delivery.automation_id === null ? auditDelaysMs.slice(0, maxRetries ?? 6) : automationDelaysMs)
}

interface TimelineProps {
  readonly delivery: Delivery
  readonly planned: ReadonlyArray<Planned>
  readonly chosen: number | null
  readonly onChoose: (attempt: number) => void
}

const since = (ms: number): string => (ms === 0 ? "first" : elapsed(ms))

/** Past attempts, the next one with its countdown, and the later ones of the schedule. */
export const Timeline = ({ chosen, delivery, onChoose, planned }: TimelineProps) => (
  <ol aria-label="Attempts">
    {planned.map(({ afterMs, attempt }, index) => {
      const made = delivery.attempts.find((one) => one.attempt === attempt)
      const isNext = made === undefined && attempt === (delivery.attempts.at(-1)?.attempt ?? 0) + 1
      return (
        <li key={attempt} className="relative flex gap-3 pb-1">
          {index < planned.length - 1 && (
            <span aria-hidden className="absolute top-7 bottom-[-0.35rem] left-[1.32rem] w-px bg-line" />
          )}
          {made === undefined ? (
            <Coming delivery={delivery} attempt={attempt} afterMs={afterMs} isNext={isNext} />
          ) : (
            <button
              type="button"
              aria-pressed={chosen === attempt}
              onClick={() => onChoose(attempt)}
              className={cx(
                "flex w-full items-center gap-3 rounded-md px-2.5 py-1.5 text-left hover:bg-hover",
                chosen === attempt && "bg-hover"
              )}
            >
              <Mark isGood={made.outcome === "success"} />
              <span className="w-16 font-medium tabular">{since(made.elapsed_ms)}</span>
              <span className="min-w-0 flex-1">
                <span className={made.outcome === "success" ? "font-medium text-good" : "font-medium text-bad"}>
                  {outcomeOf(made)}
                </span>{" "}
                {made.status_code !== null && <span className="text-soft">{outcomeInWords(made)}</span>}
              </span>
              <span className="text-xs text-soft tabular">{milliseconds(made.duration_ms)}</span>
            </button>
          )}
        </li>
      )
    })}
  </ol>
)

const Mark = ({ isGood }: { readonly isGood: boolean }) => (
  <span
    className={cx(
      "relative flex size-5.5 shrink-0 items-center justify-center rounded-full",
      isGood ? "bg-good-soft text-good" : "bg-bad-soft text-bad"
    )}
  >
    {isGood ? <Check aria-hidden className="size-3.5" /> : <X aria-hidden className="size-3.5" />}
  </span>
)

interface ComingProps {
  readonly delivery: Delivery
  readonly attempt: number
  readonly afterMs: number
  readonly isNext: boolean
}

const Coming = ({ afterMs, attempt, delivery, isNext }: ComingProps) => {
  const isUnderWay = isNext && delivery.state === "attempting"
  const isOpen = delivery.state === "scheduled" || delivery.state === "waiting" || delivery.state === "attempting"
  const Icon = isUnderWay ? LoaderCircle : Clock
  return (
    <div className={cx("flex w-full items-center gap-3 px-2.5 py-1.5", isNext && isOpen ? "text-ink" : "text-faint")}>
      <span
        className={cx(
          "relative flex size-5.5 shrink-0 items-center justify-center rounded-full",
          isNext && isOpen ? "bg-warn-soft text-warn" : "bg-hover text-faint"
        )}
      >
        <Icon aria-hidden className={cx("size-3.5", isUnderWay && "animate-spin")} />
      </span>
      <span className="w-16 tabular">{since(afterMs)}</span>
      <span className="flex-1">
        {isUnderWay
          ? "In progress"
          : isNext && delivery.next_attempt_at !== null
            ? attempt === 1
              ? "First attempt"
              : `Retry ${attempt - 1}`
            : isOpen
              ? "If the ones before fail"
              : "Not needed"}
      </span>
      {isNext && delivery.next_attempt_at !== null && (
        <span className="font-medium text-warn">
          <Countdown at={delivery.next_attempt_at} />
        </span>
      )}
    </div>
  )
}
