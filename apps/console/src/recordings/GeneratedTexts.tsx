import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { WandSparkles } from "lucide-react"
import { tapedeck } from "../api/client.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button } from "../ui/Button.tsx"
import { clockLength } from "../ui/format.ts"
import { failed } from "../ui/Toasts.tsx"

type Recording = Settings.Recording

/** Marks a text that was generated from the transcript. */
export const GeneratedMark = ({ source }: { readonly source: Recording["title_source"] }) =>
  source === "generated" && (
    <span title="Written from the transcript. Edit it to make it yours.">
      <Badge>Generated</Badge>
    </span>
  )

/** State of the generation of title, summary and chapters, and the button that requests it. Nothing on a server without a summarizer. */
export const Generation = ({ recording }: { readonly recording: Recording }) => {
  const { media_work, summary_blocked_by: obstacle, summary_source, title_source, uuid } = recording
  const client = useQueryClient()
  const request = useMutation({
    mutationFn: () => tapedeck.settings.recordings.summarize(uuid),
    onSuccess: () => client.invalidateQueries({ queryKey: ["recordings"] }),
    onError: failed
  })
  const work = media_work.find(({ kind }) => kind === "summarize")
  const isWritten = title_source === "generated" || summary_source === "generated" || recording.chapters !== undefined
  return (
    <>
      {work?.state === "processing" && (
        <p role="status" className="text-sm text-soft">
          {obstacle === null
            ? "Title, summary and chapters could not be written yet. The next try is automatic."
            : "Title, summary and chapters are being written."}
        </p>
      )}
      {work?.state === "given_up" && (
        <p role="status" className="text-sm wrap-anywhere text-bad">
          No title, summary and chapters could be written. {work.problem}
        </p>
      )}
      {obstacle === null && (
        <Button
          isSmall
          icon={WandSparkles}
          isBusy={request.isPending}
          title="Texts that a person wrote stay as they are."
          onClick={() => request.mutate()}
        >
          {isWritten ? "Write again" : "Write title, summary and chapters"}
        </Button>
      )}
    </>
  )
}

interface ChaptersProps {
  readonly chapters: NonNullable<Recording["chapters"]>
  readonly seconds: number
  readonly onJump: (seconds: number) => void
}

/** The chapters of a video. A click plays from their start. */
export const Chapters = ({ chapters, onJump, seconds }: ChaptersProps) => {
  const active = chapters.findLastIndex(({ start_seconds: start }) => start <= seconds + 0.05)
  return (
    <nav aria-label="Chapters">
      <ol className="flex flex-wrap gap-1">
        {chapters.map(({ start_seconds: start, title }, index) => (
          <li key={start} className="max-w-full">
            <button
              type="button"
              aria-current={index === active ? "true" : undefined}
              onClick={() => onJump(start)}
              className={
                "flex max-w-full gap-2 rounded-md border border-line px-2 py-0.5 text-left text-sm hover:bg-hover " +
                (index === active ? "bg-accent-soft" : "bg-surface")
              }
            >
              <span className="shrink-0 text-xs leading-5 text-soft tabular">{clockLength(start)}</span>
              <bdi className="min-w-0 wrap-anywhere">{title}</bdi>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}
