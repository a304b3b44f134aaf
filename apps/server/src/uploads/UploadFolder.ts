import { mkdirSync } from "node:fs"
import { open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** The metadata of an upload, stored as JSON beside its bytes. */
export interface UploadInfo {
  readonly id: string
  readonly recordingUuid: string
  /** The user who may continue it. */
  readonly userId: number
  /** Size of the file, in bytes; null if the client has not sent it yet. */
  readonly sizeBytes: number | null
  /** The value of `Upload-Metadata`, as the client sent it; null if it sent none. */
  readonly metadata: string | null
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly expiresAt: number
  /** The bytes have become the recording's file, and are no longer here. */
  readonly finished: boolean
}

/**
 * Uploads in progress. Each has the bytes so far in `<id>.bin`, whose length is the offset, also after a crash, and metadata in
 * `<id>.json`. The JSON is written last and removed first, atomically, so bytes without it belong to no upload.
 */
export class UploadFolder {
  private readonly path: string
  /** Owners of uploads in progress, and their expiry: `begunBy` counts them. */
  private readonly begun = new Map<string, Pick<UploadInfo, "expiresAt" | "userId">>()

  constructor(path: string) {
    this.path = path
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }

  bytesOf(id: string): string {
    return join(this.path, `${id}.bin`)
  }

  /** The `id` is from a URL. Anything but a valid id is no upload. */
  async info(id: string): Promise<UploadInfo | undefined> {
    if (!/^[0-9a-f-]{36}$/.test(id)) return undefined
    try {
      return JSON.parse(await readFile(this.infoOf(id), "utf8")) as UploadInfo
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
  }

  /** Undefined if the upload was removed since its metadata was read. */
  async offset({ finished, id, sizeBytes }: UploadInfo): Promise<number | undefined> {
    if (finished) return sizeBytes ?? 0
    try {
      return (await stat(this.bytesOf(id))).size
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
  }

  /** The number of a user's uploads in progress. An upload counts as soon as `create` is called. */
  begunBy(userId: number, now: number): number {
    let count = 0
    for (const upload of this.begun.values()) if (upload.userId === userId && upload.expiresAt > now) count++
    return count
  }

  async create(info: UploadInfo): Promise<void> {
    this.begun.set(info.id, info)
    try {
      await (await open(this.bytesOf(info.id), "wx", 0o600)).close()
      await this.save(info)
    } catch (error) {
      this.begun.delete(info.id)
      throw error
    }
  }

  async save(info: UploadInfo): Promise<void> {
    const temporary = `${this.infoOf(info.id)}.new`
    await writeFile(temporary, JSON.stringify(info), { mode: 0o600, flush: true })
    await rename(temporary, this.infoOf(info.id))
  }

  /** Marks an upload whose bytes have become a file. Further requests see that it is complete. */
  async finish(info: UploadInfo, sizeBytes: number): Promise<void> {
    await this.save({ ...info, sizeBytes, finished: true })
    this.begun.delete(info.id)
    await rm(this.bytesOf(info.id), { force: true })
  }

  async remove(id: string): Promise<void> {
    await rm(this.infoOf(id), { force: true })
    this.begun.delete(id)
    await rm(this.bytesOf(id), { force: true })
  }

  /** Removes expired uploads, and at the start also the remains of a crash. */
  async sweep(now: number, { atStart }: { readonly atStart: boolean }): Promise<void> {
    for (const name of await readdir(this.path)) {
      const [, id = "", ending] = /^([0-9a-f-]{36})\.(json|bin|json\.new)$/.exec(name) ?? []
      if (ending === undefined) continue
      const info = await this.info(id)
      if (atStart && info?.finished === false) this.begun.set(id, info)
      if (info !== undefined && info.expiresAt <= now) await this.remove(id)
      else if (atStart && (ending === "json.new" || (ending === "bin" && (info === undefined || info.finished)))) {
        await rm(join(this.path, name), { force: true })
      }
    }
  }

  private infoOf(id: string): string {
    return join(this.path, `${id}.json`)
  }
}
