/// <reference lib="dom" />
import { createHash } from "node:crypto"
import type { CDPSession, Page } from "playwright-core"
import { drawing } from "./frames.ts"
import { type Instrumented, instrument } from "./instruments.ts"

/** What a browser's spool has of a capture. */
export interface Spooled {
  readonly bytes: Buffer
  /** The numbers of the frames that the page drew while it recorded. */
  readonly drawn: ReadonlyArray<number>
  /** The path of the upload; null before there is one. */
  readonly upload: string | null
  readonly token: string | null
}

/** The heading after a recording was sent. */
export const thanks = "Thank you. Your recording was sent."

/** A person with a capture link, at the page `/c/{token}`. */
export class Customer {
  readonly page: Page

  private constructor(page: Page) {
    this.page = page
  }

  /** `startedAt`: of the run, in milliseconds since 1970. */
  static async open(page: Page, address: string, startedAt: number): Promise<Customer> {
    await page.addInitScript(instrument, { frame: drawing, startedAt })
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

  /** Waits until the spool has a capture. */
  async hasBegun(): Promise<void> {
    while ((await this.spooled()).token === null);
  }

  /** Waits until the spool has a chunk. */
  async hasChunk(): Promise<void> {
    while ((await this.spooled()).bytes.length === 0);
  }

  /** Waits for so many more frames of the screen. */
  async draws(more: number): Promise<void> {
    const drawn = () => (globalThis as Instrumented).tapedeck.drawn.length
    const before = await this.page.evaluate(drawn)
    await this.page.waitForFunction(
      (count) => (globalThis as Instrumented).tapedeck.drawn.length >= count,
      before + more
    )
  }

  /** Waits until what was recorded is shown: one video for each run of the recorder. */
  async looks(): Promise<void> {
    await this.page.getByLabel("Your recording").first().waitFor()
  }

  /** From a stopped recording to the thanks. */
  async send(): Promise<void> {
    await this.looks()
    await this.press("Send")
    await this.sees(thanks)
  }

  async findsUnfinished(): Promise<void> {
    await this.sees("A recording was not sent yet")
    await this.press("Look at it")
  }

  /** After a crash: what the browser kept is sent. */
  async sendUnfinished(): Promise<void> {
    await this.findsUnfinished()
    // The page thanks by itself for what was sent before the crash.
    await Promise.race([this.send(), this.sees(thanks)])
  }

  /** The recorder gives nothing, as in its first second. */
  holdRecorder(): Promise<void> {
    return this.page.evaluate(() => {
      MediaRecorder.prototype.start = () => {}
    })
  }

  refuseWrites(): Promise<void> {
    return this.page.evaluate(() => {
      ;(globalThis as Instrumented).tapedeck.isFull = true
    })
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
      const stores = database.transaction(["captures", "chunks", "uploads"])
      const all = <A>(name: string) => done<Array<A>>(stores.objectStore(name).getAll())
      const [captures, chunks, uploads] = await Promise.all([
        all<{ begun: { capture_token: string } }>("captures"),
        all<ArrayBuffer>("chunks"),
        all<string>("uploads")
      ])
      database.close()
      const url = await new Promise<string>((resolve) => {
        const reader = new FileReader()
        reader.onload = () => resolve(reader.result as string)
        reader.readAsDataURL(new Blob(chunks))
      })
      return {
        bytes: url.slice(url.indexOf(",") + 1),
        drawn: (globalThis as Instrumented).tapedeck.drawn,
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
