import { mkdirSync } from "node:fs"
import { open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"

/** What is known of an upload besides its bytes. Kept as a file of JSON beside them. */
export interface UploadInfo {
  readonly id: string
  readonly recordingUuid: string
  /** The only one who goes on with it. */
  readonly userId: number
  /** In bytes; null: the client has not told it yet. */
  readonly sizeBytes: number | null
  readonly metadata: Readonly<Record<string, string | null>>
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly expiresAt: number
  /** It is its recording's file: the bytes are not here any more. */
  readonly finished: boolean
}

/**
 * Uploads that are under way, each as `<id>.bin`, the bytes so far, and `<id>.json`. How far one is, is how long its file
 * is: that is true after any crash. The JSON comes last and goes first, in one piece, so that bytes without it are
 * nobody's.
 */
export class UploadFolder {
  private readonly path: string
  /** Whose the uploads are that have not ended, and until when: what `begunBy` counts. */
  private readonly begun = new Map<string, Pick<UploadInfo, "expiresAt" | "userId">>()

  constructor(path: string) {
    this.path = path
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }

  bytesOf(id: string): string {
    return join(this.path, `${id}.bin`)
  }

  /** `id` is from a URL. Anything but an id of ours is no upload. */
  async info(id: string): Promise<UploadInfo | undefined> {
    if (!/^[0-9a-f-]{36}$/.test(id)) return undefined
    try {
      return JSON.parse(await readFile(this.infoOf(id), "utf8")) as UploadInfo
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
  }

  async offset({ finished, id, sizeBytes }: UploadInfo): Promise<number> {
    return finished ? (sizeBytes ?? 0) : (await stat(this.bytesOf(id))).size
  }

  /** How many uploads of a user are in progress. One counts from the moment in which `create` is called. */
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

  /** Its bytes have gone where they belong. Whoever asks again is told that it is complete. */
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

  /** Removes what has expired. `atStart`, when nobody is at work here, also what a crash left in between. */
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
