import { execFile, spawn } from "node:child_process"
import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { describe, expect, onTestFinished, test } from "vitest"
import { builtImage } from "../../src/support/builtImage.ts"
import { cert as certificate, key as privateKey } from "../../src/support/certificate.ts"
import { commandIn, filesOf, imageUser, isOfProgram } from "../../src/support/dockerfile.ts"
import { freePort } from "../../src/support/process.ts"

type Built = ReturnType<ReturnType<typeof builtImage>>

describe("The server's Dockerfile", () => {
  const built = builtImage("apps/server/Dockerfile")

  /** As the image's user, in its folder, with its variables: as Docker starts it. */
  const optionsIn = ({ image: one }: Built, port: number, settings: NodeJS.ProcessEnv = {}) => ({
    cwd: join(one.root, one.workdir),
    env: {
      ...one.environment,
      TAPEDECK_DATA: join(one.root, one.environment.TAPEDECK_DATA ?? ""),
      TAPEDECK_PORT: String(port),
      ...settings
    },
    ...(process.getuid?.() === 0 && { uid: imageUser, gid: imageUser })
  })

  /** A container that runs the image's own command. */
  const container = async (made: Built, settings: NodeJS.ProcessEnv = {}) => {
    const port = await freePort()
    const options = optionsIn(made, port, settings)
    const one = made.image
    const [file = "", ...entry] = commandIn(one, one.entrypoint)
    const child = spawn(file, [...entry, ...one.command], { ...options, stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)))
    const banner = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
    const isHealthy = () => {
      const [program = "", ...rest] = commandIn(one, one.healthcheck)
      return promisify(execFile)(program, rest, options).then(
        () => true,
        () => false
      )
    }
    return { child, ended, banner: banner.value, isHealthy, port }
  }

  /** Another command in the image, as `docker run --rm` with it after the image's name. */
  const runIn = async (made: Built, ...args: ReadonlyArray<string>) => {
    const [file = "", ...entry] = commandIn(made.image, made.image.entrypoint)
    return (await promisify(execFile)(file, [...entry, ...args], optionsIn(made, 0))).stdout
  }

  test("builds an image of only the command and the samples, for an unprivileged user, with one volume", ({ skip }) => {
    const { image: one } = built(skip)
    const files = filesOf(one)
    expect(files).toContain("server/packaging/README.md")
    const others = files.filter((file) => !isOfProgram(file) && !file.startsWith("server/packaging/"))
    expect(others).toEqual(["tapedeck"])
    expect(one).toMatchObject({
      base: "scratch",
      user: "1000:1000",
      ports: [4020],
      volumes: ["/data"],
      command: ["serve"]
    })
    expect(one.healthcheck.slice(0, 2)).toEqual(["/tapedeck", "--health"])
  })

  test("stores its data in its volume, is healthy once it listens, and ends on a stop", async ({ skip }) => {
    const made = built(skip)
    const data = join(made.image.root, "data")
    await runIn(made, "account", "create", "Acme")
    const admin = ["admin", "create", "--account", "1", "--email", "ada@acme.test", "--name", "Ada", "--json"]
    const { token } = JSON.parse(await runIn(made, ...admin)) as { token: string }

    const { child, ended, banner, isHealthy, port } = await container(made)
    expect(banner).toMatch(/^Tapedeck server /)
    expect(await isHealthy()).toBe(true)
    // On every address of the container.
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`http://127.0.0.2:${port}/api/v2/recordings`, { headers })).status).toBe(200)
    expect(statSync(join(data, "tapedeck.db")).mode & 0o077).toBe(0)
    child.kill("SIGTERM")
    expect(await ended).toBe(0)
    expect(await isHealthy()).toBe(false)
    // By TLS too, whatever the certificate's issuer.
    const [TAPEDECK_TLS_CERT, TAPEDECK_TLS_KEY] = [join(data, "cert.pem"), join(data, "key.pem")]
    for (const [file, text] of [
      [TAPEDECK_TLS_CERT, certificate],
      [TAPEDECK_TLS_KEY, privateKey]
    ] as const) {
      writeFileSync(file, text)
    }
    const encrypted = await container(made, { TAPEDECK_TLS_CERT, TAPEDECK_TLS_KEY })
    expect(await encrypted.isHealthy()).toBe(true)
    encrypted.child.kill("SIGTERM")
    expect(await encrypted.ended).toBe(0)
    expect(await runIn(made, "doctor")).toMatch(/^ok +key +.*\/data\/key: matches the database$/m)
  })
})
