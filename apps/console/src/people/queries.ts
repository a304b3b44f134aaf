import { useQuery } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { tapedeck } from "../api/client.ts"

/** Maximum number of users that the console reads. */
export const maxUsers = 10_000

/** The people of the account, for admins. */
export const usePeople = (isEnabled = true) =>
  useQuery({
    queryKey: ["users"],
    queryFn: (): Promise<ReadonlyArray<Settings.User>> => tapedeck.settings.users.list().all({ limit: maxUsers }),
    enabled: isEnabled
  })
