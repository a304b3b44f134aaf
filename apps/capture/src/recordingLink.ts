import type { Begun } from "@tapedeck/capture"
import type { AgentBegun } from "./agentMessages.ts"
import { button, element } from "./dom.ts"
import { actions, type Content, status, write } from "./screens.ts"
import type { Texts } from "./texts.ts"

/** A browser refuses the clipboard to a window that is not used. */
const isWritten = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

/** Copies the link to an agent's recording. Returns whether it is in the clipboard now; a customer's recording has none. */
export const copyLink = async ({ recording_url: url }: Begun & AgentBegun): Promise<boolean> =>
  url !== undefined && isWritten(url)

/** The link to an agent's recording with its buttons, and whether it was copied already; nothing for a customer's recording. */
export const linkSection = (
  { recording_url: url }: Begun & AgentBegun,
  isCopied: boolean,
  texts: Texts["reviewLink"] | Texts["sentLink"],
  { copyLink, openLink }: Texts
): Content => {
  if (url === undefined) return []
  const textOf = (isThere: boolean) => (isThere ? texts.copied : texts.shown)
  const message = status(textOf(isCopied))
  const copy = async () => write(message, textOf(await isWritten(url)))
  const open = element("a", { href: url, target: "_blank", rel: "noreferrer" }, openLink)
  return [
    message,
    element("p", {}, element("small", {}, url)),
    actions(
      button(copyLink, () => void copy()),
      open
    )
  ]
}
