import { Link, useNavigate } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { Plus, Workflow } from "lucide-react"
import { useMemo } from "react"
import { maxAutomations, useAutomations, useFolderName } from "../folders/queries.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { Page } from "../ui/Page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { When } from "../ui/time.tsx"
import { Health } from "./Health.tsx"

type Automation = Settings.Automation

const columnsOf = (folderName: (id: string) => string | null): ReadonlyArray<Column<Automation>> => [
  {
    id: "url",
    header: "Automation",
    className: "flex-1 basis-56",
    cell: ({ folder_id: folder, id, url }) => (
      <span>
        <Link to="/automations/$id" params={{ id }} className="block truncate font-medium hover:underline" dir="auto">
          {folderName(folder) ?? folder}
        </Link>
        <bdi className="block truncate font-mono text-xs text-soft">{url}</bdi>
      </span>
    )
  },
  {
    id: "state",
    header: "State",
    className: "w-20",
    cell: ({ enabled }) => <Badge tone={enabled ? "good" : "plain"}>{enabled ? "Enabled" : "Off"}</Badge>
  },
  {
    id: "health",
    header: "Last deliveries",
    className: "w-52 max-md:hidden",
    cell: ({ health, id }) => <Health automation={id} health={health} />
  },
  {
    id: "method",
    header: "Method",
    className: "w-16 text-soft max-lg:hidden",
    cell: ({ method }) => <code className="font-mono text-xs">{method}</code>
  },
  {
    id: "body",
    header: "Body",
    className: "w-24 text-soft max-lg:hidden",
    cell: ({ payload }) => (payload === null ? "Default" : "Custom")
  },
  {
    id: "created",
    header: "Created",
    className: "w-28 text-right text-soft max-sm:hidden",
    cell: ({ created_at: at }) => <When at={at} />
  }
]

export const AutomationsPage = () => {
  const automations = useAutomations()
  const folderName = useFolderName()
  const navigate = useNavigate()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names come with the folders, before or after the rows
  const columns = useMemo(() => columnsOf(folderName), [folderName(automations.data?.[0]?.folder_id ?? null)])
  const add = (
    <Button look="primary" icon={Plus} onClick={() => navigate({ to: "/automations/new" })}>
      New automation
    </Button>
  )
  return (
    <Page
      title="Automations"
      description="An automation sends a signed webhook for each recording that is added to its folder."
      actions={automations.data?.length !== 0 && add}
    >
      <Loaded query={automations} limit={maxAutomations}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={Workflow} title="No automations yet" action={add}>
              Connect a folder to your CRM, your chat or your own service: each recording that is added to the folder is
              sent there, signed and retried for 14 hours.
            </Empty>
          ) : (
            <DataTable
              label="Automations"
              columns={columns}
              rows={rows}
              idOf={({ id }) => id}
              rowHeight={52}
              onOpen={({ id }) => navigate({ to: "/automations/$id", params: { id } })}
            />
          )
        }
      </Loaded>
    </Page>
  )
}
