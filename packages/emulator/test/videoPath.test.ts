import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { startEmulator } from "@tapedeck/emulator"
import { describe, expect, onTestFinished, test } from "vitest"
import { readLocalFile } from "../src/world/readLocalFile.ts"
import { listening, temporaryFolder } from "./support/command.ts"
import { helpdesk, recordingUuid } from "./support/helpdesk.ts"

const video = `/recordings/${recordingUuid}/video/original`

const putWith = async (fetch: (path: string, init: RequestInit) => Promise<Response>, path: string) => {
  const response = await fetch(video, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ path })
  })
  return { status: response.status, body: await response.json() }
}

const put = (content_type: string, size_bytes: number) => ({
  status: 200,
  body: { original: { content_type, size_bytes }, processed: null, edited: null }
})
const refused = (reason: string) => {
  const message = `cannot be read: ${reason}`
  return { status: 400, body: { error: `path: ${message}`, errors: [{ path: "path", message }] } }
}

describe("PUT {c}/recordings/{uuid}/video/{version} with `path`", () => {
  test("over HTTP reads files in the folder of the fixtures file, and no others", async () => {
    const folder = await temporaryFolder()
    await mkdir(join(folder, "inside/clips"), { recursive: true })
    await writeFile(join(folder, "secret.webm"), "secret")
    await writeFile(join(folder, "inside/clips/short.mp4"), "moving")
    await symlink("../secret.webm", join(folder, "inside/link.webm"))
    const fixtures = join(folder, "inside/fixtures.json")
    await writeFile(fixtures, JSON.stringify(helpdesk))
    const { world } = await listening("--fixtures", fixtures)
    const over = (path: string) => putWith((below, init) => fetch(`${world.control_url}${below}`, init), path)
    const outside = refused("is outside of the emulator's folder")
    expect(await over("clips/short.mp4")).toEqual(put("video/mp4", 6))
    expect(await over(join(folder, "inside/clips/short.mp4"))).toEqual(put("video/mp4", 6))
    expect(await over("../secret.webm")).toEqual(outside)
    expect(await over("../absent.webm")).toEqual(outside)
    expect(await over("/etc/hostname")).toEqual(outside)
    expect(await over("link.webm")).toEqual(outside)
    expect(await over("absent.webm")).toEqual(refused("no such file"))
    expect(await over("clips")).toEqual(refused("is not a file"))
  })

  test("in process reads any file, relative to the working directory", async () => {
    const emulator = await startEmulator({ fixtures: helpdesk })
    onTestFinished(() => emulator.close())
    const file = join(await temporaryFolder(), "clip.webm")
    await writeFile(file, "clip")
    const inProcess = (path: string) => putWith((below, init) => emulator.fetch(`/_emulator${below}`, init), path)
    expect(await inProcess(file)).toEqual(put("video/webm", 4))
    expect(await inProcess(relative(process.cwd(), file))).toEqual(put("video/webm", 4))
    expect(await inProcess(`${file}.absent`)).toEqual(refused("no such file"))
  })

  test("in added fixtures in process reads files too", async () => {
    const emulator = await startEmulator({ fixtures: helpdesk })
    onTestFinished(() => emulator.close())
    const file = join(await temporaryFolder(), "clip.webm")
    await writeFile(file, "clip")
    const [user] = helpdesk.users
    const added = { user: user.email, video: { original: { path: file } } }
    const { recordings } = await emulator.fixtures({ recordings: [added] })
    expect(recordings).toHaveLength(1)
  })

  test("reads a file of the maximum size, and refuses one byte more", async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, "full"), "1234")
    await writeFile(join(folder, "over"), "12345")
    const read = readLocalFile(folder, 4)
    expect(read("full")).toHaveLength(4)
    expect(() => read("over")).toThrow("is larger than 4 bytes")
  })
})
