import { NotFoundError, type Settings } from "@tapedeck/client"
import { useSyncExternalStore } from "react"
import { queries, tapedeck } from "../api/client.ts"
import { failed, offer } from "../ui/Toasts.tsx"
import { titleOf } from "./facts.ts"

/** Time in which a user can undo the deletion of a recording, in seconds. */
export const undoSeconds = 15

interface Deletion {
  readonly timer: ReturnType<typeof setTimeout>
  readonly closeOffer: () => void
}

/** Deletions that can still be undone, by the UUIDs of their recordings. */
const waiting = new Map<string, Deletion>()
/** UUIDs of the recordings that are deleted soon or at present. */
let doomed: ReadonlySet<string> = new Set()
const listeners = new Set<() => void>()

const setDoomed = (uuid: string, isDoomed: boolean) => {
  doomed = new Set([...[...doomed].filter((one) => one !== uuid), ...(isDoomed ? [uuid] : [])])
  for (const listener of listeners) listener()
}

/** Takes a deletion out of those that can be undone. */
const take = (uuid: string): boolean => {
  const deletion = waiting.get(uuid)
  if (deletion === undefined) return false
  clearTimeout(deletion.timer)
  deletion.closeOffer()
  return waiting.delete(uuid)
}

const undo = (uuid: string): void => {
  if (take(uuid)) setDoomed(uuid, false)
}

const deleteNow = async (uuid: string): Promise<void> => {
  if (!take(uuid)) return
  try {
    await tapedeck.settings.recordings.delete(uuid)
  } catch (error) {
    // A recording that is gone is as deleted as it was meant to be.
    if (!(error instanceof NotFoundError)) failed(error)
  }
  await queries.invalidateQueries()
  setDoomed(uuid, false)
}

/**
 * Deletes a recording after a time in which the user can undo it, or before that when the user leaves the console. Lists do not show
 * it in the meantime.
 */
export const deleteSoon = (recording: Pick<Settings.Recording, "title" | "uuid">): void => {
  const { uuid } = recording
  if (waiting.has(uuid)) return
  const closeOffer = offer(`“${titleOf(recording)}” will be deleted.`, { label: "Undo", act: () => undo(uuid) })
  waiting.set(uuid, { closeOffer, timer: setTimeout(() => void deleteNow(uuid), undoSeconds * 1_000) })
  setDoomed(uuid, true)
}

/** Deletes everything that can still be undone: as the user who wanted it, before another user comes. */
export const deleteAllNow = async (): Promise<void> => {
  await Promise.all([...waiting.keys()].map(deleteNow))
}

addEventListener("pagehide", () => void deleteAllNow())

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** UUIDs of the recordings that lists do not show, because they are deleted soon or at present. */
export const useDoomed = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => doomed)
