import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { Scissors, Undo2 } from "lucide-react"
import type { FormEvent } from "react"
import { tapedeck } from "../api/client.ts"
import { Button } from "../ui/Button.tsx"
import { clockLength } from "../ui/format.ts"
import { done, failed } from "../ui/Toasts.tsx"

/** Part of the video that a trim keeps, in seconds. */
export interface Range {
  readonly start: number
  readonly end: number
}

const tenths = (seconds: number): number => Math.round(seconds * 10) / 10

/** Returns the range with its start or end at the position. The other end moves if necessary. */
export const withEdge = ({ end, start }: Range, edge: keyof Range, at: number, length: number): Range =>
  edge === "start"
    ? { start: tenths(at), end: end > at ? end : tenths(length) }
    : { start: start < at ? start : 0, end: tenths(at) }

interface TrimProps {
  readonly recording: Settings.Recording
  readonly seconds: number
  readonly length: number
  /** Range that is being chosen; null if none is. */
  readonly range: Range | null
  readonly onRange: (range: Range | null) => void
}

/** Trims a video, and undoes the trim. */
export const Trim = ({ length, onRange, range, recording, seconds }: TrimProps) => {
  const client = useQueryClient()
  const saved = async (next: Settings.Recording, text: string) => {
    onRange(null)
    done(text)
    client.setQueryData(["recordings", next.uuid], next)
    await client.invalidateQueries({ queryKey: ["recordings"] })
  }
  const trim = useMutation({
    mutationFn: ({ end, start }: Range) =>
      tapedeck.settings.recordings.trim(recording.uuid, { start_seconds: start, end_seconds: end }),
    onSuccess: (next) =>
      saved(next, next.trim?.state === "ready" ? "The video is trimmed." : "The video is being trimmed."),
    onError: failed
  })
  const undo = useMutation({
    mutationFn: () => tapedeck.settings.recordings.untrim(recording.uuid),
    onSuccess: (next) => saved(next, "The whole video is back."),
    onError: failed
  })
  if (range === null) {
    const state = recording.trim?.state
    return (
      <div className="flex flex-wrap items-center gap-2" role="status">
        {state === "failed" && <span className="text-bad">The video could not be trimmed.</span>}
        {state === "processing" && <span>The video is being trimmed.</span>}
        {state === "ready" && recording.trim !== null && (
          <span>
            Trimmed to {clockLength(recording.trim.start_seconds)} – {clockLength(recording.trim.end_seconds)}
          </span>
        )}
        {state === "ready" || state === "processing" ? (
          <Button isSmall icon={Undo2} isBusy={undo.isPending} onClick={() => undo.mutate()}>
            Undo the trim
          </Button>
        ) : (
          <Button isSmall icon={Scissors} onClick={() => onRange({ start: 0, end: tenths(length) })}>
            Trim
          </Button>
        )}
      </div>
    )
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    trim.mutate(range)
  }
  const edge = (name: keyof Range, label: string, key: string) => (
    <>
      <label className="flex items-center gap-1.5">
        {label}
        <input
          type="number"
          className="h-6 w-20 rounded-md border border-line bg-raised px-1.5 tabular"
          min={0}
          max={Math.ceil(length)}
          step={0.1}
          required
          value={range[name]}
          onChange={({ target }) => onRange({ ...range, [name]: target.valueAsNumber || 0 })}
        />
      </label>
      <Button isSmall onClick={() => onRange(withEdge(range, name, seconds, length))}>
        {label} here <kbd>{key}</kbd>
      </Button>
    </>
  )
  const isTooShort = range.end - range.start < 1
  return (
    <form aria-label="Trim" className="flex flex-wrap items-center gap-2" onSubmit={submit}>
      {edge("start", "Start", "I")}
      {edge("end", "End", "O")}
      <Button isSmall look="primary" type="submit" icon={Scissors} isBusy={trim.isPending} disabled={isTooShort}>
        Trim the video
      </Button>
      <Button isSmall look="quiet" onClick={() => onRange(null)}>
        Cancel
      </Button>
      {isTooShort && <span role="alert">At least one second stays.</span>}
    </form>
  )
}
