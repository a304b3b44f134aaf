import { keepPreviousData, useQuery } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { tapedeck } from "../../api/client.ts"
import { type LogRow, readLog } from "./events.ts"

const noRows: ReadonlyArray<LogRow> = []

/** Returns whether the recording has a log. */
export const hasLog = ({ redactions }: Settings.Recording): boolean => redactions !== undefined

/** The log of a recording that has one. A log is large, so it is read again only when the recording has changed. */
export const useLog = (recording: Settings.Recording) => {
  const query = useQuery({
    // An emulator's clock may stand still while the log changes.
    queryKey: ["log", recording.uuid, recording.metadata.updated_at, recording.trim, recording.redactions],
    queryFn: async () => readLog((await tapedeck.settings.recordings.log(recording.uuid)).body),
    enabled: hasLog(recording),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    placeholderData: keepPreviousData
  })
  return { query, header: query.data?.header ?? null, rows: query.data?.rows ?? noRows }
}
