import type { UploadState } from "@tapedeck/client"

/** An upload that a reload, a crash or a closed tab has ended. It resumes when its file is chosen again. */
export interface UnfinishedUpload {
  readonly name: string
  readonly modifiedAt: number
  readonly state: UploadState
}

const key = "tapedeck.uploads"
const maxUploads = 20

const isUnfinished = (value: unknown): value is UnfinishedUpload => {
  const { modifiedAt, name, state } = (value ?? {}) as Partial<UnfinishedUpload>
  return (
    typeof name === "string" &&
    typeof modifiedAt === "number" &&
    typeof state?.recording_uuid === "string" &&
    typeof state.location === "string" &&
    typeof state.size_bytes === "number"
  )
}

const storedUploads = (): ReadonlyArray<UnfinishedUpload> => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? "[]")
    return Array.isArray(kept) ? kept.filter(isUnfinished) : []
  } catch {
    return []
  }
}

const save = (uploads: ReadonlyArray<UnfinishedUpload>): void => {
  try {
    if (uploads.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(uploads.slice(0, maxUploads)))
  } catch {
    // In a browser without storage space, the upload starts again after a reload.
  }
}

const uploadsExcept = (uuid: string) => storedUploads().filter(({ state }) => state.recording_uuid !== uuid)

export const unfinishedUpload = (uuid: string): UnfinishedUpload | undefined =>
  storedUploads().find(({ state }) => state.recording_uuid === uuid)

export const rememberUpload = ({ lastModified, name }: File, state: UploadState): void =>
  save([{ name, modifiedAt: lastModified, state }, ...uploadsExcept(state.recording_uuid)])

export const forgetUpload = (uuid: string): void => save(uploadsExcept(uuid))

/** Removes all unfinished uploads, so that the next user of this browser does not see their names. */
export const forgetAllUploads = (): void => save([])

/** Returns the state of an unfinished upload of the same file. */
export const stateOf = (uuid: string, { lastModified, name, size }: File): UploadState | undefined => {
  const upload = unfinishedUpload(uuid)
  const isSame = upload?.name === name && upload.modifiedAt === lastModified && upload.state.size_bytes === size
  return isSame ? upload.state : undefined
}
