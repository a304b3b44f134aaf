import { execFile, spawn } from "node:child_process"
import { chmodSync, copyFileSync, statSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { buildImage, commandIn, filesOf, type Image, isOffline, nodeUser } from "../../src/support/dockerfile.ts"
import { type Folder, temporaryFolder } from "../../src/support/process.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

type Skip = (condition: boolean, note: string) => void

describe("The server's Dockerfile", () => {
  let folder: Folder
  let image: Image | undefined

  beforeAll(async () => {
    folder = await temporaryFolder()
    chmodSync(folder.path, 0o755)
    // Stands for the base image's. The one that runs the tests may lie where a user without rights cannot reach it.
    copyFileSync(process.execPath, join(folder.path, "node"))
    try {
      image = await buildImage(join(root, "apps/server/Dockerfile"), root, folder.path)
    } catch (error) {
      if (!isOffline(error)) throw error
      console.warn("the Dockerfile's steps are not done: packages cannot be installed from here")
    }
  }, 300_000)
  afterAll(() => folder.remove())

  const built = (skip: Skip): Image => {
    skip(image === undefined, "packages cannot be installed from here")
    return image!
  }

  /** As the image's user, in its folder, with its variables: as Docker starts it. */
  const optionsIn = (one: Image, port: number) => ({
    cwd: join(one.root, one.workdir),
    env: {
      PATH: `${folder.path}:${process.env.PATH}`,
      ...one.environment,
      TAPEDECK_DATA: join(one.root, one.environment.TAPEDECK_DATA ?? ""),
      TAPEDECK_PORT: String(port)
    },
    ...(process.getuid?.() === 0 && { uid: nodeUser, gid: nodeUser })
  })

  /** A container that runs the image's own command. */
  const container = async (one: Image) => {
    const port = await freePort()
    const options = optionsIn(one, port)
    const [file = "", ...entry] = commandIn(one, one.entrypoint)
    const child = spawn(file, [...entry, ...one.command], { ...options, stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)))
    const greeting = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    const isHealthy = () => {
      const [program = "", ...rest] = one.healthcheck.map((part) => part.replace("4020", String(port)))
      return promisify(execFile)(program, rest).then(
        () => true,
        () => false
      )
    }
    return { child, ended, greeting: greeting.value, isHealthy, port }
  }

  /** Another command in the image, as `docker run --rm` with it after the image's name. */
  const runIn = async (one: Image, ...args: ReadonlyArray<string>) => {
    const [file = "", ...entry] = commandIn(one, one.entrypoint)
    return (await promisify(execFile)(file, [...entry, ...args], optionsIn(one, 0))).stdout
  }

  test("makes an image of nothing but the command, for a user without rights, with one volume", ({ skip }) => {
    const one = built(skip)
    const files = filesOf(one)
    expect(files).toContain("server/package.json")
    expect(files).toContain("server/dist/main.js")
    expect(files.filter((file) => !/^server\/(package\.json$|dist\/)/.test(file))).toEqual([])
    expect(one).toMatchObject({
      base: "node:24-slim",
      user: "node",
      ports: [4020],
      volumes: ["/data"],
      command: ["serve"]
    })
    expect(one.healthcheck.join(" ")).toContain("http://127.0.0.1:4020/healthz'")
  })

  test("keeps what it has in its volume, is healthy once it listens, and ends when it is stopped", async ({ skip }) => {
    const one = built(skip)
    const data = join(one.root, "data")
    await runIn(one, "account", "create", "Acme")
    const admin = ["admin", "create", "--account", "1", "--email", "ada@acme.test", "--name", "Ada", "--json"]
    const { token } = JSON.parse(await runIn(one, ...admin)) as { token: string }

    const { child, ended, greeting, isHealthy, port } = await container(one)
    expect(greeting).toMatch(/^Tapedeck server /)
    expect(await isHealthy()).toBe(true)
    // On every address of the container.
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`http://127.0.0.2:${port}/api/v2/recordings`, { headers })).status).toBe(200)
    expect(statSync(join(data, "tapedeck.db")).mode & 0o077).toBe(0)
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
    expect(await isHealthy()).toBe(false)
    expect(await runIn(one, "doctor")).toMatch(/^ok +key +.*\/data\/key: the database's$/m)
  })
})
