import { readdirSync, readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { aVideo, bobs, contentsIn, downloaded, makePlace, openIn, type Running, sha256, videoOf } from "./trial.ts"

const MiB = 1024 ** 2

/** A reader that asks for the video and then reads nothing but what its socket holds. */
const slowReader = (server: Running): Promise<Socket> => {
  const { hostname, port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) })
    onTestFinished(() => void socket.destroy())
    socket.once("error", reject)
    socket.write(`GET ${videoOf(bobs)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer bob-token\r\n\r\n`)
    socket.once("data", () => {
      socket.pause()
      resolve(socket)
    })
  })
}

/** Asks until it holds: each question is a round through the server. */
const until = async (server: Running, holds: () => boolean) => {
  for (let round = 0; round < 2_000 && !holds(); round++) await server.ask("GET", "/api/v2/recordings")
  expect(holds()).toBe(true)
}

const mostMemory = ({ pid }: Running) => Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1])

describe("a streamed video", () => {
  it("needs little memory in both directions, and leaves no file open after slow or lost readers", async () => {
    const place = makePlace()
    const server = await place.start()
    const file = aVideo(120 * MiB)
    await until(server, () => true)
    const before = mostMemory(server)
    const put = await server.ask("PUT", videoOf(bobs), {
      headers: { "content-type": "video/mp4" },
      body: new Uint8Array(file)
    })
    expect(put.status).toBe(200)
    expect(await downloaded(server)).toEqual({ status: 200, sha256: sha256(file) })
    const end = await server.ask("GET", videoOf(bobs), { headers: { range: "bytes=-100" } })
    expect(end.status).toBe(206)
    expect(Buffer.from(await end.arrayBuffer()).equals(file.subarray(-100))).toBe(true)
    // The reader has the last bytes before the file is closed.
    await until(server, () => openIn(server, place.data).length === 0)

    const readers = await Promise.all(Array.from({ length: 30 }, () => slowReader(server)))
    expect(openIn(server, place.data).length).toBe(30)
    expect(mostMemory(server) - before).toBeLessThan(100 * 1024)
    for (const reader of readers.slice(0, 15)) reader.destroy()
    for (const reader of readers.slice(15)) reader.resetAndDestroy()
    await until(server, () => openIn(server, place.data).length === 0)
  })

  it("leaves nothing if its upload is cut, and the previous video is served", async () => {
    const place = makePlace()
    const server = await place.start()
    const file = aVideo(MiB)
    await server.ask("PUT", videoOf(bobs), { body: new Uint8Array(file) })
    const { hostname, port } = new URL(server.url)
    const socket = connect({ host: hostname, port: Number(port) })
    onTestFinished(() => void socket.destroy())
    socket.write(
      `PUT ${videoOf(bobs)} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer bob-token\r\ncontent-length: 9000000\r\n\r\n`
    )
    socket.write(aVideo(3 * MiB))
    const temporary = () => readdirSync(join(place.data, "tmp")).filter((name) => name.endsWith(".part"))
    await until(server, () => temporary().length === 1)
    socket.destroy()
    await until(server, () => temporary().length === 0)
    expect(openIn(server, place.data)).toEqual([])
    expect(await downloaded(server)).toEqual({ status: 200, sha256: sha256(file) })
  })

  it("is read to its end while it is replaced, and then releases its space", async () => {
    const place = makePlace()
    const server = await place.start()
    const [first, second] = [aVideo(20 * MiB), aVideo(MiB)]
    await server.ask("PUT", videoOf(bobs), { body: new Uint8Array(first) })
    const reading = await server.ask("GET", videoOf(bobs))
    await server.ask("PUT", videoOf(bobs), { body: new Uint8Array(second) })
    expect(sha256(new Uint8Array(await reading.arrayBuffer()))).toBe(sha256(first))
    expect(await downloaded(server)).toEqual({ status: 200, sha256: sha256(second) })
    await until(server, () => contentsIn(place.data).length === 1)
    expect(contentsIn(place.data)).toEqual([sha256(second)])
    await server.kill()
    const next = await place.start()
    expect(await downloaded(next)).toEqual({ status: 200, sha256: sha256(second) })
  })
})
