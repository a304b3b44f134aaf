import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { useState } from "react"
import { tapedeck } from "../api/client.ts"
import { Button } from "../ui/Button.tsx"
import { count } from "../ui/format.ts"
import { failed } from "../ui/Toasts.tsx"
import { When } from "../ui/time.tsx"
import { filtersInWords, searchOfFilters, useReceiverName } from "./queries.ts"

type Redelivery = Settings.Redelivery

/** Number of redeliveries that have ended and are shown. */
const maxShownEnded = 10

/** Running redeliveries with their progress, and on request the last ones, including those of other tabs. */
export const Redeliveries = () => {
  const [isPastShown, setPastShown] = useState(false)
  const { data } = useQuery({
    queryKey: ["deliveries", "list", "redeliveries"],
    queryFn: async () => (await tapedeck.settings.redeliveries.list()).redeliveries
  })
  if (data === undefined || data.length === 0) return null
  const running = data.filter(({ state }) => state === "running")
  const ended = data.filter(({ state }) => state !== "running").slice(0, maxShownEnded)
  return (
    <section aria-label="Redeliveries" className="space-y-1.5 rounded-lg border border-line bg-surface px-3 py-2">
      {running.map((one) => (
        <Running key={one.id} redelivery={one} />
      ))}
      {ended.length > 0 && (
        <button
          type="button"
          aria-expanded={isPastShown}
          className="text-xs text-soft hover:underline"
          onClick={() => setPastShown(!isPastShown)}
        >
          {isPastShown
            ? "Hide past redeliveries"
            : `Show ${count(ended.length, "past redelivery", "past redeliveries")}`}
        </button>
      )}
      {isPastShown && (
        <ul className="space-y-1 text-sm">
          {ended.map((one) => (
            <li key={one.id} className="flex flex-wrap gap-x-2">
              <span className="font-medium">{one.state === "finished" ? "Finished" : "Stopped"}</span>
              <span className="tabular">{count(one.redelivered, "delivery", "deliveries")} delivered again</span>
              <Skipped redelivery={one} />
              {one.stopped_because === "not_permitted" && (
                <span className="text-bad">The user who started it is no admin any more</span>
              )}
              <Filters redelivery={one} />
              {one.ended_at !== null && <When at={one.ended_at} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Returns the known number of deliveries to send again. */
const totalOf = ({ count: found, limit }: Redelivery): number => Math.min(found, limit)

const Running = ({ redelivery }: { readonly redelivery: Redelivery }) => {
  const client = useQueryClient()
  const stop = useMutation({
    mutationFn: () => tapedeck.settings.redeliveries.stop(redelivery.id),
    onSuccess: () => client.invalidateQueries({ queryKey: ["deliveries"] }),
    onError: failed
  })
  const handled = redelivery.redelivered + redelivery.skipped
  const total = Math.max(totalOf(redelivery), handled)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <span role="status" className="font-medium tabular">
        Delivering again: {handled} of {total}
        {!redelivery.count_is_exact && redelivery.limit > redelivery.count && " or more"}
      </span>
      <progress
        aria-label="Delivering again"
        max={Math.max(total, 1)}
        value={handled}
        className="h-1.5 w-40 accent-accent-strong"
      />
      <Skipped redelivery={redelivery} />
      <Filters redelivery={redelivery} />
      <Button isSmall className="ml-auto" isBusy={stop.isPending} onClick={() => stop.mutate()}>
        Stop
      </Button>
    </div>
  )
}

const Skipped = ({ redelivery: { skipped } }: { readonly redelivery: Redelivery }) =>
  skipped > 0 && (
    <span
      className="text-soft tabular"
      title="Send-tests, receivers that are off or deleted, and payloads that were too large"
    >
      {skipped} passed over
    </span>
  )

const Filters = ({ redelivery }: { readonly redelivery: Redelivery }) => {
  const receiverName = useReceiverName()
  const words = filtersInWords(searchOfFilters(redelivery.filters), receiverName)
  return <bdi className="text-soft">{words === "" ? "All deliveries" : words}</bdi>
}
