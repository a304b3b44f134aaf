import { useSyncExternalStore } from "react"

export const themes = ["system", "light", "dark"] as const
export type Theme = (typeof themes)[number]

const key = "tapedeck.theme"
const listeners = new Set<() => void>()

const readTheme = (): Theme => {
  const kept = localStorage.getItem(key)
  return themes.find((theme) => theme === kept) ?? "system"
}

/** `system` sets nothing: the browser's preference then selects the colours. */
export const applyTheme = (): void => {
  const theme = readTheme()
  if (theme === "system") delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

export const setTheme = (theme: Theme): void => {
  localStorage.setItem(key, theme)
  applyTheme()
  for (const listener of listeners) listener()
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, readTheme)
