import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { tapedeck } from "../api/client.ts"
import { useMe } from "../api/session.tsx"
import { states, stateTone, stateWord } from "../deliveries/words.ts"
import { Badge } from "../ui/Badge.tsx"

/** States after which a delivery can still change. */
const pending = ["scheduled", "attempting", "waiting"] as const satisfies ReadonlyArray<Settings.DeliveryState>

/** Time between two reads while deliveries are pending, in milliseconds: members get no changes of deliveries. */
const rereadMs = 10_000

/** Whether the recording's move into its folder has reached the receivers: their number by the state of their deliveries. */
export const FolderDeliveries = ({
  recording: { folder_id: folder, uuid }
}: {
  readonly recording: Settings.Recording
}) => {
  const { isAdmin } = useMe()
  const { data } = useQuery({
    // A change of any delivery concerns counts.
    queryKey: ["deliveries", "count", uuid, folder],
    queryFn: async () => (await tapedeck.settings.recordings.getFolderDeliveries(uuid)).states,
    enabled: folder !== null,
    refetchInterval: ({ state: { data = {} } }) =>
      !isAdmin && pending.some((state) => (data[state] ?? 0) > 0) ? rereadMs : false
  })
  const counted = states.flatMap((state) => {
    const count = data?.[state] ?? 0
    return count === 0 ? [] : [{ state, count }]
  })
  if (counted.length === 0) return null
  const badges = (
    <span className="inline-flex flex-wrap gap-1">
      {counted.map(({ count, state }) => (
        <Badge key={state} tone={stateTone(state)}>
          {stateWord(state)}: {count}
        </Badge>
      ))}
    </span>
  )
  return (
    <span className="mt-0.5 flex flex-wrap items-center gap-1.5">
      Webhooks of the folder{" "}
      {isAdmin ? (
        <Link to="/deliveries" search={{ recording: uuid }} className="rounded hover:underline">
          {badges}
        </Link>
      ) : (
        badges
      )}
    </span>
  )
}
