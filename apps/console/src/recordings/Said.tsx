import { Link } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { highlightsOf, type SearchTerm } from "@tapedeck/domain/internal/recordings"
import { clockLength } from "../ui/format.ts"
import { Highlighted } from "../ui/Highlighted.tsx"
import { titleOf } from "./facts.ts"

interface SaidProps {
  readonly recording: Settings.ListedRecording
  readonly terms: ReadonlyArray<SearchTerm>
}

/** Number of characters that stay before the first word of the search, so that a narrow column shows the word. */
const maxBefore = 24

/** Returns the sentence from shortly before the first word of the search. */
const fromFirst = (text: string, terms: ReadonlyArray<SearchTerm>): string => {
  const [first = 0] = highlightsOf(text, terms)[0] ?? []
  if (first <= maxBefore) return text
  const space = text.lastIndexOf(" ", first - maxBefore / 2)
  return `…${text.slice(space > first - 2 * maxBefore ? space + 1 : first)}`
}

/** The sentence of a recording that has words of the search: a link that plays from there. */
export const Said = ({ recording, terms }: SaidProps) => {
  const { match, uuid } = recording
  if (match === undefined) return null
  const { start_seconds: start, text } = match
  const shown = fromFirst(text, terms)
  return (
    <Link
      to="/recordings/$uuid"
      params={{ uuid }}
      search={{ t: start }}
      title={text}
      className="block truncate text-xs text-soft hover:text-ink hover:underline"
    >
      <span className="sr-only">Play {titleOf(recording)} at </span>
      <span className="mr-1.5 font-medium text-accent tabular">{clockLength(start)}</span>
      <bdi>
        <Highlighted text={shown} parts={highlightsOf(shown, terms)} />
      </bdi>
    </Link>
  )
}
