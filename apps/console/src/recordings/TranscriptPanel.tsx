import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { Settings } from "@tapedeck/client"
import { Captions, FileUp, Pencil, Search } from "lucide-react"
import { useEffect, useId, useRef, useState } from "react"
import { noteError, tapedeck } from "../api/client.ts"
import { Button, buttonClass } from "../ui/Button.tsx"
import { cx } from "../ui/cx.ts"
import { clockLength, known } from "../ui/format.ts"
import { Loaded, Loading } from "../ui/states.tsx"
import { done, failed } from "../ui/Toasts.tsx"
import { repairText } from "./log/LogImport.tsx"
import { useTranscript } from "./queries.ts"
import { TranscriptEditor } from "./TranscriptEditor.tsx"

type Transcript = Settings.Transcript

interface TranscriptPanelProps {
  readonly uuid: string
  readonly seconds: number
  readonly onJump: (seconds: number) => void
}

/** Returns the name of a segment's speaker in the transcript. */
const speakerOf = (transcript: Transcript, segment: Settings.TranscriptSegment): string | null => {
  const speaker = segment.sentences[0]?.speaker
  return speaker === undefined || speaker === null
    ? null
    : (transcript.speaker_map[String(speaker)] ?? `Speaker ${speaker}`)
}

const importTypes = { vtt: "text/vtt", srt: "application/x-subrip", txt: "text/plain" } as const

/** Texts by the reason why no transcript can be created. */
const obstacles: Readonly<Record<string, string>> = {
  no_transcriber: "This server creates none, because no transcriber is set up. You can",
  no_video: "One can be created once there is a video. You can also"
}

export const TranscriptPanel = ({ onJump, seconds, uuid }: TranscriptPanelProps) => {
  const query = useTranscript(uuid)
  const reasonId = useId()
  const [isEditing, setEditing] = useState(false)
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: ["recordings", uuid] })
  const request = useMutation({
    mutationFn: () => tapedeck.settings.transcripts.request(uuid),
    onSuccess: refresh,
    onError: failed
  })
  const importFile = async (file: File | undefined) => {
    if (file === undefined) return
    const ending = file.name.split(".").at(-1)?.toLowerCase()
    const contentType = ending === "vtt" || ending === "srt" ? importTypes[ending] : importTypes.txt
    try {
      const { transcript_repairs } = await tapedeck.settings.transcripts.import(uuid, await file.text(), {
        contentType
      })
      done(`The transcript is imported.${repairText(transcript_repairs)}`)
      await refresh()
    } catch (error) {
      noteError(error)
      failed(error)
    }
  }
  return (
    <section
      aria-label="Transcript"
      className="flex max-h-[38rem] min-h-48 flex-col rounded-lg border border-line bg-surface"
    >
      <div className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="flex-1 font-semibold">Transcript</h2>
        {query.data !== undefined && !isEditing && (
          <>
            <label
              className={cx(buttonClass("quiet", true), "has-focus-visible:outline-2 has-focus-visible:outline-accent")}
            >
              <FileUp aria-hidden className="size-3.5" />
              Import
              <input
                type="file"
                accept=".vtt,.srt,.txt,text/vtt"
                className="sr-only"
                onChange={({ target }) => importFile(target.files?.[0])}
              />
            </label>
            {query.data.status === "ready" && (
              <Button isSmall look="quiet" icon={Pencil} onClick={() => setEditing(true)}>
                Edit
              </Button>
            )}
          </>
        )}
      </div>
      <Loaded query={query} loading={<Loading rows={3} />}>
        {(transcript) => {
          if (isEditing) return <TranscriptEditor transcript={transcript} onClose={() => setEditing(false)} />
          if (transcript.status === "ready") {
            return <Segments transcript={transcript} seconds={seconds} onJump={onJump} />
          }
          return (
            <div className="flex flex-1 flex-col items-center justify-center gap-3 p-6 text-center text-soft">
              <Captions aria-hidden className="size-6 text-faint" />
              {transcript.status === "processing" ? (
                <p role="status">The transcript is being created.</p>
              ) : (
                <>
                  <p id={reasonId}>
                    There is no transcript.{" "}
                    {known(obstacles, transcript.request_blocked_by ?? "") ?? "Create one from the sound, or"} import a
                    WebVTT or SubRip file.
                  </p>
                  <Button
                    isBusy={request.isPending}
                    disabled={transcript.request_blocked_by !== null}
                    aria-describedby={reasonId}
                    onClick={() => request.mutate()}
                  >
                    Create a transcript
                  </Button>
                </>
              )}
            </div>
          )
        }}
      </Loaded>
    </section>
  )
}

interface SegmentsProps {
  readonly transcript: Transcript
  readonly seconds: number
  readonly onJump: (seconds: number) => void
}

const Segments = ({ onJump, seconds, transcript }: SegmentsProps) => {
  const [text, setText] = useState("")
  const list = useRef<HTMLOListElement>(null)
  const { segments } = transcript
  const active = segments.findLastIndex(({ start_seconds: start }) => start <= seconds + 0.05)
  const wanted = text.trim().toLowerCase()
  const found = segments.flatMap((segment, index) =>
    wanted === "" || segment.text.toLowerCase().includes(wanted) ? [{ segment, index }] : []
  )
  useEffect(() => {
    const item = list.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    const box = list.current
    if (item === null || item === undefined || box === null) return
    box.scrollTo({ top: item.offsetTop - box.clientHeight / 3, behavior: "smooth" })
  }, [active])
  return (
    <>
      <div className="relative border-b border-line">
        <Search aria-hidden className="pointer-events-none absolute top-2.5 left-4 size-3.5 text-faint" />
        <input
          type="search"
          aria-label="Search in the transcript"
          placeholder="Search"
          className="h-8.5 w-full bg-transparent pr-3 pl-10 placeholder:text-faint"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard */}
      <ol ref={list} tabIndex={0} aria-label="Segments" className="relative flex-1 overflow-y-auto p-1.5">
        {found.map(({ index, segment }) => {
          const speaker = speakerOf(transcript, segment)
          return (
            <li key={index} data-index={index}>
              <button
                type="button"
                aria-current={index === active ? "true" : undefined}
                onClick={() => onJump(segment.start_seconds)}
                className={cx(
                  "flex w-full gap-3 rounded-md px-2.5 py-1.5 text-left hover:bg-hover",
                  index === active && "bg-accent-soft"
                )}
              >
                <span className="w-10 shrink-0 text-xs leading-5 text-soft tabular">
                  {clockLength(segment.start_seconds)}
                </span>
                <span className="min-w-0">
                  {speaker !== null && <bdi className="block text-xs font-medium text-soft">{speaker}</bdi>}
                  <bdi className="wrap-anywhere">{segment.text}</bdi>
                </span>
              </button>
            </li>
          )
        })}
        {found.length === 0 && <li className="p-4 text-center text-soft">Nothing said matches.</li>}
      </ol>
    </>
  )
}
