import { useSyncExternalStore } from "react"

let isOpen = false
const listeners = new Set<() => void>()

export const setPalette = (open: boolean): void => {
  isOpen = open
  for (const listener of listeners) listener()
}

/** Returns whether the palette is open. */
export const usePalette = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isOpen
  )

/** The keys that open the palette, as the system names them. */
export const paletteKeys = /Mac|iP(hone|ad)/.test(navigator.platform) ? "⌘K" : "Ctrl K"
