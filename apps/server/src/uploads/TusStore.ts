import { type FileHandle, open } from "node:fs/promises"
import type { Readable } from "node:stream"
import { NotAVideo, quotaExceeded, StorageFull } from "@tapedeck/core"
import { videoHeadBytes, videoTypeOf } from "@tapedeck/domain"
import { checkRoom, roomCheckedEvery } from "@tapedeck/storage/files"
import { DataStore, ERRORS, Upload } from "@tus/utils"
import type { UploadFolder, UploadInfo } from "./UploadFolder.ts"

/** What an upload begins with, but for what the client says of it. */
export interface UploadOwner extends Pick<UploadInfo, "recordingUuid" | "userId"> {
  /** How many uploads the user may have in progress; null: as many as they like. */
  readonly maxUploads: number | null
}

/** An error as `@tus/server` answers it. */
export interface TusRefusal {
  readonly status_code: number
  readonly body: string
}

export const refusalOf = (status_code: number, { message }: { readonly message: string }): TusRefusal => ({
  status_code,
  body: message
})

/** Whether the file system refused it for want of space. */
export const isFull = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")

/** The folder of uploads as `@tus/server` uses it. */
export class TusStore extends DataStore {
  private readonly folder: UploadFolder
  private readonly expiresAfterMs: number
  private readonly owners = new Map<string, UploadOwner>()

  constructor(folder: UploadFolder, expiresAfterMs: number) {
    super()
    this.folder = folder
    this.expiresAfterMs = expiresAfterMs
    this.extensions = ["creation", "creation-with-upload", "creation-defer-length", "expiration", "termination"]
  }

  /** Says whose the upload will be that is about to be created: the protocol's own part does not know of users. */
  expect(id: string, owner: UploadOwner): void {
    this.owners.set(id, owner)
  }

  override async create(upload: Upload): Promise<Upload> {
    const owner = this.owners.get(upload.id)
    if (owner === undefined) throw new Error(`upload ${upload.id} is nobody's`)
    this.owners.delete(upload.id)
    const { maxUploads, ...owned } = owner
    const createdAt = Date.now()
    // Nothing is awaited before `create` counts it: uploads that race are counted one after another.
    if (maxUploads !== null && this.folder.begunBy(owned.userId, createdAt) >= maxUploads) {
      throw refusalOf(409, quotaExceeded("uploads", maxUploads))
    }
    upload.creation_date = new Date(createdAt).toISOString()
    const info = {
      id: upload.id,
      ...owned,
      sizeBytes: upload.size ?? null,
      metadata: upload.metadata ?? {},
      createdAt,
      expiresAt: createdAt + this.expiresAfterMs,
      finished: false
    }
    await this.guarded(upload.id, () => this.folder.create(info))
    return upload
  }

  override async getUpload(id: string): Promise<Upload> {
    const info = await this.found(id)
    const { createdAt, metadata, sizeBytes } = info
    return new Upload({
      id,
      offset: await this.folder.offset(info),
      creation_date: new Date(createdAt).toISOString(),
      metadata: { ...metadata },
      ...(sizeBytes !== null && { size: sizeBytes })
    })
  }

  override async declareUploadLength(id: string, sizeBytes: number): Promise<void> {
    const info = await this.found(id)
    await this.guarded(id, () => this.folder.save({ ...info, sizeBytes }))
  }

  override async remove(id: string): Promise<void> {
    await this.found(id)
    await this.folder.remove(id)
  }

  override getExpiration(): number {
    return this.expiresAfterMs
  }

  /**
   * What came of a request that breaks off is kept, and counts. What is acknowledged is on the disk. An upload that turns
   * out to be no video is removed before the rest of it comes.
   */
  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    return this.guarded(id, async () => {
      const path = this.folder.bytesOf(id)
      const file = await open(path, "r+")
      try {
        const source = offset === 0 ? this.recognized(stream, id) : stream
        return await append(file, source, { offset, path })
      } finally {
        await file.datasync()
        await file.close()
      }
    })
  }

  private async *recognized(stream: AsyncIterable<Uint8Array>, id: string): AsyncIterable<Uint8Array> {
    let head: Buffer | undefined = Buffer.alloc(0)
    for await (const piece of stream) {
      if (head === undefined) yield piece
      else {
        head = Buffer.concat([head, piece])
        if (head.length < videoHeadBytes) continue
        if (videoTypeOf(head.subarray(0, videoHeadBytes)) === undefined) {
          await this.folder.remove(id)
          throw refusalOf(422, new NotAVideo())
        }
        yield head
        head = undefined
      }
    }
    // Too little to tell: it is looked at when it is complete.
    if (head !== undefined && head.length > 0) yield head
  }

  private async found(id: string): Promise<UploadInfo> {
    const info = await this.folder.info(id)
    if (info === undefined) throw ERRORS.FILE_NOT_FOUND
    return info
  }

  private async guarded<A>(id: string, work: () => Promise<A>): Promise<A> {
    try {
      return await work()
    } catch (error) {
      if (!isFull(error)) throw error
      throw new StorageFull({ path: this.folder.bytesOf(id) })
    }
  }
}

interface Place {
  readonly path: string
  readonly offset: number
}

const append = async (
  file: FileHandle,
  stream: AsyncIterable<Uint8Array>,
  { offset, path }: Place
): Promise<number> => {
  let at = offset
  let checkedAt = Number.NEGATIVE_INFINITY
  for await (const piece of stream) {
    if (at - checkedAt >= roomCheckedEvery) {
      await checkRoom(path)
      checkedAt = at
    }
    // A disk may take a part of it only.
    for (let written = 0; written < piece.length; ) {
      const { bytesWritten } = await file.write(piece, written, piece.length - written, at)
      written += bytesWritten
      at += bytesWritten
    }
  }
  return at
}
