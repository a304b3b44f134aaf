import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import type { Settings } from "@tapedeck/client"
import { type Highlight, highlightsOf, parseSearch } from "@tapedeck/domain/internal/recordings"
import {
  Circle,
  Folder,
  Globe,
  Link2,
  type LucideIcon,
  Plus,
  Radio,
  SquarePlay,
  UserRound,
  Workflow
} from "lucide-react"
import { tapedeck } from "../api/client.ts"
import { useMe } from "../api/session.tsx"
import { useAutomations, useFolderName, useFolders } from "../folders/queries.ts"
import { usePeople } from "../people/queries.ts"
import { ticketOf, titleOf } from "../recordings/facts.ts"
import { maxSearchLength } from "../recordings/queries.ts"
import { openRecorder } from "../recordings/record.ts"
import { clockLength } from "../ui/format.ts"
import { failed } from "../ui/Toasts.tsx"
import { sections } from "./sections.ts"

/** A thing that the palette opens or does. */
export interface PaletteEntry {
  readonly id: string
  readonly group: string
  readonly icon: LucideIcon
  readonly name: string
  readonly hint?: string
  readonly highlights?: ReadonlyArray<Highlight>
  readonly onChoose: () => unknown
}

/** Maximum number of entries of a group. */
const maxEntries = 6

const isNamed = (text: string, { name }: Pick<PaletteEntry, "name">): boolean => {
  const lower = name.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word))
}

/** Recordings that the service's search finds. */
const useFound = (text: string) =>
  useQuery({
    queryKey: ["recordings", "palette", text],
    enabled: text !== "",
    queryFn: async ({ signal }): Promise<ReadonlyArray<Settings.ListedRecording>> =>
      (
        await tapedeck.settings.recordings.list(
          { search: text.slice(0, maxSearchLength), items: maxEntries },
          { signal }
        )
      ).items
  })

/** The entries for a text, in groups; pages and actions without a text. */
export const usePaletteEntries = (text: string, searched: string) => {
  const me = useMe()
  const navigate = useNavigate()
  const folders = useFolders()
  const folderName = useFolderName()
  const automations = useAutomations(me.isAdmin)
  const people = usePeople(me.isAdmin)
  const found = useFound(searched)
  const record = () => {
    if (!openRecorder(me)) failed(new Error("The browser blocked the recorder’s window. Allow it for this page."))
  }
  const actions: ReadonlyArray<PaletteEntry | false> = [
    { id: "record", group: "Actions", icon: Circle, name: "Record the screen", onChoose: record },
    {
      ...{ id: "new-link", group: "Actions", icon: Link2, name: "Capture links" },
      onChoose: () => navigate({ to: "/recordings/links" })
    },
    {
      id: "sites",
      group: "Actions",
      icon: Globe,
      name: "Sites",
      onChoose: () => navigate({ to: "/recordings/sites" })
    },
    me.isAdmin && {
      ...{ id: "new-automation", group: "Actions", icon: Plus, name: "New automation" },
      onChoose: () => navigate({ to: "/automations/new" })
    },
    me.isAdmin && {
      ...{ id: "destinations", group: "Actions", icon: Radio, name: "Audit destinations" },
      onChoose: () => navigate({ to: "/security/destinations" })
    }
  ]
  const pages = sections
    .flat()
    .filter(({ isForAdmins }) => me.isAdmin || !isForAdmins)
    .map(
      ({ icon, name, to }): PaletteEntry => ({ id: to, group: "Pages", icon, name, onChoose: () => navigate({ to }) })
    )
  const recordings = (searched === "" ? [] : (found.data ?? [])).map((one): PaletteEntry => {
    const { match, uuid } = one
    const terms = parseSearch(searched)
    return {
      id: uuid,
      group: "Recordings",
      icon: SquarePlay,
      name: titleOf(one),
      ...(match === undefined
        ? { hint: [ticketOf(one), one.customer.email].filter((fact) => fact !== null).join(" · ") }
        : {
            hint: `${clockLength(match.start_seconds)} ${match.text}`,
            highlights: highlightsOf(
              `${clockLength(match.start_seconds)} ${match.text}`,
              "terms" in terms ? terms.terms : []
            )
          }),
      onChoose: () => navigate({ to: "/recordings/$uuid", params: { uuid }, search: { t: match?.start_seconds } })
    }
  })
  const named = [
    ...(folders.data ?? []).map(
      ({ id, name }): PaletteEntry => ({
        ...{ id: `folder ${id}`, group: "Folders", icon: Folder, name },
        onChoose: () => navigate({ to: "/recordings", search: { folder: id } })
      })
    ),
    ...(automations.data ?? []).map(
      ({ folder_id: folder, id, url }): PaletteEntry => ({
        ...{ id: `automation ${id}`, group: "Automations", icon: Workflow, name: `${folderName(folder)} → ${url}` },
        onChoose: () => navigate({ to: "/automations/$id", params: { id } })
      })
    ),
    ...(people.data ?? []).map(
      ({ email, id, name }): PaletteEntry => ({
        ...{ id: `person ${id}`, group: "People", icon: UserRound, name, hint: email },
        onChoose: () => navigate({ to: "/recordings", search: { owner: String(id) } })
      })
    )
  ]
  const always = [...pages, ...actions.filter((one) => one !== false)]
  if (text === "") return { entries: always, isSearching: false }
  const matching = [...always, ...named].filter((one) => isNamed(text, one))
  const groups = Map.groupBy([...recordings, ...matching], ({ group }) => group)
  return {
    entries: [...groups.values()].flatMap((group) => group.slice(0, maxEntries)),
    isSearching: text !== searched || found.isFetching
  }
}
