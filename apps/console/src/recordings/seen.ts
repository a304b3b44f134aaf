import { type QueryFilters, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { useEffect } from "react"
import { tapedeck } from "../api/client.ts"

interface Pages {
  readonly pages: ReadonlyArray<{ readonly items: ReadonlyArray<Settings.ListedRecording> }>
}

/** Marks the recording as seen by the user, and in the lists that were read. If that fails, it is tried again when it is next opened. */
export const useMarkSeen = (recording: Settings.Recording | undefined) => {
  const client = useQueryClient()
  const uuid = recording?.is_seen === false ? recording.uuid : undefined
  useEffect(() => {
    if (uuid === undefined) return
    const seen = <Item extends Settings.Recording>(item: Item): Item =>
      item.uuid === uuid ? { ...item, is_seen: true } : item
    // Data that is to be read again stays so, unlike after `setQueryData`.
    const change = <Data>(filters: QueryFilters, changed: (data: Data) => Data) => {
      for (const query of client.getQueryCache().findAll(filters)) {
        const { data } = query.state
        if (data !== undefined) query.setState({ data: changed(data as Data) })
      }
    }
    tapedeck.settings.recordings.markSeen(uuid).then(
      () => {
        change<Settings.Recording>({ queryKey: ["recordings", uuid], exact: true }, seen)
        change<Pages>({ queryKey: ["recordings", "list"] }, (list) => ({
          ...list,
          pages: list.pages.map((page) => ({ ...page, items: page.items.map(seen) }))
        }))
      },
      () => undefined
    )
  }, [client, uuid])
}
