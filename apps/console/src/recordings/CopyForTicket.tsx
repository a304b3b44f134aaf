import type { Settings } from "@tapedeck/client"
import { ClipboardList } from "lucide-react"
import { Button } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { clockLength } from "../ui/format.ts"
import { titleOf } from "./facts.ts"
import { useLog } from "./log/useLog.ts"

type Recording = Settings.Recording

/** Returns title, link and the moment of the first error of a recording, as text and as HTML. */
const noteOf = (recording: Recording, errorSeconds: number | undefined) => {
  const { url } = recording.metadata
  const error = errorSeconds === undefined ? [] : [`First error at ${clockLength(errorSeconds)}`]
  const link = document.createElement("a")
  link.href = url
  link.textContent = titleOf(recording)
  return {
    text: [titleOf(recording), url, ...error].join("\n"),
    html: `<p>${[link.outerHTML, ...error].join("<br>")}</p>`
  }
}

/** Copies what an agent pastes into the ticket. */
export const CopyForTicket = ({ recording }: { readonly recording: Recording }) => {
  const { rows } = useLog(recording)
  const error = rows.find(({ event, isError }) => isError && event.t >= 0)
  const copy = () => {
    const { html, text } = noteOf(recording, error && error.event.t / 1_000)
    return copyText(text, "Title and link are copied for the ticket.", html)
  }
  return (
    <Button icon={ClipboardList} onClick={copy}>
      Copy for the ticket
    </Button>
  )
}
