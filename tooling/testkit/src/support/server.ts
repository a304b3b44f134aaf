import { Contract, type OpenApi } from "./contract.ts"
import { call } from "./http.ts"
import { type Started, serverMain, startProcess, temporaryFolder } from "./process.ts"
import { bodyOf, type Running, type StartDocument, type Target } from "./target.ts"

interface Ready {
  readonly base_url: string
  readonly public_url?: string
  readonly tokens: Readonly<Record<string, string>>
}

/** The server with its memory store, one process a start; it runs on the wall clock and has no control plane. */
export class Server implements Target {
  readonly name = "the server"
  private readonly processes: Array<Started<Ready>> = []
  private held: Contract | undefined

  async start(document: StartDocument): Promise<Running> {
    const folder = await temporaryFolder()
    const file = await folder.write("fixtures.json", JSON.stringify(document))
    const args = ["serve", "--store", "memory", "--port", "0", "--fixtures", file, "--json"]
    const started = await startProcess<Ready>(serverMain, args).finally(() => folder.remove())
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

  contract(): Promise<Contract> {
    return this.held === undefined ? Promise.reject(new Error("nothing was started")) : Promise.resolve(this.held)
  }

  async stop(): Promise<void> {
    await Promise.all(this.processes.map((started) => started.stop()))
  }
}

const publicUrlOf = (document: StartDocument) => {
  const { public_url } = (document.config ?? {}) as { public_url?: string }
  return public_url ?? "https://tapedeck.test"
}
