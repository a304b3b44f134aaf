import { useQuery } from "@tanstack/react-query"
import { tapedeck } from "../api/client.ts"

/** The newest recordings, to render a preview with. */
export const useRecentRecordings = () =>
  useQuery({
    queryKey: ["recordings", "recent"],
    queryFn: async () => (await tapedeck.settings.recordings.list()).records
  })

/** The body that an automation sent last; null where it has sent none. */
export const useLastDelivered = (automation: string | undefined) =>
  useQuery({
    queryKey: ["deliveries", { automation }, "last"],
    queryFn: async () => {
      const { deliveries } = await tapedeck.settings.automations.listDeliveries(automation ?? "")
      return deliveries.find(({ attempts, test }) => !test && attempts.length > 0)?.body ?? null
    },
    enabled: automation !== undefined
  })
