import { Fragment } from "react"

interface HighlightedProps {
  readonly text: string
  /** Starts and ends of the highlighted parts, in order. */
  readonly parts: ReadonlyArray<readonly [start: number, end: number]>
}

/** A text with highlighted parts. */
export const Highlighted = ({ parts, text }: HighlightedProps) => {
  const ends = [0, ...parts.map(([, end]) => end)]
  return (
    <>
      {parts.map(([start, end], index) => (
        <Fragment key={start}>
          {text.slice(ends[index], start)}
          <mark className="rounded-sm bg-accent-soft font-semibold text-ink">{text.slice(start, end)}</mark>
        </Fragment>
      ))}
      {text.slice(ends.at(-1))}
    </>
  )
}
