import { type RefObject, useEffect, useRef } from "react"

/** Returns whether keys are text for the element. */
const takesText = (target: EventTarget | null): boolean =>
  target instanceof Element &&
  target.closest(
    "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable=true], .cm-editor"
  ) !== null

/** Returns whether a dialog is open, over the page. */
const isCovered = (): boolean => document.querySelector("[role=dialog], [role=alertdialog]") !== null

/** Returns whether a key is for the page: no field has the focus, and no dialog is open. */
export const isForPage = ({ target }: KeyboardEvent): boolean => !takesText(target) && !isCovered()

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
  useKeys((event) => {
    const { altKey, ctrlKey, key, metaKey } = event
    if (key !== "/" || altKey || ctrlKey || metaKey || !isForPage(event)) return false
    input.current?.focus()
    input.current?.select()
    return input.current !== null
  })
