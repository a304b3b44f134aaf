import type { Settings } from "@tapedeck/client"
import { Keyboard, Link2 } from "lucide-react"
import { type RefObject, useEffect, useRef, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { clockLength } from "../ui/format.ts"
import { isForPage } from "../ui/keys.ts"
import { playerKeys } from "./playerKeys.ts"
import { publicFile } from "./publicFile.ts"
import { linkCopied } from "./sharingWords.ts"
import { Timeline } from "./Timeline.tsx"
import { type Range, Trim, withEdge } from "./Trim.tsx"

const speeds: ReadonlyArray<number> = [0.5, 0.75, 1, 1.25, 1.5, 2, 3]

interface PlayerProps {
  readonly recording: Settings.Recording
  readonly title: string
  /** Version of the file, which changes when another file replaces this one. */
  readonly version: string
  readonly hasCaptions: boolean
  readonly video: RefObject<HTMLVideoElement | null>
  readonly seconds: number
  readonly onTime: (seconds: number) => void
  /** Times of the log's errors, in order. */
  readonly errors: ReadonlyArray<number>
  /** Shows the keys. */
  readonly onKeys: () => void
}

/** Returns whether the key belongs to the element with the focus: a list, a field, or a button or link that it presses. */
const hasOwnKey = ({ key, target }: KeyboardEvent): boolean =>
  target instanceof HTMLSelectElement ||
  target instanceof HTMLTextAreaElement ||
  (target instanceof HTMLInputElement && target.type !== "range") ||
  ((target instanceof HTMLButtonElement || target instanceof HTMLAnchorElement) && (key === " " || key === "Enter"))

/** Returns whether the focus is in a part of the page with keys of its own: a list, tabs, or content that scrolls. */
const isInWidget = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element &&
  (target.closest("[role=listbox], [role=tablist], [role=menu]") !== null ||
    target.matches("[tabindex='0']:not([role=tabpanel])"))

/** Returns the address of the public page, which begins the video at the moment. */
const linkAt = ({ metadata: { url } }: Settings.Recording, seconds: number): string => `${url}?t=${Math.floor(seconds)}`

/** The browser's own player, with keys and speeds. Another player would replace it here. */
export const Player = ({
  errors,
  hasCaptions,
  onKeys,
  onTime,
  recording,
  seconds,
  title,
  version,
  video
}: PlayerProps) => {
  const [speed, setSpeed] = useState(1)
  const file = publicFile(recording, "video")
  const [problem, setProblem] = useState(false)
  const [length, setLength] = useState(recording.metadata.duration ?? 0)
  const [range, setRange] = useState<Range | null>(null)
  const seek = (to: number) => {
    if (video.current !== null) video.current.currentTime = to
    onTime(to)
  }
  const choose = (next: number) => {
    setSpeed(next)
    if (video.current !== null) video.current.playbackRate = next
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || hasOwnKey(event)) return
    const edge = event.key === "i" ? "start" : event.key === "o" ? "end" : null
    if (edge !== null && range !== null) return setRange(withEdge(range, edge, seconds, length))
    const action = playerKeys.find(({ keys }) => keys.includes(event.key))
    if (action === undefined || video.current === null) return
    const changeSpeed = (step: number) => choose(speeds[speeds.indexOf(speed) + step] ?? speed)
    action.act({ video: video.current, changeSpeed }, event.key)
    event.preventDefault()
    event.stopPropagation()
  }
  const latest = useRef(onKeyDown)
  useEffect(() => {
    latest.current = onKeyDown
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && isForPage(event) && !isInWidget(event)) latest.current(event)
    }
    // Handles keys before the browser's own player does.
    document.addEventListener("keydown", listen, true)
    return () => document.removeEventListener("keydown", listen, true)
  }, [])
  return (
    <section aria-label="Player">
      <div className="overflow-hidden rounded-lg border border-line bg-black">
        {/* biome-ignore lint/a11y/useMediaCaption: there are captions where there is a transcript */}
        <video
          key={version}
          ref={video}
          controls
          playsInline
          preload="metadata"
          aria-label={title}
          poster={publicFile(recording, "thumbnail")}
          src={`${file}${file.includes("?") ? "&" : "?"}v=${version}`}
          className="aspect-video w-full"
          onTimeUpdate={({ currentTarget }) => onTime(currentTarget.currentTime)}
          onLoadedMetadata={({ currentTarget }) => {
            currentTarget.playbackRate = speed
            // A stream without an index has no length.
            if (Number.isFinite(currentTarget.duration)) setLength(currentTarget.duration)
            setProblem(false)
          }}
          onError={() => setProblem(true)}
        >
          {hasCaptions && <track kind="captions" src={publicFile(recording, "captions")} label="Transcript" />}
        </video>
      </div>
      {length > 0 && (
        <Timeline
          seconds={seconds}
          length={length}
          errors={errors}
          chapters={recording.chapters?.map(({ start_seconds }) => start_seconds) ?? []}
          range={range}
          onSeek={seek}
        />
      )}
      <div className="mt-2 flex flex-wrap items-center gap-3 text-xs text-soft">
        <label className="flex items-center gap-1.5">
          Speed
          <select
            className="h-6 rounded-md border border-line bg-raised px-1"
            value={speed}
            onChange={({ target }) => choose(Number(target.value))}
          >
            {speeds.map((one) => (
              <option key={one} value={one}>
                {one}×
              </option>
            ))}
          </select>
        </label>
        <Button isSmall icon={Keyboard} onClick={onKeys}>
          Keys
        </Button>
        <Button
          isSmall
          icon={Link2}
          className="tabular-nums"
          onClick={() => copyText(linkAt(recording, seconds), linkCopied(recording.sharing))}
        >
          Copy link at {clockLength(seconds)}
        </Button>
        <Trim recording={recording} seconds={seconds} length={length} range={range} onRange={setRange} />
        {problem && <span className="text-bad">This browser cannot play the file. Download it instead.</span>}
      </div>
    </section>
  )
}
