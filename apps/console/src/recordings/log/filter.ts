import type { LogEvent } from "@tapedeck/domain/capture"
import { isFailed, type LogRow } from "./events.ts"

export const groups = {
  "": "Everything",
  problems: "Errors and failed requests",
  console: "Console",
  error: "Uncaught errors",
  network: "Network",
  navigation: "Navigation",
  user: "Clicks and keys",
  mark: "Marks and gaps"
} as const

export const levels = ["debug", "log", "info", "warn", "error"] as const

export const statuses = {
  "": "Any status",
  failed: "Failed",
  none: "No response",
  "2": "2xx",
  "3": "3xx",
  "4": "4xx",
  "5": "5xx"
} as const

export interface LogFilter {
  readonly group: keyof typeof groups
  /** Level of console events; empty for all. */
  readonly level: string
  /** Status of network events. */
  readonly status: keyof typeof statuses
  readonly text: string
}

export const noFilter: LogFilter = { group: "", level: "", status: "", text: "" }

const isInGroup = ({ event: { kind }, isError }: LogRow, group: LogFilter["group"]): boolean => {
  switch (group) {
    case "":
      return true
    case "problems":
      return isError
    case "user":
      return kind === "click" || kind === "input" || kind === "key"
    case "mark":
      return kind === "mark" || kind === "gap"
    default:
      return kind === group
  }
}

const hasStatus = (event: LogEvent, status: LogFilter["status"]): boolean => {
  if (event.kind !== "network" || status === "") return true
  if (status === "failed") return isFailed(event)
  return status === "none" ? event.status === 0 : Math.floor(event.status / 100) === Number(status)
}

/** Returns the rows that match. Level and status apply only in their group, where they can be chosen. */
export const filtered = (rows: ReadonlyArray<LogRow>, { group, level, status, text }: LogFilter) => {
  const wanted = text.trim().toLowerCase()
  if (group === "" && wanted === "") return rows
  return rows.filter((row) => {
    const { event, words } = row
    if (!isInGroup(row, group)) return false
    if (group === "console" && event.kind === "console" && level !== "" && event.level !== level) return false
    if (group === "network" && !hasStatus(event, status)) return false
    return wanted === "" || words.includes(wanted)
  })
}
