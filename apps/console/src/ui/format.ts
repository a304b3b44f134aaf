/** Text for people: instants, lengths of time and sizes. Instants are shown in the reader's time zone and form. */

/** Returns the entry of a table for a value of the API; undefined for values of a later version of the service. */
export const known = <Value>(table: Readonly<Record<string, Value>>, value: string): Value | undefined =>
  Object.hasOwn(table, value) ? table[value] : undefined

/** Returns the keys of a table that has one for each value of the API. */
export const keysOf = <Key extends string>(table: Readonly<Record<Key, unknown>>): ReadonlyArray<Key> =>
  Object.keys(table) as Array<Key>

/** Returns the text if it is one of the values, else undefined. */
export const choiceOf = <Value extends string>(values: ReadonlyArray<Value>, text: unknown): Value | undefined =>
  values.find((value) => value === text)

/** Returns `data_access` as `Data access`. */
export const words = (name: string): string => {
  const text = name.replaceAll("_", " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Returns the lines of a text that are not blank. */
export const linesOf = (text: string): ReadonlyArray<string> => text.split("\n").flatMap((line) => line.trim() || [])

const pad = (value: number): string => String(value).padStart(2, "0")

/** The length of a video: `0:14`, `22:00`, `1:02:03`. */
export const clockLength = (seconds: number): string => {
  const whole = Math.floor(seconds)
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor((whole % 3600) / 60)
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(whole % 60)}` : `${minutes}:${pad(whole % 60)}`
}

/** The time between two instants, by its two largest units: `1 m`, `36 m`, `2 h 36 m`. */
export const elapsed = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = Math.floor(ms / 1000)
  const parts = [
    [Math.floor(seconds / 86_400), "d"],
    [Math.floor((seconds % 86_400) / 3600), "h"],
    [Math.floor((seconds % 3600) / 60), "m"],
    [seconds % 60, "s"]
  ] as const
  const first = parts.findIndex(([value]) => value > 0)
  return parts
    .slice(first, first + 2)
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ")
}

export const milliseconds = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`

export const bytes = (size: number): string => {
  if (size < 1000) return `${size} B`
  if (size < 1_000_000) return `${(size / 1000).toFixed(size < 10_000 ? 1 : 0)} kB`
  if (size < 1_000_000_000) return `${(size / 1_000_000).toFixed(size < 10_000_000 ? 1 : 0)} MB`
  return `${(size / 1_000_000_000).toFixed(1)} GB`
}

/** The size of a text as it is sent. */
export const textBytes = (text: string): number => new TextEncoder().encode(text).length

/** A date or a time as the browser's language writes it. */
export const dateFormat = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(undefined, options)

const day = dateFormat({ day: "numeric", month: "short" })
const dayWithYear = dateFormat({ day: "numeric", month: "short", year: "numeric" })
const minute = dateFormat({ hour: "2-digit", minute: "2-digit" })
const full = dateFormat({ dateStyle: "medium", timeStyle: "long" })

/** Returns an instant as a short text. In British English: `16:04` today, `31 Dec, 16:04` this year, `4 Mar 2021` before. */
export const shortDate = (instant: string, now: number): string => {
  const at = new Date(instant)
  const today = new Date(now)
  if (at.toDateString() === today.toDateString()) return minute.format(at)
  return at.getFullYear() === today.getFullYear() ? `${day.format(at)}, ${minute.format(at)}` : dayWithYear.format(at)
}

export const fullDate = (instant: string): string => full.format(new Date(instant))

export const count = (value: number, singular: string, many = `${singular}s`): string =>
  `${value.toLocaleString("en")} ${value === 1 ? singular : many}`
