import type { Store } from "../Store.ts"
import type { MemoryState } from "./MemoryState.ts"

/** Folders, automations and audit destinations in memory. */
export const receiverRepositories = ({
  read,
  write
}: MemoryState): Pick<Store, "folders" | "automations" | "destinations"> => ({
  folders: {
    byId: (id) => read((state) => state.folders.get(id)),
    list: (accountId) => read((state) => [...state.folders.values()].filter((one) => one.accountId === accountId)),
    save: (folder) => write((draft) => draft.editMap("folders").set(folder.id, folder)),
    remove: (id) => write((draft) => draft.editMap("folders").delete(id))
  },
  automations: {
    byId: (id) => read((state) => state.automations.get(id)),
    ofFolder: (folderId) => read((state) => [...state.automations.values()].filter((one) => one.folderId === folderId)),
    ofAccount: (accountId) =>
      read((state) => [...state.automations.values()].filter((one) => one.accountId === accountId)),
    save: (automation) => write((draft) => draft.editMap("automations").set(automation.id, automation)),
    remove: (id) => write((draft) => draft.editMap("automations").delete(id))
  },
  destinations: {
    byId: (id) => read((state) => state.destinations.get(id)),
    ofAccount: (accountId) =>
      read((state) => [...state.destinations.values()].filter((one) => one.accountId === accountId)),
    save: (destination) => write((draft) => draft.editMap("destinations").set(destination.id, destination)),
    remove: (id) => write((draft) => draft.editMap("destinations").delete(id))
  }
})
