import { useQuery, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { Code, Globe, Pencil, Trash2 } from "lucide-react"
import { useState } from "react"
import { tapedeck } from "../api/client.ts"
import { productPath } from "../api/mount.ts"
import { useFolderName } from "../folders/queries.ts"
import { BackLink } from "../ui/BackLink.tsx"
import { Badge } from "../ui/Badge.tsx"
import { Button, IconButton } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { CopyModal } from "../ui/CopyModal.tsx"
import { Page } from "../ui/Page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { done } from "../ui/Toasts.tsx"
import { SiteForm } from "./SiteForm.tsx"

type Site = Settings.Site

const queryKey = ["sites"]

/** Maximum number of sites of an account. */
const maxSites = 200

/** `crossorigin` lets the page see errors that pass through the script. */
const snippetOf = ({ key }: Site): string =>
  `<script src="${new URL(productPath("/capture.js"), location.href).href}" data-key="${key}" crossorigin></script>`

type Dialog = { readonly kind: "edit" | "snippet" | "delete"; readonly site: Site } | { readonly kind: "new" }

/** The web sites on which customers record; for admins. */
export const SitesPage = () => {
  const sites = useQuery({
    queryKey,
    queryFn: (): Promise<ReadonlyArray<Site>> => tapedeck.settings.sites.list().all({ limit: maxSites })
  })
  const client = useQueryClient()
  const [dialog, setDialog] = useState<Dialog | null>(null)
  const close = () => setDialog(null)
  const add = (
    <Button look="primary" icon={Globe} onClick={() => setDialog({ kind: "new" })}>
      New site
    </Button>
  )
  return (
    <Page
      title="Sites"
      back={<BackLink to="/recordings" />}
      description="Web sites whose visitors record a problem with the page's log. Each has one script."
      actions={sites.data?.length !== 0 && add}
    >
      <Loaded query={sites}>
        {(list) =>
          list.length === 0 ? (
            <Empty icon={Globe} title="No sites yet" action={add}>
              Create one for your web site, and put its script into the pages.
            </Empty>
          ) : (
            <ul aria-label="Sites" className="divide-y divide-line rounded-lg border border-line bg-surface">
              {list.map((site) => (
                <SiteItem key={site.id} site={site} onAct={(kind) => setDialog({ kind, site })} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {(dialog?.kind === "new" || dialog?.kind === "edit") && (
        <SiteForm
          site={dialog.kind === "edit" ? dialog.site : null}
          onSaved={async (site) => {
            await client.invalidateQueries({ queryKey })
            setDialog(dialog.kind === "new" ? { kind: "snippet", site } : null)
          }}
          onClose={close}
        />
      )}
      {dialog?.kind === "snippet" && (
        <CopyModal
          title="The site's script"
          description="Put it first into the head of each page, so that it sees all of the page's errors."
          text={snippetOf(dialog.site)}
          notice="The script is copied."
          onClose={close}
        />
      )}
      {dialog?.kind === "delete" && (
        <Confirm
          title={`Delete “${dialog.site.name}”?`}
          action="Delete the site"
          onClose={close}
          onConfirm={async () => {
            await tapedeck.settings.sites.delete(dialog.site.id)
            await client.invalidateQueries({ queryKey })
            done("The site is deleted.")
          }}
        >
          Its pages record no more. Recordings stay.
        </Confirm>
      )}
    </Page>
  )
}

interface SiteItemProps {
  readonly site: Site
  readonly onAct: (kind: "edit" | "snippet" | "delete") => void
}

const SiteItem = ({ onAct, site }: SiteItemProps) => {
  const folder = useFolderName()(site.folder_id)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3">
      <div className="min-w-0 flex-1 basis-60">
        <p className="truncate font-medium">
          <bdi>{site.name}</bdi>
        </p>
        <p className="truncate text-xs text-soft">
          {site.origins.join(", ")}
          {folder !== null && (
            <>
              {" · into "}
              <bdi>{folder}</bdi>
            </>
          )}
        </p>
      </div>
      <Badge tone={site.is_enabled ? "good" : "plain"}>{site.is_enabled ? "Enabled" : "Disabled"}</Badge>
      <div className="flex">
        <IconButton icon={Code} label={`Script of ${site.name}`} onClick={() => onAct("snippet")} />
        <IconButton icon={Pencil} label={`Edit ${site.name}`} onClick={() => onAct("edit")} />
        <IconButton icon={Trash2} label={`Delete ${site.name}`} onClick={() => onAct("delete")} />
      </div>
    </li>
  )
}
