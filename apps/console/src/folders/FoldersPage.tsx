import { useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { Folder, FolderPlus, Pencil, Trash2, Workflow } from "lucide-react"
import { type RefObject, useEffect, useRef, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { useMe } from "../api/session.tsx"
import { Button, IconButton } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { Page } from "../ui/Page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { When } from "../ui/time.tsx"
import { FolderForm } from "./FolderForm.tsx"
import { maxFolders, useAutomationsByFolder, useFolderCount, useFolders } from "./queries.ts"

type Chosen = { readonly kind: "new" } | { readonly kind: "rename" | "delete"; readonly folder: Settings.Folder } | null

export const FoldersPage = () => {
  const me = useMe()
  const folders = useFolders()
  const client = useQueryClient()
  const [chosen, setChosen] = useState<Chosen>(null)
  const add = (
    <Button look="primary" icon={FolderPlus} onClick={() => setChosen({ kind: "new" })}>
      New folder
    </Button>
  )
  return (
    <Page
      title="Folders"
      description="Each recording is in one folder or in none. A recording that is added fires the folder's automations."
      actions={me.isAdmin && folders.data?.length !== 0 && add}
    >
      <Loaded query={folders} limit={maxFolders}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={Folder} title="No folders yet" action={me.isAdmin ? add : undefined}>
              {me.isAdmin
                ? "A folder groups recordings, and its automations send a webhook for each recording that is added to it."
                : "Admins of the account create folders. You can then file your recordings in them."}
            </Empty>
          ) : (
            <ul aria-label="Folders" className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,17rem),1fr))] gap-3">
              {list.map((folder) => (
                <FolderCard
                  key={folder.id}
                  folder={folder}
                  onRename={() => setChosen({ kind: "rename", folder })}
                  onDelete={() => setChosen({ kind: "delete", folder })}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {chosen?.kind === "new" && <FolderForm onClose={() => setChosen(null)} />}
      {chosen?.kind === "rename" && <FolderForm folder={chosen.folder} onClose={() => setChosen(null)} />}
      {chosen?.kind === "delete" && (
        <Confirm
          title={`Delete the folder “${chosen.folder.name}”?`}
          action="Delete the folder"
          onClose={() => setChosen(null)}
          onConfirm={async () => {
            await tapedeck.settings.folders.delete(chosen.folder.id)
            await client.invalidateQueries({ queryKey: ["folders"] })
            await client.invalidateQueries({ queryKey: ["automations"] })
            done("The folder is deleted.")
          }}
        >
          Its recordings stay, in no folder. Its automations are deleted, and their pending deliveries are cancelled.
          This cannot be taken back.
        </Confirm>
      )}
    </Page>
  )
}

/** Returns whether an element has been on the screen, or close to it, since it was created. */
const useOnScreen = (element: RefObject<Element | null>): boolean => {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (element.current === null || isSeen) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: "200px" }
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isSeen])
  return isSeen
}

interface FolderCardProps {
  readonly folder: Settings.Folder
  readonly onRename: () => void
  readonly onDelete: () => void
}

const FolderCard = ({ folder, onDelete, onRename }: FolderCardProps) => {
  const me = useMe()
  const card = useRef<HTMLLIElement>(null)
  const recordings = useFolderCount(folder.id, useOnScreen(card))
  const automations = useAutomationsByFolder(me.isAdmin)?.get(folder.id)?.length
  return (
    <li ref={card} className="group relative rounded-lg border border-line bg-surface p-4 hover:border-edge">
      <div className="flex items-start gap-3">
        <span className="flex size-9 items-center justify-center rounded-md bg-accent-soft text-accent">
          <Folder aria-hidden className="size-4.5" />
        </span>
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold">
            <Link
              to="/recordings"
              search={{ folder: folder.id }}
              className="after:absolute after:inset-0 after:rounded-lg"
              dir="auto"
            >
              {folder.name}
            </Link>
          </h2>
          <p className="text-soft tabular">
            {recordings === undefined ? "…" : `${recordings} ${recordings === 1 ? "recording" : "recordings"}`}
          </p>
        </div>
        {me.isAdmin && (
          <div className="relative z-10 flex opacity-70 group-hover:opacity-100 focus-within:opacity-100">
            <IconButton icon={Pencil} label={`Edit ${folder.name}`} onClick={onRename} />
            <IconButton icon={Trash2} label={`Delete ${folder.name}`} onClick={onDelete} />
          </div>
        )}
      </div>
      <p className="mt-3 flex items-center gap-1.5 border-t border-line pt-3 text-xs text-soft">
        {automations !== undefined && (
          <>
            <Workflow aria-hidden className="size-3.5" />
            {automations === 0
              ? "No automations"
              : `${automations} ${automations === 1 ? "automation" : "automations"}`}
            <span aria-hidden>·</span>
          </>
        )}
        <span>
          Created <When at={folder.created_at} />
        </span>
      </p>
    </li>
  )
}
