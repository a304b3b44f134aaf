import { Link, useNavigate, useSearch } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { parseSearch, type SearchTerm } from "@tapedeck/domain/internal/recordings"
import { Circle, Link2, SquarePlay } from "lucide-react"
import { useEffect, useMemo, useState } from "react"
import { useMe } from "../api/session.tsx"
import { useFolderName, useFolders } from "../folders/queries.ts"
import { Badge } from "../ui/Badge.tsx"
import { Button, buttonClass, IconButton } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { type Column, DataTable } from "../ui/DataTable.tsx"
import { clockLength, count, known } from "../ui/format.ts"
import { Page } from "../ui/Page.tsx"
import { Empty, Loaded, Outdated } from "../ui/states.tsx"
import { failed } from "../ui/Toasts.tsx"
import { When } from "../ui/time.tsx"
import { ticketOf, titleOf, typeMeanings, typeTones } from "./facts.ts"
import { rememberList } from "./lastList.ts"
import { MoveSelected } from "./MoveSelected.tsx"
import { NewRecording } from "./NewRecording.tsx"
import { publicFile } from "./publicFile.ts"
import { isFilteredBy, useRecordings } from "./queries.ts"
import { RecordingFilters } from "./RecordingFilters.tsx"
import { openRecorder } from "./record.ts"
import { Said } from "./Said.tsx"
import { linkCopied } from "./sharingWords.ts"

type Recording = Settings.ListedRecording

const termsOf = (text = ""): ReadonlyArray<SearchTerm> => {
  const parsed = parseSearch(text)
  return "terms" in parsed ? parsed.terms : []
}

const dash = <span className="text-faint">–</span>

/** The still of a recording, with its length. */
const Thumbnail = ({ recording }: { readonly recording: Recording }) => {
  const { duration } = recording.metadata
  return (
    <span className="relative block h-9 w-16 shrink-0 overflow-hidden rounded bg-hover">
      <img
        src={publicFile(recording, "thumbnail")}
        alt=""
        loading="lazy"
        decoding="async"
        className="size-full object-cover"
      />
      {duration !== null && (
        <span className="absolute right-0.5 bottom-0.5 rounded-sm bg-black/75 px-1 text-[10px] leading-3.5 text-white tabular">
          {clockLength(duration)}
        </span>
      )}
    </span>
  )
}

/** Marks a recording that the user has not opened yet. */
const UnseenMark = () => (
  <span
    role="img"
    aria-label="Not opened yet"
    title="Not opened yet"
    className="size-2 shrink-0 rounded-full bg-accent"
  />
)

/** Heights of rows, without and with what was said. */
const rowHeights = { plain: 52, withSaid: 70 }

const columnsOf = (
  folderName: (id: string | null) => string | null,
  terms: ReadonlyArray<SearchTerm>
): ReadonlyArray<Column<Recording>> => [
  {
    id: "title",
    header: "Recording",
    className: "flex-1 basis-64",
    cell: (one) => (
      <span className="flex items-center gap-3">
        <Thumbnail recording={one} />
        <span className="min-w-0">
          <span className="flex min-w-0 items-center gap-1.5">
            {one.is_seen === false && <UnseenMark />}
            <Link
              to="/recordings/$uuid"
              params={{ uuid: one.uuid }}
              className={`min-w-0 truncate hover:underline ${one.is_seen === false ? "font-bold" : "font-medium"}`}
              dir="auto"
            >
              {titleOf(one)}
            </Link>
          </span>
          {one.customer.email !== null && <bdi className="block truncate text-xs text-soft">{one.customer.email}</bdi>}
          <Said recording={one} terms={terms} />
        </span>
      </span>
    )
  },
  {
    id: "type",
    header: "Type",
    className: "w-18 shrink-0 max-md:hidden",
    cell: ({ metadata: { recording_type: type } }) => (
      <span title={known(typeMeanings, type)}>
        <Badge tone={known(typeTones, type) ?? "plain"}>{type}</Badge>
      </span>
    )
  },
  {
    id: "ticket",
    header: "Ticket",
    className: "w-36 shrink-0 max-lg:hidden",
    cell: (one) => <bdi>{ticketOf(one) ?? dash}</bdi>
  },
  {
    id: "owner",
    header: "Owner",
    className: "w-26 max-xl:hidden",
    cell: ({ user }) => <bdi className="text-soft">{user?.name ?? dash}</bdi>
  },
  {
    id: "folder",
    header: "Folder",
    className: "w-26 max-xl:hidden",
    cell: ({ folder_id: folder }) => <bdi className="text-soft">{folderName(folder) ?? dash}</bdi>
  },
  {
    id: "views",
    header: "Views",
    className: "w-11 shrink-0 text-right tabular max-lg:hidden",
    cell: ({ metadata }) => metadata.impressions_count
  },
  {
    id: "created",
    header: "Created",
    className: "w-32 shrink-0 text-right text-soft max-sm:hidden",
    cell: ({ metadata }) => <When at={metadata.created_at} />
  },
  {
    id: "share",
    header: "Share",
    isHeaderHidden: true,
    className: "w-7 shrink-0 max-sm:hidden",
    cell: (one) => (
      <IconButton
        icon={Link2}
        label={`Copy the link of ${titleOf(one)}`}
        onClick={() => copyText(one.metadata.url, linkCopied(one.sharing))}
      />
    )
  }
]

export const RecordingsPage = () => {
  const search = useSearch({ from: "/recordings" })
  const navigate = useNavigate({ from: "/recordings" })
  const me = useMe()
  const folders = useFolders()
  const folderName = useFolderName()
  const recordings = useRecordings(search)
  useEffect(() => rememberList(search), [search])
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [isMaking, setMaking] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names come with the folders
  const columns = useMemo(() => columnsOf(folderName, termsOf(search.search)), [folders.data, search.search])
  const isFiltered = isFilteredBy(search)
  const byUuid = useMemo(() => new Map(recordings.data?.map((one) => [one.uuid, one])), [recordings.data])
  const nameOf = (uuid: string) => titleOf(byUuid.get(uuid) ?? { title: null })
  return (
    <Page
      title="Recordings"
      actions={
        <>
          <Link to="/recordings/links" className={buttonClass()}>
            Capture links
          </Link>
          <Button
            icon={Circle}
            onClick={() => {
              if (!openRecorder(me))
                failed(new Error("The browser blocked the recorder’s window. Allow it for this page."))
            }}
          >
            Record
          </Button>
          {(isFiltered || recordings.data?.length !== 0) && (
            <Button look="primary" icon={SquarePlay} onClick={() => setMaking(true)}>
              New recording
            </Button>
          )}
        </>
      }
    >
      <div className="flex h-full min-h-96 flex-col gap-3">
        <div className="flex flex-wrap items-center gap-2">
          <RecordingFilters
            search={search}
            onChange={(change) => navigate({ search: (old) => ({ ...old, ...change }) })}
          />
          <span role="status" className="ml-auto text-soft tabular">
            {recordings.data !== undefined &&
              `${recordings.isTotalExact ? "" : "More than "}${count(recordings.total, "recording")}`}
          </span>
        </div>
        {selected.size > 0 && <MoveSelected uuids={[...selected]} nameOf={nameOf} onChange={setSelected} />}
        <Outdated list={recordings} />
        <Loaded query={recordings}>
          {(rows) =>
            rows.length === 0 ? (
              <Empty
                icon={SquarePlay}
                title={isFiltered ? "No recording matches" : "No recordings yet"}
                action={
                  isFiltered ? (
                    <Button onClick={() => navigate({ search: {} })}>Show all recordings</Button>
                  ) : (
                    <Button look="primary" onClick={() => setMaking(true)}>
                      New recording
                    </Button>
                  )
                }
              >
                {isFiltered
                  ? "Nothing here matches all of these filters."
                  : "Screen and video recordings of customers and agents are listed here, each with its transcript, its logs and its ticket."}
              </Empty>
            ) : (
              <DataTable
                label="Recordings"
                columns={columns}
                rows={rows}
                idOf={({ uuid }) => uuid}
                total={recordings.total}
                rowHeight={rows.some(({ match }) => match !== undefined) ? rowHeights.withSaid : rowHeights.plain}
                onOpen={({ match, uuid }) =>
                  navigate({ to: "/recordings/$uuid", params: { uuid }, search: { t: match?.start_seconds } })
                }
                onEnd={recordings.onEnd}
                selection={{ ids: selected, onChange: setSelected, nameOf }}
              />
            )
          }
        </Loaded>
      </div>
      {isMaking && <NewRecording onClose={() => setMaking(false)} />}
    </Page>
  )
}
