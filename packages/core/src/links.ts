import type { RecordingUuid } from "@tapedeck/domain"

/** Where a recording is seen in public (W12); never made from the listening address. */
export const recordingLinks = (publicUrl: string, uuid: RecordingUuid) => {
  const url = `${publicUrl}/r/${uuid}`
  return { url, videoUrl: `${url}/video`, thumbnailUrl: `${url}/thumbnail` }
}
