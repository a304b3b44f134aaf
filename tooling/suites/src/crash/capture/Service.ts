import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { CuttingLine } from "../../support/CuttingLine.ts"
import { type Answer, call } from "../../support/http.ts"
import { type Folder, temporaryFolder } from "../../support/process.ts"
import type { Events } from "../Events.ts"
import { Life } from "../Life.ts"
import { type SmallDisk, smallDisk } from "../SmallDisk.ts"

const admin = "ada@acme.test"

const shiftedClock = fileURLToPath(new URL("../../cluster/shiftedClock.ts", import.meta.url))

export interface ServiceOptions {
  /** Counts what browsers send. */
  readonly events: Events
  /** The size of the disk; without it the data is in the folder for temporary files. */
  readonly diskBytes?: number
  /** Whether it processes videos: it joins the runs of the recorder. Default: false. */
  readonly hasFfmpeg?: boolean
}

/** A capture link, and the address of its page. */
export interface Link {
  readonly id: string
  readonly address: string
}

/** A server that is killed and started again, behind a line that keeps its address. */
export class Service {
  readonly disk: SmallDisk | undefined
  private readonly folder: Folder
  private readonly more: ReadonlyArray<string>
  private line!: CuttingLine
  private life!: Life
  private port: number | null = null
  private token = ""

  private constructor(folder: Folder, more: ReadonlyArray<string>, disk: SmallDisk | undefined) {
    this.folder = folder
    this.more = more
    this.disk = disk
  }

  static async start({ diskBytes, events, hasFfmpeg = false }: ServiceOptions): Promise<Service> {
    const folder = await temporaryFolder()
    const document = { account: { name: "Acme" }, users: [{ email: admin, name: "Ada", role: "admin" }] }
    const fixtures = await folder.write("fixtures.json", JSON.stringify(document))
    const disk = diskBytes === undefined ? undefined : await smallDisk(join(folder.path, "disk"), diskBytes)
    const more = ["--fixtures", fixtures, ...(hasFfmpeg ? ["--ffmpeg", "ffmpeg"] : [])]
    const service = new Service(folder, more, disk)
    service.line = await CuttingLine.start({ to: () => service.port, onBytes: () => events.happened() })
    await service.restart()
    return service
  }

  /** `shiftMs`: by how much its clock is ahead of this machine's. */
  async restart(shiftMs = 0): Promise<void> {
    this.life = new Life({
      data: join(this.disk?.path ?? this.folder.path, "data"),
      more: this.more,
      environment: { TAPEDECK_TEST_CLOCK: String(shiftMs) },
      imports: [shiftedClock],
      ...(this.disk !== undefined && { wrap: this.disk.wrap })
    })
    const { base_url: baseUrl, tokens } = await this.life.listening
    this.token = tokens[admin]!
    this.port = Number(new URL(baseUrl).port)
  }

  /** Refuses connections from now on, and aborts the open ones. */
  disconnect() {
    this.port = null
    this.line.cut()
  }

  async reconnect(): Promise<void> {
    this.port = Number(new URL((await this.life.listening).base_url).port)
  }

  async kill(): Promise<void> {
    this.life.kill("SIGKILL")
    this.port = null
    await this.life.ended
  }

  async remove(): Promise<void> {
    await this.kill()
    await this.line.close()
    await this.disk?.remove()
    await this.folder.remove()
  }

  get url(): string {
    return `http://127.0.0.1:${this.line.port}`
  }

  /** Calls the server directly, as the admin unless other headers are given. */
  call(method: string, path: string, more: { readonly json?: unknown; readonly body?: Uint8Array } = {}) {
    const headers = more.body === undefined ? {} : { "content-type": "video/webm" }
    return this.ask(path, { method, token: this.token, headers, ...more })
  }

  private ask(path: string, more: Parameters<typeof call>[2]): Promise<Answer> {
    return call(`http://127.0.0.1:${this.port}`, path, more)
  }

  /** How many bytes of an upload the server acknowledges. */
  async offsetOf(upload: string, token: string): Promise<number> {
    const headers = { authorization: `Capture ${token}`, "tus-resumable": "1.0.0" }
    const answer = await this.ask(upload, { method: "HEAD", headers })
    return Number(answer.header("upload-offset"))
  }

  async link(title: string): Promise<Link> {
    const sources = { screen: "required", microphone: "optional" }
    const answer = await this.call("POST", "/api/settings/capture-links", { json: { title, sources } })
    const { id, url } = answer.as<{ readonly id: string; readonly url: string }>()
    return { id, address: `${this.url}/c/${url.split("/c/")[1]}` }
  }

  /** The video of the recording with this title; waits until there is one, of this type. */
  async video(title: string, type = /^video\//): Promise<Buffer> {
    for (;;) {
      const listed = await this.call("GET", "/api/settings/recordings?type=Received&sort=-created_at")
      const { records } = listed.as<{ readonly records: ReadonlyArray<{ readonly uuid: string; title: string }> }>()
      const found = records.find((one) => one.title === title)
      if (found === undefined) continue
      const answer = await this.call("GET", `/api/v2/recordings/${found.uuid}/download`)
      if (answer.status === 200 && type.test(answer.header("content-type") ?? "")) return answer.body
    }
  }
}
