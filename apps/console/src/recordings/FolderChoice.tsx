import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { useRef, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { FolderOptions } from "../folders/FolderOptions.tsx"
import { Button } from "../ui/Button.tsx"
import { FilterSelect } from "../ui/Field.tsx"
import { done, failed } from "../ui/Toasts.tsx"

/**
 * The folder of a recording, and the button that moves it to the chosen folder. A button moves it, because a move fires the folder's
 * automations and a keyboard passes other folders on the way.
 */
export const FolderChoice = ({
  recording: { folder_id: folder, uuid }
}: {
  readonly recording: Settings.Recording
}) => {
  const client = useQueryClient()
  const [chosen, setChosen] = useState<string | null>(null)
  const select = useRef<HTMLSelectElement>(null)
  const at = folder ?? ""
  const to = chosen ?? at
  const move = useMutation({
    mutationFn: async () => {
      if (to === "") await tapedeck.settings.recordings.removeFromFolder(uuid)
      else await tapedeck.settings.recordings.move(uuid, { folder_id: to })
    },
    onSuccess: async () => {
      await client.invalidateQueries()
      done("Moved.")
      setChosen(null)
      select.current?.focus()
    },
    onError: failed
  })
  return (
    <>
      <FilterSelect ref={select} label="Folder" value={to} onChange={({ target }) => setChosen(target.value)}>
        <option value="">In no folder</option>
        <FolderOptions />
      </FilterSelect>
      {to !== at && (
        <Button look="primary" isBusy={move.isPending} onClick={() => move.mutate()}>
          Move
        </Button>
      )}
    </>
  )
}
