import type { Begun, LinkView } from "./CaptureApi.ts"

/** A capture in the spool. */
export interface SpooledCapture {
  /** Address of the capture on the server, which is unique in this browser. */
  readonly id: string
  /** Address of the page that started the capture, by which a reload of the page finds it. */
  readonly origin: string
  readonly begun: Begun
  /** The link, which may have no uses left after a crash. */
  readonly link: LinkView
  /** Start of the capture, in milliseconds since 1970. */
  readonly startedAt: number
}

/** One run of the recorder, which is one upload. */
export interface SpooledPart {
  readonly captureId: string
  readonly part: number
  readonly mimeType: string
  /** Sizes of the chunks in bytes, in order. */
  readonly sizes: ReadonlyArray<number>
  /** Recorded time, in milliseconds. */
  readonly durationMs: number
  readonly isEnded: boolean
}

/** The browser refused to store bytes, because it has no space or no permission. */
export class SpoolError extends Error {
  override readonly name = "SpoolError"
  readonly isFull: boolean

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.isFull = cause instanceof DOMException && cause.name === "QuotaExceededError"
  }
}

const version = 1

const done = <A>(request: IDBRequest<A>): Promise<A> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(new SpoolError(request.error))
  })

const openDatabase = async (name: string): Promise<IDBDatabase> => {
  let request: IDBOpenDBRequest
  try {
    request = indexedDB.open(name, version)
  } catch (cause) {
    throw new SpoolError(cause)
  }
  request.onupgradeneeded = () => {
    request.result.createObjectStore("captures", { keyPath: "id" })
    request.result.createObjectStore("parts", { keyPath: ["captureId", "part"] })
    request.result.createObjectStore("chunks")
    request.result.createObjectStore("uploads")
  }
  return done(request)
}

/**
 * Storage of recorded data in the browser (IndexedDB) until the server has it. It survives a crash of the tab and of the browser. A chunk
 * and the list of sizes that includes it are written in one transaction.
 */
export class Spool {
  private readonly name: string
  private database: IDBDatabase

  private constructor(name: string, database: IDBDatabase) {
    this.name = name
    this.database = database
  }

  static async open(name = "tapedeck-capture"): Promise<Spool> {
    return new Spool(name, await openDatabase(name))
  }

  close() {
    this.database.close()
  }

  async addCapture(capture: SpooledCapture): Promise<void> {
    await this.write(["captures"], (stores) => stores.captures!.put(capture))
  }

  /** Returns the captures that this page started and that were not removed, oldest first. */
  async captures(origin: string): Promise<ReadonlyArray<SpooledCapture>> {
    const store = await this.reading("captures")
    const all = await done<Array<SpooledCapture>>(store.getAll())
    return all.filter((one) => one.origin === origin).sort((one, other) => one.startedAt - other.startedAt)
  }

  async parts(captureId: string): Promise<Array<SpooledPart>> {
    const store = await this.reading("parts")
    return done<Array<SpooledPart>>(store.getAll(IDBKeyRange.bound([captureId, 0], [captureId, Infinity])))
  }

  async savePart(part: SpooledPart): Promise<void> {
    await this.write(["parts"], (stores) => stores.parts!.put(part))
  }

  /** Returns the path of a part's upload; undefined before it is created. */
  async upload({ captureId, part }: SpooledPart): Promise<string | undefined> {
    return done<string | undefined>((await this.reading("uploads")).get([captureId, part]))
  }

  async saveUpload({ captureId, part }: SpooledPart, path: string): Promise<void> {
    await this.write(["uploads"], (stores) => stores.uploads!.put(path, [captureId, part]))
  }

  /** Appends a chunk to its part. `part` already includes it. */
  async addChunk(part: SpooledPart, bytes: ArrayBuffer): Promise<void> {
    await this.write(["parts", "chunks"], (stores) => {
      stores.chunks!.put(bytes, [part.captureId, part.part, part.sizes.length - 1])
      stores.parts!.put(part)
    })
  }

  /** Reads the bytes of a part from an offset: at most `maxBytes` or one chunk, with whole chunks after the first. */
  async read({ captureId, part, sizes }: SpooledPart, offset: number, maxBytes: number): Promise<Blob> {
    let index = 0
    let start = 0
    while (index < sizes.length && start + sizes[index]! <= offset) {
      start += sizes[index]!
      index += 1
    }
    const first = index
    let bytes = (sizes[index] ?? 0) - (offset - start)
    while (index + 1 < sizes.length && bytes + sizes[index + 1]! <= maxBytes) {
      index += 1
      bytes += sizes[index]!
    }
    if (first >= sizes.length) return new Blob([])
    const store = await this.reading("chunks")
    const range = IDBKeyRange.bound([captureId, part, first], [captureId, part, index])
    const chunks = await done<Array<ArrayBuffer>>(store.getAll(range))
    return new Blob(chunks).slice(offset - start)
  }

  /** Returns a whole part, for review. */
  async whole(part: SpooledPart): Promise<Blob> {
    const pieces: Array<Blob> = []
    let offset = 0
    const total = sizeOf(part)
    while (offset < total) {
      const piece = await this.read(part, offset, 8 * 1024 * 1024)
      // The part was removed in the meantime.
      if (piece.size === 0) break
      pieces.push(piece)
      offset += piece.size
    }
    return new Blob(pieces, { type: part.mimeType })
  }

  async remove(captureId: string): Promise<void> {
    await this.write(["captures", "parts", "chunks", "uploads"], (stores) => {
      stores.uploads!.delete(IDBKeyRange.bound([captureId, 0], [captureId, Infinity]))
      stores.captures!.delete(captureId)
      stores.parts!.delete(IDBKeyRange.bound([captureId, 0], [captureId, Infinity]))
      stores.chunks!.delete(IDBKeyRange.bound([captureId, 0, 0], [captureId, Infinity, Infinity]))
    })
  }

  private async reading(name: string): Promise<IDBObjectStore> {
    return (await this.transaction([name], "readonly")).objectStore(name)
  }

  private async write(
    names: ReadonlyArray<string>,
    change: (stores: Readonly<Record<string, IDBObjectStore>>) => void
  ): Promise<void> {
    const transaction = await this.transaction(names, "readwrite")
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(new SpoolError(transaction.error))
      change(Object.fromEntries(names.map((name) => [name, transaction.objectStore(name)])))
    })
  }

  /** Opens a transaction. Browsers close a database when the disk is full, so the database is opened again, which fails until there is space. */
  private async transaction(names: ReadonlyArray<string>, mode: IDBTransactionMode): Promise<IDBTransaction> {
    const begin = () => this.database.transaction([...names], mode, { durability: "strict" })
    try {
      return begin()
    } catch {
      this.database = await openDatabase(this.name)
      return begin()
    }
  }
}

export const sizeOf = ({ sizes }: Pick<SpooledPart, "sizes">): number => sizes.reduce((sum, size) => sum + size, 0)
