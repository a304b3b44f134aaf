import { Link, useNavigate } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { auditCategories } from "@tapedeck/domain/audit"
import { Plus, RadioTower } from "lucide-react"
import { maxDestinations, useDestinations } from "../deliveries/queries.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { Page } from "../ui/Page.tsx"
import { Empty, Loaded } from "../ui/states.tsx"
import { SecurityTabs } from "./SecurityTabs.tsx"

type Destination = Settings.AuditDestination

const filterText = ({ filters: { categories, event_types: events, severities } }: Destination): string => {
  const parts = [
    severities.length > 0 && `severity ${severities.join(" or ")}`,
    categories.length > 0 && `${categories.length} of ${auditCategories.length} categories`,
    events.length > 0 && `${events.length} event types`
  ].filter(Boolean)
  return parts.length === 0 ? "Everything" : parts.join(", ")
}

const columns: ReadonlyArray<Column<Destination>> = [
  {
    id: "name",
    header: "Destination",
    className: "flex-1 basis-56",
    cell: ({ id, name, url }) => (
      <span>
        <Link
          to="/security/destinations/$id"
          params={{ id }}
          className="block truncate font-medium hover:underline"
          dir="auto"
        >
          {name}
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
    id: "filters",
    header: "Takes",
    className: "w-56 text-soft max-md:hidden",
    cell: filterText
  },
  {
    id: "retries",
    header: "Retries",
    className: "w-16 text-right tabular max-lg:hidden",
    cell: ({ max_retries: retries }) => retries
  }
]

export const DestinationsPage = () => {
  const destinations = useDestinations()
  const navigate = useNavigate()
  const add = (
    <Button look="primary" icon={Plus} onClick={() => navigate({ to: "/security/destinations/new" })}>
      New destination
    </Button>
  )
  return (
    <Page title="Security" actions={destinations.data?.length !== 0 && add}>
      <SecurityTabs />
      <Loaded query={destinations} limit={maxDestinations}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty icon={RadioTower} title="No destinations yet" action={add}>
              A destination gets each entry of the audit log as it is written: your SIEM, your log store, a channel for
              alerts.
            </Empty>
          ) : (
            <DataTable
              label="Destinations"
              columns={columns}
              rows={rows}
              idOf={({ id }) => id}
              rowHeight={52}
              onOpen={({ id }) => navigate({ to: "/security/destinations/$id", params: { id } })}
            />
          )
        }
      </Loaded>
    </Page>
  )
}
