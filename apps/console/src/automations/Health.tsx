import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import type { DeliveryStateName } from "@tapedeck/domain"
import { tapedeck } from "../api/client.ts"
import { stateWord } from "../deliveries/words.ts"
import { cx } from "../ui/cx.ts"
import { known } from "../ui/format.ts"
import { When } from "../ui/time.tsx"

const colours = {
  delivered: "bg-good",
  permanently_failed: "bg-bad",
  waiting: "bg-warn",
  attempting: "bg-info",
  scheduled: "bg-info",
  cancelled: "bg-edge",
  skipped: "bg-edge"
} as const satisfies Readonly<Record<DeliveryStateName, string>>

/** Maximum number of deliveries that fit in the column. */
const maxShown = 16

interface HealthProps {
  readonly automation: string
  readonly health: Settings.ReceiverHealth
}

/** The latest deliveries of an automation, oldest first, one bar each, and the start of its failures or its last success. */
export const Health = ({ automation, health }: HealthProps) => {
  const { data } = useQuery({
    queryKey: ["deliveries", { automation }, "latest"],
    queryFn: async () => (await tapedeck.settings.automations.listDeliveries(automation)).deliveries.slice(0, maxShown)
  })
  const [latest] = data ?? []
  if (latest === undefined) return <span className="text-faint">{data === undefined ? "…" : "None yet"}</span>
  return (
    <Link to="/deliveries" search={{ automation }} className="flex items-center gap-2" title="Open the log">
      <span className="sr-only">Log: the last delivery is {stateWord(latest.state).toLowerCase()}; </span>
      <span aria-hidden className="flex items-end gap-0.5">
        {data?.toReversed().map(({ id, state }) => (
          <span key={id} className={cx("h-4 w-1 rounded-full", known(colours, state))} />
        ))}
      </span>
      <span className="min-w-0 text-xs">
        {health.failing_since === null ? (
          <span className="text-soft">
            {health.last_success_at === null ? (
              <span aria-hidden>{stateWord(latest.state)}</span>
            ) : (
              <>
                <span className="sr-only">last success</span> <When at={health.last_success_at} />
              </>
            )}
          </span>
        ) : (
          <>
            <span className="block truncate text-bad">{health.failed_in_a_row} failed in a row</span>
            <span className="block truncate text-soft">
              since <When at={health.failing_since} />
            </span>
          </>
        )}
      </span>
    </Link>
  )
}
