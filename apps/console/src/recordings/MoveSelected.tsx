import { useQueryClient } from "@tanstack/react-query"
import { ConnectionError, UnauthorizedError } from "@tapedeck/client"
import { useRef, useState } from "react"
import { noteError, tapedeck } from "../api/client.ts"
import { FolderOptions } from "../folders/FolderOptions.tsx"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/Field.tsx"
import { count } from "../ui/format.ts"
import { messageOf } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"

interface MoveSelectedProps {
  readonly uuids: ReadonlyArray<string>
  readonly nameOf: (uuid: string) => string
  /** Called with the recordings that stay selected: after a move, those that were not moved. */
  readonly onChange: (uuids: ReadonlySet<string>) => void
}

/** Result of a move: the number of moved recordings, and the reasons why others were not moved. */
interface Outcome {
  readonly moved: number
  readonly failures: ReadonlyArray<readonly [uuid: string, reason: string]>
  readonly untried: number
}

/** Maximum number of listed reasons. */
const maxReasons = 20

const Failures = ({ nameOf, outcome }: { readonly outcome: Outcome; readonly nameOf: MoveSelectedProps["nameOf"] }) => {
  const { failures, moved, untried } = outcome
  return (
    <div role="alert" className="w-full rounded-md border border-line bg-surface px-3 py-2">
      <p className="font-medium">
        {count(moved, "recording")} moved, {failures.length} not moved{untried > 0 && `, ${untried} not tried`}. What
        was not moved stays selected.
      </p>
      <ul className="mt-1 text-xs text-soft">
        {failures.slice(0, maxReasons).map(([uuid, reason]) => (
          <li key={uuid} className="wrap-anywhere">
            <bdi className="font-medium text-ink">{nameOf(uuid)}</bdi>: {reason}
          </li>
        ))}
        {failures.length > maxReasons && <li>… and {failures.length - maxReasons} more</li>}
      </ul>
    </div>
  )
}

/** Moves the selected recordings, one after another: each move fires the folder's automations, and may be refused. */
export const MoveSelected = ({ nameOf, onChange, uuids }: MoveSelectedProps) => {
  const client = useQueryClient()
  const [folder, setFolder] = useState("")
  const [tried, setTried] = useState<number | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const isStopped = useRef(false)
  const move = async () => {
    const left = new Set(uuids)
    const failures: Array<readonly [string, string]> = []
    isStopped.current = false
    setOutcome(null)
    for (const [index, uuid] of uuids.entries()) {
      if (isStopped.current) break
      setTried(index)
      try {
        if (folder === "none") await tapedeck.settings.recordings.removeFromFolder(uuid)
        else await tapedeck.settings.recordings.move(uuid, { folder_id: folder })
        left.delete(uuid)
      } catch (error) {
        noteError(error)
        failures.push([uuid, messageOf(error)])
        if (error instanceof UnauthorizedError || error instanceof ConnectionError) break
      }
    }
    const moved = uuids.length - left.size
    setTried(null)
    if (left.size === 0) done(`${count(moved, "recording")} moved.`)
    else setOutcome({ moved, failures, untried: left.size - failures.length })
    onChange(left)
    await client.invalidateQueries()
  }
  return (
    <section
      aria-label="Selected recordings"
      className="flex flex-wrap items-center gap-2 rounded-lg border border-accent/40 bg-accent-soft px-3 py-2"
    >
      <span role="status" className="font-medium tabular">
        {tried === null ? `${uuids.length} selected` : `Moving ${tried + 1} of ${uuids.length}`}
      </span>
      {tried !== null && (
        <progress aria-label="Moving" max={uuids.length} value={tried} className="h-1.5 w-40 accent-accent-strong" />
      )}
      <FilterSelect
        label="Move to"
        value={folder}
        disabled={tried !== null}
        onChange={({ target }) => setFolder(target.value)}
      >
        <option value="">Choose a folder …</option>
        <FolderOptions />
        <option value="none">In no folder</option>
      </FilterSelect>
      {tried === null ? (
        <>
          <Button look="primary" disabled={folder === ""} onClick={move}>
            Move
          </Button>
          <Button look="quiet" onClick={() => onChange(new Set())}>
            Clear the selection
          </Button>
        </>
      ) : (
        <Button
          onClick={() => {
            isStopped.current = true
          }}
        >
          Stop
        </Button>
      )}
      {outcome !== null && <Failures outcome={outcome} nameOf={nameOf} />}
    </section>
  )
}
