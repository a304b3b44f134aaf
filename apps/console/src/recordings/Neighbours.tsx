import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { ChevronDown, ChevronUp } from "lucide-react"
import { useEffect, useState } from "react"
import { IconButton } from "../ui/Button.tsx"
import { isForPage, useKeys } from "../ui/keys.ts"
import { usePages } from "../ui/usePages.ts"
import { lastList } from "./lastList.ts"
import { recordingPages } from "./queries.ts"

/**
 * Buttons and keys to the previous and the next recording of the list that was shown last in this tab, in its order and with its
 * filters. The list stays as it was shown: a recording that is moved out of it keeps its neighbours. Nothing if the recording is not in
 * the list.
 */
export const Neighbours = ({ uuid }: { readonly uuid: string }) => {
  const [list] = useState(lastList)
  return list === null ? null : <NeighboursIn list={list} uuid={uuid} />
}

interface NeighboursInProps {
  readonly list: NonNullable<ReturnType<typeof lastList>>
  readonly uuid: string
}

const NeighboursIn = ({ list, uuid }: NeighboursInProps) => {
  const { key, keyOf, read } = recordingPages(list)
  const client = useQueryClient()
  const navigate = useNavigate()
  // A list that was read is not read again. After a reload of the page, its first page is read.
  const isUnread = client.getQueryData(key) === undefined
  const { data = [], onEnd } = usePages(key, read, keyOf, isUnread)
  const index = data.findIndex((one) => one.uuid === uuid)
  const isLast = index >= 0 && index === data.length - 1
  useEffect(() => {
    if (isLast) onEnd()
  }, [isLast, onEnd])
  const [previous, next] = index < 0 ? [] : [data[index - 1], data[index + 1]]
  const open = (one: (typeof data)[number] | undefined) =>
    one !== undefined && void navigate({ to: "/recordings/$uuid", params: { uuid: one.uuid } })
  useKeys((event) => {
    if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !isForPage(event)) return false
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return false
    open(event.key === "ArrowUp" ? previous : next)
    return true
  })
  if (index < 0) return null
  return (
    <>
      <IconButton
        icon={ChevronUp}
        label="Previous recording (Alt + ↑)"
        disabled={previous === undefined}
        onClick={() => open(previous)}
      />
      <IconButton
        icon={ChevronDown}
        label="Next recording (Alt + ↓)"
        disabled={next === undefined}
        onClick={() => open(next)}
      />
    </>
  )
}
