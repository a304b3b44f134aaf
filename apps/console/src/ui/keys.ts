import { type RefObject, useEffect, useRef } from "react"

/** Returns whether keys are text for the element. */
const takesText = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable=true], .cm-editor"
  ) !== null

/** Returns whether a dialog is open, over the page. */
const isCovered = (): boolean => document.querySelector("[role=dialog], [role=alertdialog]") !== null

/** Calls `onKey` for the keys of the page. It returns whether it used the key. */
export const useKeys = (onKey: (event: KeyboardEvent) => boolean): void => {
  const latest = useRef(onKey)
  useEffect(() => {
    latest.current = onKey
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && latest.current(event)) event.preventDefault()
    }
    document.addEventListener("keydown", listen)
    return () => document.removeEventListener("keydown", listen)
  }, [])
}

/** Moves the focus to the search of the page at `/`, and selects its text. */
export const useSlashKey = (input: RefObject<HTMLInputElement | null>): void =>
  useKeys(({ altKey, ctrlKey, key, metaKey, target }) => {
    if (key !== "/" || altKey || ctrlKey || metaKey || takesText(target) || isCovered()) return false
    input.current?.focus()
    input.current?.select()
    return input.current !== null
  })
