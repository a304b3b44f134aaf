import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer as createHttpServer, request } from "node:http"
import { type AddressInfo, connect, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const main = fileURLToPath(new URL("../../../server/dist/main.js", import.meta.url))

interface StartOptions {
  readonly options?: ReadonlyArray<string>
  readonly databaseUrl?: string
}

export interface TestServer {
  /** The link that it prints: it signs in once. It begins with the server's public URL. */
  readonly link: string
  /** The address where it listens. */
  readonly address: string
  readonly stop: () => Promise<void>
}

/** A server with data of its own, on SQLite unless `databaseUrl` names a PostgreSQL. */
export const startServer = async ({ databaseUrl, options = [] }: StartOptions = {}): Promise<TestServer> => {
  const data = mkdtempSync(join(tmpdir(), "tapedeck-console-"))
  const server = spawn(process.execPath, [main, "serve", "--data", data, "--port", "0", ...options], {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, ...(databaseUrl !== undefined && { TAPEDECK_DATABASE_URL: databaseUrl }) }
  })
  const stop = async () => {
    const ended = new Promise((resolve) => server.once("exit", resolve))
    if (server.exitCode === null) {
      server.kill()
      await ended
    }
    rmSync(data, { recursive: true, force: true })
  }
  let text = ""
  for await (const part of server.stdout) {
    text += String(part)
    const link = /http:\S+\/sign-in\/link\?token=\S+/.exec(text)?.[0]
    const address = /API +(http:\S+)\/api/.exec(text)?.[1]
    if (link !== undefined && address !== undefined) return { link, address, stop }
  }
  await stop()
  throw new Error(`The server printed no link: ${text}`)
}

export interface CuttingProxy {
  readonly origin: string
  /** Bytes that clients sent. */
  readonly sentBytes: () => number
  readonly close: () => void
}

/** Another port of the server of `origin`; the first connection that sends bytes beyond `cutAfterBytes` is cut. */
export const startProxy = async (origin: string, cutAfterBytes: number): Promise<CuttingProxy> => {
  let sentBytes = 0
  let isCut = false
  const proxy = createServer((client) => {
    const server = connect(Number(new URL(origin).port), "127.0.0.1")
    const end = () => {
      client.destroy()
      server.destroy()
    }
    client.on("error", end).on("close", end)
    // Ended, not destroyed: the rest of an answer may still wait for the client.
    server.on("error", end).on("close", () => client.end())
    server.pipe(client)
    client.pipe(server)
    client.on("data", (bytes: Buffer) => {
      sentBytes += bytes.length
      if (isCut || sentBytes < cutAfterBytes) return
      isCut = true
      end()
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return {
    origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    sentBytes: () => sentBytes,
    close: () => proxy.close()
  }
}

export interface PathProxy {
  /** The address of the product, without a slash at its end. */
  readonly url: string
  /** Passes requests on to this address from now on. */
  readonly passTo: (address: string) => void
  /** Targets that lie outside the product's path. They are answered 404. */
  readonly outside: ReadonlyArray<string>
  readonly close: () => void
}

/** A proxy that serves a server below a path, which it keeps in the requests or removes. */
export const startPathProxy = async (
  path: string,
  { keepsPath }: { readonly keepsPath: boolean }
): Promise<PathProxy> => {
  const outside: Array<string> = []
  let target: URL | undefined
  const proxy = createHttpServer((incoming, response) => {
    const { headers, method, url = "" } = incoming
    if (target === undefined || !`${url}/`.startsWith(`${path}/`)) {
      outside.push(url)
      response.writeHead(404).end()
      return
    }
    const passed = request(target, { method, headers, path: keepsPath ? url : url.slice(path.length) }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
    })
    passed.on("error", () => response.destroy())
    response.on("close", () => passed.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://localhost:${(proxy.address() as AddressInfo).port}${path}`,
    passTo: (address) => {
      target = new URL(address)
    },
    outside,
    close: () => {
      proxy.closeAllConnections()
      proxy.close()
    }
  }
}
