import { useQuery } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { tapedeck } from "../api/client.ts"

/** Maximum number of folders that the console reads; the API lists all. */
export const maxFolders = 1_000

export const readFolders = (): Promise<ReadonlyArray<Settings.Folder>> =>
  tapedeck.settings.folders.list().all({ limit: maxFolders })

export const useFolders = () => useQuery({ queryKey: ["folders"], queryFn: readFolders })

/** Returns a function that returns the name of a folder, or its id while the name is unknown. */
export const useFolderName = (): ((id: string | null) => string | null) => {
  const { data } = useFolders()
  return (id) => (id === null ? null : (data?.find((folder) => folder.id === id)?.name ?? id))
}

/** Number of a folder's recordings that the caller sees, read once the folder is on the screen. */
export const useFolderCount = (id: string, isOnScreen: boolean): number | undefined =>
  useQuery({
    queryKey: ["recordings", "count", id],
    enabled: isOnScreen,
    queryFn: async () => (await tapedeck.settings.folders.listRecordings(id)).pagination.count
  }).data

/** Maximum number of automations that the console reads. */
export const maxAutomations = 1_000

export const useAutomations = (isEnabled = true) =>
  useQuery({
    queryKey: ["automations"],
    queryFn: (): Promise<ReadonlyArray<Settings.Automation>> =>
      tapedeck.settings.automations.list().all({ limit: maxAutomations }),
    enabled: isEnabled
  })

export const useAutomationsByFolder = (isEnabled: boolean) => {
  const { data } = useAutomations(isEnabled)
  return data === undefined ? undefined : Map.groupBy(data, ({ folder_id: folder }) => folder)
}
