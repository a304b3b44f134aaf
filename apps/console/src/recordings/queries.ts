import { useQuery } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { useMemo } from "react"
import { tapedeck } from "../api/client.ts"
import type { readRecordingsSearch } from "../search.ts"
import { isDay, startOf } from "../ui/Period.tsx"
import { type PagesQuery, usePages } from "../ui/usePages.ts"
import { useDoomed } from "./deletions.ts"

/** Maximum number of characters that the API searches for. */
export const maxSearchLength = 500

export type RecordingsSearch = ReturnType<typeof readRecordingsSearch>

/** Returns the search of the URL as a query of the API, without values that the API would refuse. */
const queryOf = (search: RecordingsSearch): Settings.RecordingsListQuery => {
  const { platform, sort, type } = search
  return {
    ...(search.search !== undefined && { search: search.search.slice(0, maxSearchLength) }),
    ...(type !== undefined && { type }),
    ...(platform !== undefined && { platform }),
    ...(search.folder !== undefined && { folder_id: search.folder }),
    ...(search.owner !== undefined && /^\d+$/.test(search.owner) && { owner: Number(search.owner) }),
    ...(isDay(search.since) && { since: startOf(search.since) }),
    ...(isDay(search.until) && { until: startOf(search.until) }),
    ...(sort !== undefined && sort !== "-created_at" && { sort })
  }
}

/** Returns whether the search excludes any recording. */
export const isFilteredBy = (search: RecordingsSearch): boolean => {
  const { sort: _, ...filters } = queryOf(search)
  return Object.keys(filters).length > 0
}

/** The recordings that match the search of the URL. */
export const recordingPages = (search: RecordingsSearch): PagesQuery<Settings.ListedRecording> => {
  const query = queryOf(search)
  return {
    key: ["recordings", "list", query],
    read: (asked) => tapedeck.settings.recordings.list({ ...query, ...asked }),
    keyOf: ({ uuid }) => uuid
  }
}

export const useRecordings = (search: RecordingsSearch) => {
  const { key, keyOf, read } = recordingPages(search)
  const pages = usePages(key, read, keyOf)
  const doomed = useDoomed()
  const { data } = pages
  const shown = useMemo(
    () => (doomed.size === 0 ? data : data?.filter(({ uuid }) => !doomed.has(uuid))),
    [data, doomed]
  )
  return { ...pages, data: shown, total: pages.total - ((data?.length ?? 0) - (shown?.length ?? 0)) }
}

/** Errors of the recorded page, with the error lines of the console output. */
export const useRecordingErrors = (uuid: string | undefined) =>
  useQuery({
    queryKey: ["recordings", uuid, "errors"],
    queryFn: () => tapedeck.settings.recordings.getErrors(uuid ?? ""),
    enabled: uuid !== undefined
  })

/** The transcript, with the first page of its segments. */
export const useTranscript = (uuid: string | undefined) =>
  useQuery({
    queryKey: ["recordings", uuid, "transcript"],
    queryFn: () => tapedeck.settings.transcripts.get(uuid ?? ""),
    enabled: uuid !== undefined
  })

/** The audience of the recording, and its share links. */
export const useSharing = (uuid: string | undefined) =>
  useQuery({
    queryKey: sharingKey(uuid),
    queryFn: () => tapedeck.settings.sharing.get(uuid ?? ""),
    enabled: uuid !== undefined
  })

export const sharingKey = (uuid: string | undefined) => ["recordings", uuid, "sharing"]
