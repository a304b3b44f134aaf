import { createHash, randomBytes } from "node:crypto"
import { readdirSync, readlinkSync, writeFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { listening, temporaryFolder } from "../support/command.ts"

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`

export const bobs = uuid(1)
export const adas = uuid(2)

const fixtures = {
  accounts: [
    { id: 1, name: "Acme" },
    { id: 2, name: "Basic", api_access: false }
  ],
  users: [
    { email: "ada@acme.test", name: "Ada", role: "admin", token: "ada-token" },
    { email: "bob@acme.test", name: "Bob", role: "member", token: "bob-token" },
    { email: "ned@basic.test", name: "Ned", role: "admin", token: "ned-token", account: 2 }
  ],
  recordings: [
    { uuid: bobs, title: "Bob's", user: "bob@acme.test" },
    { uuid: adas, title: "Ada's", user: "ada@acme.test" }
  ]
}

/** A data directory, and servers on it, one after another. */
export const makePlace = () => {
  const folder = temporaryFolder()
  const file = join(folder, "fixtures.json")
  writeFileSync(file, JSON.stringify(fixtures))
  const data = join(folder, "data")
  return {
    data,
    /** With everything that the directory holds already, if it does. */
    start: async (...more: ReadonlyArray<string>) => {
      const server = await listening(["--data", data, "--fixtures", file, "--ffmpeg", "off", ...more])
      return {
        url: server.view.base_url,
        pid: server.child.pid!,
        /** As a power cut would end it. */
        kill: () => {
          server.child.kill("SIGKILL")
          return server.ended
        },
        stop: server.stop,
        said: () => server.output.err,
        ask: (method: string, path: string, init: RequestInit & { readonly as?: string } = {}) => {
          const { as = "bob", headers, ...rest } = init
          const url = path.startsWith("http") ? path : `${server.view.base_url}${path}`
          return fetch(url, {
            method,
            headers: { authorization: `Bearer ${as}-token`, ...(headers as Record<string, string>) },
            ...rest
          })
        }
      }
    }
  }
}

export type Running = Awaited<ReturnType<ReturnType<typeof makePlace>["start"]>>

export const uploadsOf = (recording: string) => `/api/settings/recordings/${recording}/uploads`
export const videoOf = (recording: string) => `/api/settings/recordings/${recording}/video`

export const tus = { "tus-resumable": "1.0.0" }
export const patch = (offset: number) => ({
  ...tus,
  "upload-offset": String(offset),
  "content-type": "application/offset+octet-stream"
})

/** Begins like an MP4, and goes on at random. */
export const aVideo = (sizeBytes: number): Buffer => {
  const bytes = randomBytes(sizeBytes)
  Buffer.from("0000002066747970 69736f6d 00000200 69736f6d 69736f32 61766331 6d703431".replaceAll(" ", ""), "hex").copy(
    bytes
  )
  return bytes
}

export const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

export const downloaded = async (server: Running, recording = bobs) => {
  const answer = await server.ask("GET", videoOf(recording))
  return { status: answer.status, sha256: sha256(new Uint8Array(await answer.arrayBuffer())) }
}

/** The hashes of the stored contents. */
export const contentsIn = (data: string): ReadonlyArray<string> =>
  readdirSync(join(data, "files"))
    .filter((name) => name !== "tapedeck.json")
    .flatMap((name) => readdirSync(join(data, "files", name)))
    .map((key) => key.slice(0, 64))
    .sort()

/** What the server process has open below its data directory, but for the database. */
export const openIn = ({ pid }: Running, data: string): ReadonlyArray<string> =>
  readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try {
      const target = readlinkSync(`/proc/${pid}/fd/${fd}`)
      return target.startsWith(data) && !target.includes(".db") ? [target] : []
    } catch {
      return []
    }
  })

/** Lets so many bytes of the first connection through, and cuts it then; those that come later go through. */
export const cuttingProxy = async (target: string, afterBytes: number) => {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let connections = 0
  let passed = 0
  const server = createServer((client) => {
    const isFirst = connections++ === 0
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on("error", () => {})
      socket.on("close", () => sockets.delete(socket))
    }
    client.on("data", (piece) => {
      passed += piece.length
      if (!isFirst || passed < afterBytes) {
        if (!upstream.write(piece)) {
          client.pause()
          upstream.once("drain", () => client.resume())
        }
      } else {
        client.destroy()
        upstream.end()
      }
    })
    client.on("end", () => upstream.end())
    upstream.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const address = server.address() as { readonly port: number }
  return { url: `http://127.0.0.1:${address.port}`, connections: () => connections, passed: () => passed }
}
