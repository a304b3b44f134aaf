import type { Settings } from "@tapedeck/client"
import { productPath } from "../api/mount.ts"

type File = "video" | "thumbnail" | "captions"

/**
 * Returns the URL of a file of the public page, which opens with every sharing of the recording. The URL of a thumbnail has the time
 * of the last change, because browsers cache by URL and the picture differs until the thumbnail is ready.
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
