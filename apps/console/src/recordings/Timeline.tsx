import { SkipBack, SkipForward } from "lucide-react"
import { useMemo } from "react"
import { IconButton } from "../ui/Button.tsx"
import { clockLength, count } from "../ui/format.ts"
import type { Range } from "./Trim.tsx"

/** Maximum number of marks: more would look like one line. */
const maxMarks = 200

interface TimelineProps {
  readonly seconds: number
  readonly length: number
  /** Times of errors, in order. */
  readonly errors: ReadonlyArray<number>
  /** Starts of chapters. */
  readonly chapters: ReadonlyArray<number>
  /** Part that a trim would keep; null for none. */
  readonly range: Range | null
  readonly onSeek: (seconds: number) => void
}

/** Returns the places of errors along the bar, from 0 to 1, each place once. */
const placesOf = (errors: ReadonlyArray<number>, length: number): ReadonlyArray<number> => {
  const inside = errors.filter((at) => at >= 0 && at <= length)
  return [...new Set(inside.map((at) => Math.round((at / length) * maxMarks)))].map((place) => place / maxMarks)
}

/** The video's seek bar with the log's errors as marks. The player's keys work on it, and two buttons go from error to error. */
export const Timeline = ({ chapters, errors, length, onSeek, range, seconds }: TimelineProps) => {
  const places = useMemo(() => placesOf(errors, length), [errors, length])
  const at = (seconds: number) => (Math.min(seconds, length) / length) * 100
  const before = errors.findLast((at) => at < seconds - 0.5 && at >= 0)
  const after = errors.find((at) => at > seconds + 0.05 && at <= length)
  return (
    <div className="mt-2 flex items-center gap-1" role="group" aria-label="Timeline">
      <div className="relative h-5 flex-1">
        {/* The thumb is 16 px wide and stays within the bar. */}
        <div aria-hidden className="pointer-events-none absolute inset-x-2 inset-y-0">
          {range !== null && (
            <span
              className="absolute top-0 h-full rounded border-x-2 border-accent bg-accent-soft"
              style={{ left: `${at(range.start)}%`, width: `${Math.max(0, at(range.end) - at(range.start))}%` }}
            />
          )}
          {chapters.map((start) => (
            <span
              key={start}
              className="absolute bottom-0 h-1.5 w-0.5 -translate-x-1/2 rounded bg-soft"
              style={{ left: `${at(start)}%` }}
            />
          ))}
          {places.map((place) => (
            <span
              key={place}
              className="absolute top-0 h-full w-0.5 -translate-x-1/2 rounded bg-bad"
              style={{ left: `${place * 100}%` }}
            />
          ))}
        </div>
        <input
          type="range"
          aria-label="Position"
          aria-valuetext={`${clockLength(seconds)} of ${clockLength(length)}`}
          className="relative h-5 w-full accent-accent-strong"
          min={0}
          max={length}
          step={0.1}
          value={Math.min(seconds, length)}
          onChange={({ target }) => onSeek(Number(target.value))}
        />
      </div>
      {errors.length > 0 && (
        <>
          <IconButton
            icon={SkipBack}
            label="To the error before"
            disabled={before === undefined}
            onClick={() => before !== undefined && onSeek(before)}
          />
          <IconButton
            icon={SkipForward}
            label="To the next error"
            disabled={after === undefined}
            onClick={() => after !== undefined && onSeek(after)}
          />
          <span className="text-xs whitespace-nowrap text-bad tabular">{count(errors.length, "error")}</span>
        </>
      )}
    </div>
  )
}
