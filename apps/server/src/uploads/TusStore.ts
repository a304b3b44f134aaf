import { type FileHandle, open } from "node:fs/promises"
import type { Readable } from "node:stream"
import { NotAVideo, quotaExceeded, StorageFull } from "@tapedeck/core"
import { videoHeadBytes, videoTypeOf } from "@tapedeck/domain/internal/files"
import { checkFreeSpace, freeSpaceCheckBytes } from "@tapedeck/storage/files"
import { DataStore, ERRORS, Upload } from "@tus/utils"
import type { UploadFolder, UploadInfo } from "./UploadFolder.ts"

/** The properties of a new upload besides its length. */
export interface UploadOwner extends Pick<UploadInfo, "metadata" | "recordingUuid" | "userId"> {
  /** Maximum number of the user's uploads in progress; null for no limit. */
  readonly maxUploads: number | null
}

/** An error in the form of `@tus/server`. */
export interface TusRefusal {
  readonly status_code: number
  readonly body: string
}

export const refusalOf = (status_code: number, { message }: { readonly message: string }): TusRefusal => ({
  status_code,
  body: message
})

/** Returns whether the file system refused a write because it is full. */
export const isFull = (error: unknown): boolean =>
  ["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")

export interface TusStoreOptions {
  /** Maximum time of an upload from its start. */
  readonly expiresAfterMs: number
  /** The store's clock, in milliseconds since 1970. */
  readonly now: () => number
}

/**
 * The folder of uploads as a store of `@tus/server`. It expires uploads by the store's clock. `@tus/server` would
 * use the process's clock, so it gets neither a creation date nor an expiry.
 */
export class TusStore extends DataStore {
  private readonly folder: UploadFolder
  private readonly options: TusStoreOptions
  private readonly owners = new Map<string, UploadOwner>()

  constructor(folder: UploadFolder, options: TusStoreOptions) {
    super()
    this.folder = folder
    this.options = options
    this.extensions = ["creation", "creation-with-upload", "creation-defer-length", "expiration", "termination"]
  }

  /** Sets the owner of the upload that is created next, because the protocol's implementation knows no users. */
  expect(id: string, owner: UploadOwner): void {
    this.owners.set(id, owner)
  }

  override async create(upload: Upload): Promise<Upload> {
    const owner = this.owners.get(upload.id)
    if (owner === undefined) throw new Error(`upload ${upload.id} has no owner`)
    this.owners.delete(upload.id)
    const { maxUploads, ...owned } = owner
    const createdAt = this.options.now()
    // There is no await before `create` counts the upload, so that concurrent uploads are counted one after another.
    if (maxUploads !== null && this.folder.begunBy(owned.userId, createdAt) >= maxUploads) {
      throw refusalOf(409, quotaExceeded("uploads", maxUploads))
    }
    const info = {
      id: upload.id,
      ...owned,
      sizeBytes: upload.size ?? null,
      createdAt,
      expiresAt: createdAt + this.options.expiresAfterMs,
      finished: false
    }
    await this.guarded(upload.id, () => this.folder.create(info))
    return upload
  }

  override async getUpload(id: string): Promise<Upload> {
    const info = await this.found(id)
    const { expiresAt, sizeBytes } = info
    if (this.options.now() >= expiresAt) throw ERRORS.FILE_NO_LONGER_EXISTS
    const offset = await this.folder.offset(info)
    if (offset === undefined) throw ERRORS.FILE_NOT_FOUND
    return new Upload({
      id,
      offset,
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

  /**
   * Bytes of an interrupted request are kept and count; acknowledged bytes are on the disk. An upload that turns out not to be a
   * video is removed before the rest arrives.
   */
  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    return this.guarded(id, async () => {
      const path = this.folder.bytesOf(id)
      const file = await this.opened(id)
      // The upload is finished: nothing is left to write.
      if (file === undefined) return offset
      try {
        const source = offset === 0 ? this.recognized(stream, id) : stream
        return await append(file, source, { offset, path })
      } finally {
        await file.datasync()
        await file.close()
      }
    })
  }

  /** The bytes of an upload; undefined if it is finished. */
  private async opened(id: string): Promise<FileHandle | undefined> {
    try {
      return await open(this.folder.bytesOf(id), "r+")
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
      if ((await this.found(id)).finished) return undefined
      throw ERRORS.FILE_NOT_FOUND
    }
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
    // Too few bytes to detect the type: it is checked when the upload is complete.
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
    if (at - checkedAt >= freeSpaceCheckBytes) {
      await checkFreeSpace(path)
      checkedAt = at
    }
    // A write may be partial.
    for (let written = 0; written < piece.length; ) {
      const { bytesWritten } = await file.write(piece, written, piece.length - written, at)
      written += bytesWritten
      at += bytesWritten
    }
  }
  return at
}
