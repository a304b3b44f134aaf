import { videoHeadBytes, videoTypeOf } from "@tapedeck/domain/internal/files"

/** Returns the media type of a file by its first bytes; undefined if it is not a video, or cannot be read. */
export const videoTypeOfFile = async (file: Blob): Promise<string | undefined> => {
  try {
    return videoTypeOf(new Uint8Array(await file.slice(0, videoHeadBytes).arrayBuffer()))
  } catch {
    return undefined
  }
}
