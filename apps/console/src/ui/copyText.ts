import { done, failed } from "./Toasts.tsx"
import { visibleText } from "./visible.ts"

/** Copies text to the clipboard, with visible controls, and shows a notice. `html`: the same for programs that paste HTML. */
export const copyText = async (text: string, notice = "Copied.", html?: string): Promise<void> => {
  const visible = visibleText(text)
  try {
    if (html === undefined) await navigator.clipboard.writeText(visible)
    else
      await navigator.clipboard.write([
        new ClipboardItem({
          "text/plain": new Blob([visible], { type: "text/plain" }),
          "text/html": new Blob([visibleText(html)], { type: "text/html" })
        })
      ])
    done(visible === text ? notice : `${notice} Control characters in it are written as \\u001b.`)
  } catch {
    failed(new Error("The browser did not let the text be copied: select it and copy it by hand."))
  }
}

const selectedIn = (target: EventTarget | null): string =>
  target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement
    ? target.value.slice(target.selectionStart ?? 0, target.selectionEnd ?? 0)
    : String(getSelection())

/** Replaces control characters by visible ones in text that is selected and copied by hand, too. */
export const copyVisibly = (event: ClipboardEvent): void => {
  const { clipboardData, defaultPrevented, target } = event
  // An editor has already set its own text.
  const text = defaultPrevented ? (clipboardData?.getData("text/plain") ?? "") : selectedIn(target)
  const visible = visibleText(text)
  if (visible === text) return
  event.preventDefault()
  clipboardData?.clearData()
  clipboardData?.setData("text/plain", visible)
}
