import { join } from "node:path"
import { startPostgres, type TestPostgres } from "../postgres/index.ts"
import { Contract, type OpenApi } from "./contract.ts"
import { call } from "./http.ts"
import { type Folder, type Started, serverMain, startProcess, temporaryFolder } from "./process.ts"
import { bodyOf, type Running, type StartDocument, type Target } from "./target.ts"

interface Ready {
  readonly base_url: string
  readonly public_url?: string
  readonly tokens: Readonly<Record<string, string>>
}

/** For all servers of this process; it ends with it. */
let postgres: Promise<TestPostgres> | undefined

/** The server on one of its stores, one process a start; it runs on the wall clock and has no control plane. */
export class Server implements Target {
  readonly name: string
  private readonly store: "memory" | "sqlite" | "postgres"
  private readonly processes: Array<Started<Ready>> = []
  private readonly folders: Array<Folder> = []
  private held: Contract | undefined

  constructor(store: "memory" | "sqlite" | "postgres") {
    this.store = store
    this.name = `the server on ${store}`
  }

  async start(document: StartDocument): Promise<Running> {
    const folder = await temporaryFolder()
    const file = await folder.write("fixtures.json", JSON.stringify(document))
    this.folders.push(folder)
    const store = this.store === "postgres" ? [] : ["--store", this.store]
    const place = [...store, "--data", join(folder.path, "data")]
    // What is served after an upload is what was uploaded: with an ffmpeg it would be what that made of it, sooner or later.
    const args = ["serve", ...place, "--port", "0", "--fixtures", file, "--ffmpeg", "off", "--json"]
    const started = await startProcess<Ready>(serverMain, args, await this.environment())
    this.processes.push(started)
    const { base_url: baseUrl, public_url, tokens } = started.ready
    const documents = ["/api/v2/openapi.json", "/api/v1/openapi.json"]
    this.held ??= new Contract(
      await Promise.all(documents.map(async (path) => bodyOf<OpenApi>(await call(baseUrl, path))))
    )
    const contract = this.held
    return {
      baseUrl,
      publicUrl: public_url ?? publicUrlOf(document),
      controlUrl: null,
      tokens,
      fetch: async (path, init = {}) => {
        const answer = await call(baseUrl, path, init)
        contract.check(answer)
        return answer
      },
      close: () => started.stop()
    }
  }

  private async environment(): Promise<Readonly<Record<string, string>>> {
    if (this.store !== "postgres") return {}
    postgres ??= startPostgres()
    const { url } = await (await postgres).createDatabase()
    return { TAPEDECK_DATABASE_URL: url }
  }

  contract(): Promise<Contract> {
    return this.held === undefined ? Promise.reject(new Error("nothing was started")) : Promise.resolve(this.held)
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((started) => started.stop()))
    await Promise.all(this.folders.splice(0).map((folder) => folder.remove()))
  }
}

const publicUrlOf = (document: StartDocument) => {
  const { public_url } = (document.config ?? {}) as { public_url?: string }
  return public_url ?? "https://tapedeck.test"
}
