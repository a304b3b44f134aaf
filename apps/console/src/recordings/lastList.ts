import { mount } from "../api/mount.ts"
import { readRecordingsSearch } from "../search.ts"
import type { RecordingsSearch } from "./queries.ts"

/** A tab of an emulator can show several worlds. */
const key = `tapedeck.recordings ${mount.root}`

/** Remembers the list that is shown, for this tab. */
export const rememberList = (search: RecordingsSearch): void => sessionStorage.setItem(key, JSON.stringify(search))

/** Returns the list of recordings that this tab showed last; null if it has shown none. */
export const lastList = (): RecordingsSearch | null => {
  const text = sessionStorage.getItem(key)
  return text === null ? null : readRecordingsSearch(JSON.parse(text) as Record<string, unknown>)
}
