import type { Settings } from "@tapedeck/client"
import { clockLength } from "../ui/format.ts"
import { publicFile } from "./publicFile.ts"

/** The still of a recording, with its length. */
export const Thumbnail = ({ recording }: { readonly recording: Settings.Recording }) => {
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
