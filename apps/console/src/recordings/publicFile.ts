import type { Settings } from "@tapedeck/client"
import { productPath } from "../api/mount.ts"

type File = "video" | "thumbnail" | "captions"

/**
 * The address of a file of the public page, which opens whatever the recording's sharing is. A thumbnail's has the time of the last
 * change: while it is being made there is another picture, which browsers keep by its address.
 */
export const publicFile = (
  { media_access: access, metadata, uuid }: Pick<Settings.Recording, "media_access" | "metadata" | "uuid">,
  name: File
): string => {
  const query = new URLSearchParams({
    ...(access !== null && { access }),
    ...(name === "thumbnail" && { v: metadata.updated_at })
  }).toString()
  return productPath(`/r/${uuid}/${name}${query === "" ? "" : `?${query}`}`)
}
