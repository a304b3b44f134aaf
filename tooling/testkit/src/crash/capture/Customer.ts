/// <reference lib="dom" />
import { createHash } from "node:crypto"
import type { CDPSession, Page } from "playwright-core"

/** What a browser's spool has of a capture. */
export interface Spooled {
  readonly bytes: Buffer
  /** By the spool: recorded time, in milliseconds. */
  readonly durationMs: number
  /** By the recorder: time since its start; null while it does not record. */
  readonly recordedMs: number | null
  /** The path of the upload; null before there is one. */
  readonly upload: string | null
  readonly token: string | null
}

/** What a page is instrumented with. */
interface Instruments {
  tapedeckRecordingSince?: number
  tapedeckIsFull?: boolean
}

/** A person with a capture link, at the page `/c/{token}`. */
export class Customer {
  readonly page: Page

  private constructor(page: Page) {
    this.page = page
  }

  static async open(page: Page, address: string): Promise<Customer> {
    await page.addInitScript(() => {
      const { start } = MediaRecorder.prototype
      MediaRecorder.prototype.start = function (...given) {
        ;(globalThis as Instruments).tapedeckRecordingSince = performance.now()
        return start.apply(this, given)
      }
      const { put } = IDBObjectStore.prototype
      IDBObjectStore.prototype.put = function (...given) {
        if ((globalThis as Instruments).tapedeckIsFull === true) throw new DOMException("full", "QuotaExceededError")
        return put.apply(this, given)
      }
    })
    await page.goto(address)
    return new Customer(page)
  }

  press(name: string): Promise<void> {
    return this.page.getByRole("button", { name, exact: true }).click()
  }

  sees(heading: string | RegExp): Promise<void> {
    return this.page.getByRole("heading", { level: 1, name: heading }).waitFor()
  }

  async record(): Promise<void> {
    await this.press("Continue")
    await this.press("Start recording")
    await this.sees("Recording")
  }

  /** Waits until the spool has a chunk. */
  async hasChunk(): Promise<void> {
    while ((await this.spooled()).bytes.length === 0);
  }

  /** From a stopped recording to the thanks. */
  async send(): Promise<void> {
    await this.page.getByLabel("Your recording").waitFor()
    await this.press("Send")
    await this.sees("Thank you. Your recording was sent.")
  }

  /** After a crash: what the browser kept is sent. */
  async sendUnfinished(): Promise<void> {
    await this.sees("A recording was not sent yet")
    await this.press("Look at it")
    await this.send()
  }

  refuseWrites(isFull: boolean): Promise<void> {
    return this.page.evaluate((refuses) => {
      ;(globalThis as Instruments).tapedeckIsFull = refuses
    }, isFull)
  }

  devTools(): Promise<CDPSession> {
    return this.page.context().newCDPSession(this.page)
  }

  async spooled(): Promise<Spooled> {
    const { bytes, ...rest } = await this.page.evaluate(async () => {
      const done = <A>(request: IDBRequest<A>) =>
        new Promise<A>((resolve, reject) => {
          request.onsuccess = () => resolve(request.result)
          request.onerror = () => reject(request.error)
        })
      const database = await done(indexedDB.open("tapedeck-capture"))
      const stores = database.transaction(["captures", "parts", "chunks", "uploads"])
      const all = <A>(name: string) => done<Array<A>>(stores.objectStore(name).getAll())
      const [captures, parts, chunks, uploads] = await Promise.all([
        all<{ begun: { capture_token: string } }>("captures"),
        all<{ durationMs: number }>("parts"),
        all<ArrayBuffer>("chunks"),
        all<string>("uploads")
      ])
      database.close()
      const since = (globalThis as Instruments).tapedeckRecordingSince
      const url = await new Promise<string>((resolve) => {
        const reader = new FileReader()
        reader.onload = () => resolve(reader.result as string)
        reader.readAsDataURL(new Blob(chunks))
      })
      return {
        bytes: url.slice(url.indexOf(",") + 1),
        durationMs: parts.reduce((sum, part) => sum + part.durationMs, 0),
        recordedMs: since === undefined ? null : performance.now() - since,
        upload: uploads[0] ?? null,
        token: captures[0]?.begun.capture_token ?? null
      }
    })
    return { ...rest, bytes: Buffer.from(bytes, "base64") }
  }
}

/** Whether `whole` begins with `part`. */
export const beginsWith = (whole: Buffer, part: Buffer): boolean =>
  digest(whole.subarray(0, part.length)) === digest(part)

const digest = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex")
