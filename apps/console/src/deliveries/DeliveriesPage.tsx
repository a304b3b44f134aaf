import { useNavigate, useSearch } from "@tanstack/react-router"
import { ChartColumn, Send } from "lucide-react"
import { lazy, Suspense, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { count } from "../ui/format.ts"
import { Page } from "../ui/Page.tsx"
import { Empty, Loaded, Loading, Outdated } from "../ui/states.tsx"
import { DeliverAgainByFilter } from "./DeliverAgainByFilter.tsx"
import { DeliveryFilters } from "./DeliveryFilters.tsx"
import { DeliveryTable } from "./DeliveryTable.tsx"
import { isFilteredBy, useDeliveries } from "./queries.ts"
import { Redeliveries } from "./Redeliveries.tsx"

/** The charts and their library, loaded when they are opened. */
const Charts = lazy(async () => ({ default: (await import("./Charts.tsx")).Charts }))

/** The deliveries of the account that match the filters. */
export const DeliveriesPage = () => {
  const search = useSearch({ from: "/deliveries" })
  const navigate = useNavigate({ from: "/deliveries" })
  const deliveries = useDeliveries(search)
  const isFiltered = isFilteredBy(search)
  const [hasCharts, setCharts] = useState(false)
  return (
    <Page
      title="Deliveries"
      description="Every webhook, with each attempt, its request and the answer."
      actions={
        deliveries.data !== undefined &&
        (deliveries.data.length > 0 || isFiltered) && (
          <>
            <Button icon={ChartColumn} aria-expanded={hasCharts} onClick={() => setCharts(!hasCharts)}>
              Charts
            </Button>
            <DeliverAgainByFilter search={search} />
          </>
        )
      }
    >
      <div className="flex h-full min-h-96 flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <DeliveryFilters
            search={search}
            onChange={(change) => navigate({ search: (old) => ({ ...old, ...change }) })}
          />
          <span role="status" className="ml-auto text-soft tabular">
            {deliveries.data !== undefined &&
              `${deliveries.isTotalExact ? "" : "More than "}${count(deliveries.total, "delivery", "deliveries")}`}
          </span>
        </div>
        <Redeliveries />
        <Outdated list={deliveries} />
        {hasCharts && (
          <Suspense fallback={<Loading />}>
            <Charts search={search} />
          </Suspense>
        )}
        <Loaded query={deliveries}>
          {(rows) =>
            rows.length > 0 ? (
              <DeliveryTable rows={rows} total={deliveries.total} onEnd={deliveries.onEnd} />
            ) : isFiltered ? (
              <Empty
                icon={Send}
                title="No delivery matches"
                action={<Button onClick={() => navigate({ search: {} })}>Show all deliveries</Button>}
              >
                Nothing that was sent, or is to be sent, matches all of these filters.
              </Empty>
            ) : (
              <Empty
                icon={Send}
                title="No deliveries yet"
                action={
                  <Button look="primary" onClick={() => navigate({ to: "/automations/new" })}>
                    New automation
                  </Button>
                }
              >
                Every webhook is listed here with each attempt. An automation sends one for each recording that is added
                to its folder, and an audit destination gets one for each entry of the audit log.
              </Empty>
            )
          }
        </Loaded>
      </div>
    </Page>
  )
}
