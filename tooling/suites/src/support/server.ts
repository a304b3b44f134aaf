import { join } from "node:path"
import { startPostgres, type TestDatabases, unsynced } from "../postgres/index.ts"
import { cert } from "./certificate.ts"
import { Contract, type OpenApi } from "./contract.ts"
import { type Call, call } from "./http.ts"
import { type Folder, runProcess, type Started, serverMain, startProcess, temporaryFolder } from "./process.ts"
import { SignIns, tokenOf } from "./signIns.ts"
import { bodyOf, type Running, type StartDocument, type Target } from "./target.ts"

interface Ready {
  readonly base_url: string
  readonly public_url?: string
  readonly tokens: Readonly<Record<string, string>>
}

/** For all servers of this process; it ends with it. */
let postgres: Promise<TestDatabases> | undefined

export type ServerStore = "memory" | "sqlite" | "postgres"

export interface ServerOptions {
  /** Further options of `tapedeck serve`. */
  readonly settings?: ReadonlyArray<string>
}

/** The server on one of its stores, one process a start; it runs on the wall clock and has no control plane. */
export class Server implements Target {
  readonly name: string
  readonly receiverScheme = "https"
  private readonly store: ServerStore
  private readonly processes: Array<Started<Ready>> = []
  private readonly folders: Array<Folder> = []
  private readonly settings: ReadonlyArray<string>
  private held: Contract | undefined

  constructor(store: ServerStore, { settings = [] }: ServerOptions = {}) {
    this.store = store
    this.settings = settings
    this.name = `the server on ${store}`
  }

  async start(document: StartDocument): Promise<Running> {
    const folder = await temporaryFolder()
    const file = await folder.write("fixtures.json", JSON.stringify(document))
    const caFile = await folder.write("ca.pem", cert)
    this.folders.push(folder)
    const store = this.store === "postgres" ? [] : ["--store", this.store]
    const data = ["--data", join(folder.path, "data")]
    const receivers = ["--allow-receivers", "127.0.0.0/8", "--ca-file", caFile]
    // What is served after an upload is what was uploaded: with an ffmpeg it would be what that made of it, sooner or later.
    const args = [
      "serve",
      ...store,
      ...data,
      "--port",
      "0",
      "--fixtures",
      file,
      "--ffmpeg",
      "off",
      "--json",
      ...receivers,
      ...this.settings
    ]
    const environment = await this.environment()
    const started = await startProcess<Ready>(serverMain, args, environment)
    this.processes.push(started)
    const { base_url: baseUrl, public_url, tokens } = started.ready
    const documents = ["v2", "v1", "settings", "capture"].map((api) => `/api/${api}/openapi.json`)
    this.held ??= new Contract(
      await Promise.all(documents.map(async (path) => bodyOf<OpenApi>(await call(baseUrl, path))))
    )
    const contract = this.held
    const signIns = new SignIns(baseUrl, (email) => signInLink(email, data, environment))
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
      credentials: (email): Promise<Call> => signIns.of(email),
      close: () => started.stop()
    }
  }

  private async environment(): Promise<Readonly<Record<string, string>>> {
    if (this.store !== "postgres") return {}
    postgres ??= startPostgres(unsynced)
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

/** Returns the token of a link that signs a user in while the server runs. */
const signInLink = async (
  email: string,
  data: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
): Promise<string> => {
  const args = ["admin", "link", email, "--json", ...data]
  const { code, stderr, stdout } = await runProcess(serverMain, args, environment)
  if (code !== 0) throw new Error(`admin link ended with ${code}: ${stderr}`)
  return tokenOf((JSON.parse(stdout) as { link: { url: string } }).link.url)
}

const publicUrlOf = (document: StartDocument) => {
  const { public_url } = (document.config ?? {}) as { public_url?: string }
  return public_url ?? "https://tapedeck.test"
}
