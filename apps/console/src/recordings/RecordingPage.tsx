import { Tabs } from "@base-ui/react/tabs"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { Circle, Download, Link2, Pencil, SquarePlay, Trash2 } from "lucide-react"
import { useEffect, useMemo, useRef, useState } from "react"
import { tapedeck } from "../api/client.ts"
import { useMe } from "../api/session.tsx"
import { BackLink } from "../ui/BackLink.tsx"
import { Button, IconButton } from "../ui/Button.tsx"
import { Confirm } from "../ui/Confirm.tsx"
import { copyText } from "../ui/copyText.ts"
import { known } from "../ui/format.ts"
import { isForPage, useKeys } from "../ui/keys.ts"
import { Page } from "../ui/Page.tsx"
import { Loaded, Loading } from "../ui/states.tsx"
import { ConsoleTab } from "./ConsoleTab.tsx"
import { CopyForTicket } from "./CopyForTicket.tsx"
import { DetailsForm } from "./DetailsForm.tsx"
import { deleteSoon, undoSeconds } from "./deletions.ts"
import { FolderChoice } from "./FolderChoice.tsx"
import { FolderDeliveries } from "./FolderDeliveries.tsx"
import { ticketOf, ticketUrlOf, titleOf } from "./facts.ts"
import { Chapters, GeneratedMark } from "./GeneratedTexts.tsx"
import { KeysHelp } from "./KeysHelp.tsx"
import { lastList } from "./lastList.ts"
import { LogView } from "./log/LogView.tsx"
import { hasLog, useLog } from "./log/useLog.ts"
import { Neighbours } from "./Neighbours.tsx"
import { Player } from "./Player.tsx"
import { DetailsTab, RoomTab, TechnicalTab, WebhooksTab } from "./RecordingTabs.tsx"
import { SharingTab } from "./SharingTab.tsx"
import { saveVideo } from "./saveFiles.ts"
import { useMarkSeen } from "./seen.ts"
import { linkCopied } from "./sharingWords.ts"
import { TranscriptPanel } from "./TranscriptPanel.tsx"
import { VideoUpload } from "./VideoUpload.tsx"

type Recording = Settings.Recording

/** The page of the recording in the address. Another recording has a page of its own, with nothing of the one before. */
export const RecordingPage = () => {
  const { uuid } = useParams({ from: "/recordings/$uuid" })
  return <RecordingScreen key={uuid} uuid={uuid} />
}

const RecordingScreen = ({ uuid }: { readonly uuid: string }) => {
  const me = useMe()
  const query = useQuery({ queryKey: ["recordings", uuid], queryFn: () => tapedeck.settings.recordings.get(uuid) })
  const [dialog, setDialog] = useState<"edit" | "delete" | "keys" | null>(null)
  const navigate = useNavigate()
  const recording = query.data
  useMarkSeen(recording)
  useKeys((event) => {
    if (event.key !== "?" || event.altKey || event.ctrlKey || event.metaKey || !isForPage(event)) return false
    setDialog("keys")
    return true
  })
  return (
    <Page
      title={recording === undefined ? "Recording" : titleOf(recording)}
      back={
        <span className="flex items-center gap-2">
          <BackLink to="/recordings" search={lastList() ?? {}} />
          <Neighbours uuid={uuid} />
        </span>
      }
      description={recording && <Subject recording={recording} />}
      actions={
        recording !== undefined && (
          <>
            <FolderChoice recording={recording} />
            <Button icon={Link2} onClick={() => copyText(recording.metadata.url, linkCopied(recording.sharing))}>
              Copy link
            </Button>
            <CopyForTicket recording={recording} />
            {hasVideo(recording) && (
              <Button icon={Download} onClick={() => saveVideo(recording)}>
                Download
              </Button>
            )}
            {me.isAdmin && <IconButton icon={Pencil} label="Edit the details" onClick={() => setDialog("edit")} />}
            <IconButton icon={Trash2} label="Delete the recording" onClick={() => setDialog("delete")} />
          </>
        )
      }
    >
      <Loaded query={query} loading={<Loading />}>
        {(found) => <Contents recording={found} onKeys={() => setDialog("keys")} />}
      </Loaded>
      {dialog === "edit" && recording !== undefined && (
        <DetailsForm recording={recording} onClose={() => setDialog(null)} />
      )}
      {dialog === "keys" && <KeysHelp onClose={() => setDialog(null)} />}
      {dialog === "delete" && recording !== undefined && (
        <Confirm
          title="Delete this recording?"
          action="Delete the recording"
          onClose={() => setDialog(null)}
          onConfirm={async () => {
            deleteSoon(recording)
            await navigate({ to: "/recordings" })
          }}
        >
          Its video, its transcript and its public page go with it. You can undo this for {undoSeconds} seconds, as long
          as you stay in the console.
        </Confirm>
      )}
    </Page>
  )
}

/**
 * The ticket, as a link to the helpdesk where the account has its address, the customer of a recording, and the start of the customer's
 * note.
 */
const Subject = ({ recording }: { readonly recording: Recording }) => {
  const { account } = useMe()
  const ticket = ticketOf(recording)
  const url = ticketUrlOf(recording, account.helpdesk_addresses)
  const { email } = recording.customer
  const note = recording.metadata.recording_type === "Received" ? recording.description : null
  return (
    <>
      {recording.title_source === "generated" && (
        <>
          <GeneratedMark source="generated" />{" "}
        </>
      )}
      {url === undefined ? (
        <bdi>{ticket}</bdi>
      ) : (
        <a href={url} target="_blank" rel="noreferrer" className="text-accent hover:underline">
          <bdi>{ticket}</bdi>
        </a>
      )}
      {ticket !== null && email !== null && " · "}
      <bdi>{email}</bdi>
      <FolderDeliveries recording={recording} />
      {note !== null && (
        <span className="line-clamp-2 whitespace-pre-line text-ink" title="Note of the customer" dir="auto">
          {note}
        </span>
      )}
    </>
  )
}

const hasVideo = ({ video: { edited, original, processed } }: Recording): boolean =>
  (edited ?? processed ?? original) !== null

/** Texts about failed work, by its kind. A server may have kinds of a later version. */
const givenUp: Readonly<Record<string, string>> = {
  process: "The video could not be processed: the original is served.",
  transcribe: "No transcript could be created.",
  trim: "The video could not be trimmed."
}

/** Texts about a capture that has not ended, by its state. */
const captureTexts: Readonly<Record<string, string>> = {
  open: "This recording is being made. The video is here as soon as it is sent.",
  finishing: "The recording was sent. Its video is being put together."
}

/** State of the work on the video: in progress, or failed, with the reason. */
const VideoWork = ({ work }: { readonly work: Recording["media_work"] }) =>
  work.map(({ kind, problem, state }) =>
    kind === "summarize" ? null : state === "given_up" ? (
      <p key={kind} role="status" className="text-sm text-bad">
        {givenUp[kind] ?? `${kind}: given up.`} {problem}
      </p>
    ) : state === "processing" && kind === "process" ? (
      <p key={kind} role="status" className="text-sm text-soft">
        The video is being prepared. Until then it may not play in every browser.
      </p>
    ) : null
  )

const tabClass =
  "h-8 px-1 text-sm font-medium text-soft border-b-2 border-transparent hover:text-ink data-active:border-accent data-active:text-ink"

interface ContentsProps {
  readonly recording: Recording
  /** Shows the keys. */
  readonly onKeys: () => void
}

const Contents = ({ onKeys, recording }: ContentsProps) => {
  const me = useMe()
  const video = useRef<HTMLVideoElement>(null)
  const [seconds, setSeconds] = useState(0)
  const { uuid } = recording
  const coming = known(captureTexts, recording.capture_state ?? "")
  const log = useLog(recording)
  const errors = useMemo(
    () => log.rows.filter(({ isError }) => isError).map(({ event }) => event.t / 1_000),
    [log.rows]
  )
  const seek = (to: number) => {
    if (video.current !== null) video.current.currentTime = to
    setSeconds(to)
  }
  const { t: start } = useSearch({ from: "/recordings/$uuid" })
  const navigate = useNavigate({ from: "/recordings/$uuid" })
  const jump = (to: number) => {
    seek(to)
    // A browser may allow no playback before a click.
    video.current?.play().catch(() => undefined)
  }
  // The address has the moment that was chosen last.
  const choose = (to: number) => {
    jump(to)
    void navigate({ search: { t: Math.floor(to) }, replace: true })
  }
  const latest = useRef({ jump, seconds })
  useEffect(() => {
    latest.current = { jump, seconds }
  })
  useEffect(() => {
    const { jump, seconds } = latest.current
    if (start !== undefined && start !== Math.floor(seconds)) jump(start)
  }, [start])
  return (
    <div className="space-y-4">
      <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-[minmax(0,1.6fr)_minmax(0,1fr)]">
        {hasVideo(recording) ? (
          <div className="space-y-2">
            <Player
              recording={recording}
              title={titleOf(recording)}
              version={
                JSON.stringify(recording.video).length.toString(36) + recording.metadata.updated_at.replace(/\D/g, "")
              }
              hasCaptions={recording.transcript_status === "ready"}
              video={video}
              seconds={seconds}
              onTime={setSeconds}
              errors={errors}
              onKeys={onKeys}
            />
            {recording.chapters !== undefined && (
              <Chapters chapters={recording.chapters} seconds={seconds} onJump={choose} />
            )}
            <VideoWork work={recording.media_work} />
          </div>
        ) : coming !== undefined ? (
          <div className="flex aspect-video flex-col items-center justify-center gap-3 rounded-lg border border-dashed border-line bg-surface p-6 text-center">
            <Circle aria-hidden className="size-8 text-faint" />
            <p role="status" className="text-soft">
              {coming}
            </p>
          </div>
        ) : (
          <div className="flex aspect-video flex-col items-center justify-center gap-3 rounded-lg border border-dashed border-line bg-surface p-6 text-center">
            <SquarePlay aria-hidden className="size-8 text-faint" />
            <p className="text-soft">There is no video yet.</p>
            <VideoUpload uuid={uuid} isFirst />
          </div>
        )}
        <TranscriptPanel uuid={uuid} seconds={seconds} onJump={choose} />
      </div>
      <Tabs.Root defaultValue={hasLog(recording) ? "log" : "details"}>
        <Tabs.List
          aria-label="About the recording"
          className="flex flex-wrap gap-x-5 border-b border-line max-sm:gap-x-1.5"
        >
          {hasLog(recording) && (
            <Tabs.Tab value="log" className={tabClass}>
              Log
            </Tabs.Tab>
          )}
          <Tabs.Tab value="details" className={tabClass}>
            Details
          </Tabs.Tab>
          <Tabs.Tab value="sharing" className={tabClass}>
            Sharing
          </Tabs.Tab>
          {!hasLog(recording) && (
            <Tabs.Tab value="console" className={tabClass}>
              Console
            </Tabs.Tab>
          )}
          <Tabs.Tab value="technical" className={tabClass}>
            Technical
          </Tabs.Tab>
          {recording.room_insights !== null && (
            <Tabs.Tab value="room" className={tabClass}>
              Call
            </Tabs.Tab>
          )}
          {me.isAdmin && (
            <Tabs.Tab value="webhooks" className={tabClass}>
              Webhooks
            </Tabs.Tab>
          )}
        </Tabs.List>
        <Tabs.Panel value="details" className="pt-4">
          <DetailsTab recording={recording} />
          {hasVideo(recording) && (
            <div className="mt-4">
              <VideoUpload uuid={uuid} isFirst={false} />
            </div>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="sharing" className="pt-4">
          <SharingTab uuid={uuid} />
        </Tabs.Panel>
        {hasLog(recording) ? (
          <Tabs.Panel value="log" className="pt-4">
            <Loaded query={log.query}>
              {({ rows }) => <LogView recording={recording} rows={rows} seconds={seconds} onJump={seek} />}
            </Loaded>
          </Tabs.Panel>
        ) : (
          <Tabs.Panel value="console" className="pt-4">
            <ConsoleTab recording={recording} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="technical" className="pt-4">
          <TechnicalTab recording={recording} page={log.header} />
        </Tabs.Panel>
        {recording.room_insights !== null && (
          <Tabs.Panel value="room" className="pt-4">
            <RoomTab room={recording.room_insights} />
          </Tabs.Panel>
        )}
        {me.isAdmin && (
          <Tabs.Panel value="webhooks" className="pt-4">
            <WebhooksTab uuid={uuid} />
          </Tabs.Panel>
        )}
      </Tabs.Root>
    </div>
  )
}
