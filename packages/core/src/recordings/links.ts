import type { RecordingUuid } from "@tapedeck/domain"

/**
 * Public URLs of a recording (W12); never made from the listening address. `access` opens the files of one that is not public
 * (`mediaAccessOf`).
 */
export const recordingLinks = (publicUrl: string, uuid: RecordingUuid, access: string | null = null) => {
  const url = `${publicUrl}/r/${uuid}`
  const query = access === null ? "" : `?access=${access}`
  return { url, videoUrl: `${url}/video${query}`, thumbnailUrl: `${url}/thumbnail${query}` }
}
