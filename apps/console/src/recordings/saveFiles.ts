import type { Settings } from "@tapedeck/client"
import { noteError, tapedeck } from "../api/client.ts"
import { mount, productPath } from "../api/mount.ts"
import { failed } from "../ui/Toasts.tsx"

const offer = (href: string, name: string) => {
  const link = document.createElement("a")
  link.href = href
  link.download = name
  link.click()
}

const saveBytes = (content: BlobPart, type: string, name: string) => {
  const url = URL.createObjectURL(new Blob([content], { type }))
  offer(url, name)
  URL.revokeObjectURL(url)
}

const reported = async (save: () => Promise<void>): Promise<void> => {
  try {
    await save()
  } catch (error) {
    noteError(error)
    failed(error)
  }
}

/** Saves the capture log as JSON Lines. */
export const saveLog = ({ uuid }: Pick<Settings.Recording, "uuid">): Promise<void> =>
  reported(async () => {
    const { contentType, ...log } = await tapedeck.settings.recordings.log(uuid)
    saveBytes((await log.bytes()).slice(), contentType, `${uuid}.ndjson`)
  })

/** Saves the requests of the capture log as HAR. */
export const saveHar = ({ uuid }: Pick<Settings.Recording, "uuid">): Promise<void> =>
  reported(async () => {
    const har = await tapedeck.settings.recordings.logHar(uuid)
    saveBytes(JSON.stringify(har), "application/json", `${uuid}.har`)
  })

/** Saves the video. A server streams it to the disk; on an emulator, whose videos are small, it is read here first. */
export const saveVideo = async ({ uuid }: Pick<Settings.Recording, "uuid">): Promise<void> => {
  if (mount.control === null) return offer(productPath(`/api/settings/recordings/${uuid}/video`), "")
  await reported(async () => {
    const { contentType, filename, ...download } = await tapedeck.settings.recordings.download(uuid)
    saveBytes((await download.bytes()).slice(), contentType, filename ?? uuid)
  })
}
