import { done, failed } from "./Toasts.tsx"

/** Puts text on the clipboard, and says so. */
export const copyText = async (text: string, said = "Copied."): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text)
    done(said)
  } catch {
    failed(new Error("The browser did not let the text be copied: select it and copy it by hand."))
  }
}
