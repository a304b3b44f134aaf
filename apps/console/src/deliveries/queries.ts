import { useQuery } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { tapedeck } from "../api/client.ts"
import { useAutomations, useFolderName } from "../folders/queries.ts"
import { fullDate } from "../ui/format.ts"
import { isDay, startOf } from "../ui/Period.tsx"
import { usePages } from "../ui/usePages.ts"
import { stateWord } from "./words.ts"

/** Search parameters in the address of the log. */
export interface DeliveriesSearch {
  readonly automation?: string | undefined
  readonly destination?: string | undefined
  readonly recording?: string | undefined
  readonly event?: string | undefined
  /** The status of an answer. */
  readonly status?: string | undefined
  /** Days in the reader's time zone. */
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly state?: Settings.DeliveryState | undefined
}

/** Maximum number of destinations that the console reads. */
export const maxDestinations = 1_000

export const useDestinations = () =>
  useQuery({
    queryKey: ["destinations"],
    queryFn: (): Promise<ReadonlyArray<Settings.AuditDestination>> =>
      tapedeck.settings.auditDestinations.list().all({ limit: maxDestinations })
  })

/** Returns the search of the URL as a query of the API, without values that the API would refuse. */
export const queryOf = (search: DeliveriesSearch): Settings.DeliveriesListQuery => ({
  ...(search.automation !== undefined && { automation_id: search.automation }),
  ...(search.destination !== undefined && { audit_destination_id: search.destination }),
  ...(search.recording !== undefined && { recording_uuid: search.recording }),
  ...(search.event !== undefined && { event: search.event }),
  ...(search.state !== undefined && { state: search.state }),
  ...(search.status !== undefined && /^[1-5]\d\d$/.test(search.status) && { status_code: Number(search.status) }),
  ...(isDay(search.since) && { since: startOf(search.since) }),
  ...(isDay(search.until) && { until: startOf(search.until) })
})

/** Returns whether the search excludes any delivery. */
export const isFilteredBy = (search: DeliveriesSearch): boolean => Object.keys(queryOf(search)).length > 0

export const useDeliveries = (search: DeliveriesSearch) => {
  const query = queryOf(search)
  return usePages<Settings.Delivery>(
    ["deliveries", query],
    (asked) => tapedeck.settings.deliveries.list({ ...query, ...("cursor" in asked && asked) }),
    ({ id }) => id
  )
}

export const useDelivery = (id: string) =>
  useQuery({
    queryKey: ["deliveries", id],
    queryFn: () => tapedeck.settings.deliveries.get(id)
  })

/** Explanation of a delivery. `version` changes with the state that is explained. */
export const useExplanation = (id: string, version: string) =>
  useQuery({
    queryKey: ["deliveries", id, "explain", version],
    queryFn: () => tapedeck.settings.deliveries.explain(id)
  })

const hostOf = (url: string): string => {
  try {
    const { host, pathname } = new URL(url)
    // The braces of variables are encoded there.
    const path = pathname.replaceAll("%7B%7B", "{{").replaceAll("%7D%7D", "}}")
    return `${host}${path === "/" ? "" : path}`
  } catch {
    return url
  }
}

/** Returns a function that returns the name of a receiver: folder and address of an automation, or name of a destination. */
export const useReceiverName = () => {
  const automations = useAutomations()
  const destinations = useDestinations()
  const folderName = useFolderName()
  return (delivery: Pick<Settings.Delivery, "automation_id" | "audit_destination_id">): string => {
    const automation = automations.data?.find(({ id }) => id === delivery.automation_id)
    if (automation !== undefined) return `${folderName(automation.folder_id)} → ${hostOf(automation.url)}`
    const destination = destinations.data?.find(({ id }) => id === delivery.audit_destination_id)
    return destination?.name ?? delivery.automation_id ?? delivery.audit_destination_id ?? "A deleted receiver"
  }
}

/** An automation in one line. */
export const automationName = (automation: Settings.Automation, folder: string | null): string =>
  `${folder ?? automation.folder_id} → ${hostOf(automation.url)}`

/** Returns the filters of a redelivery as search parameters of the log, with instants instead of days. */
export const searchOfFilters = (filters: Settings.Redelivery["filters"]): DeliveriesSearch => ({
  automation: filters.automation_id,
  destination: filters.audit_destination_id,
  recording: filters.recording_uuid,
  event: filters.event,
  state: filters.state,
  status: filters.status_code === undefined ? undefined : String(filters.status_code),
  since: filters.since,
  until: filters.until
})

const instantOf = (text: string): string => fullDate(isDay(text) ? startOf(text) : text)

/** The filters in one line; empty if there are none. */
export const filtersInWords = (search: DeliveriesSearch, receiverName: ReturnType<typeof useReceiverName>): string => {
  const { automation, destination, event, recording, since, state, status, until } = search
  const isOfReceiver = automation !== undefined || destination !== undefined
  const words = [
    state !== undefined && stateWord(state),
    isOfReceiver &&
      `to ${receiverName({ automation_id: automation ?? null, audit_destination_id: destination ?? null })}`,
    event !== undefined && `of event ${event}`,
    recording !== undefined && `of recording ${recording}`,
    status !== undefined && `answered with ${status}`,
    since !== undefined && `made from ${instantOf(since)}`,
    until !== undefined && `made before ${instantOf(until)}`
  ]
  return words.filter((one) => one !== false).join(", ")
}
