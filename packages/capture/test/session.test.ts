import "fake-indexeddb/auto"
import { afterEach, expect, onTestFinished, test, vi } from "vitest"
import { type Begun, CaptureApi, type Finished } from "../src/CaptureApi.ts"
import { CaptureError } from "../src/PageApi.ts"
import { Session } from "../src/Session.ts"
import { Spool } from "../src/Spool.ts"
import { TusServer } from "./tusServer.ts"

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const begun = {
  id: "a",
  capture_token: "secret",
  video_url: "/video",
  finish_url: "/finish",
  max_duration_seconds: 60
} as Begun

/** A session whose file is on the server, and was not sent by the person. */
const uploaded = async (name: string) => {
  const server = new TusServer()
  const api = new CaptureApi("")
  const spool = await Spool.open(name)
  onTestFinished(() => spool.close())
  const options = { api, spool, onChange: () => {} }
  const entrance = { origin: "/c/link", begin: async () => begun }
  const session = await Session.begin({ ...options, entrance, link: {} as never })
  await session.addFile(new File(["one"], "one.webm", { type: "video/webm" }))
  await vi.waitFor(() => expect([...server.uploads.values()].map(({ length }) => length)).toEqual([3]))
  return { api, entrance, options, server, session, spool }
}

/** A capture that its server has ended while the spool was not emptied, and the session that opens it again. */
const openedAfter = async (state: Finished["state"]) => {
  const { api, entrance, options, server, session, spool } = await uploaded(state)
  server.fail = () => 401
  vi.spyOn(api, "finish").mockResolvedValue({ state })
  const again = await Session.resume(options, session.capture)
  return { again, entrance, spool }
}

test("A session that was sent before a crash is sent when it is opened again, and leaves the spool", async () => {
  const { again, entrance, spool } = await openedAfter("finished")
  await again.finish({})
  expect(again.current).toMatchObject({ phase: "sent", problem: null })
  expect(await spool.captures(entrance.origin)).toEqual([])
})

test("A session that the server ended by itself is refused, and stays in the spool", async () => {
  const { again, entrance, spool } = await openedAfter("abandoned")
  await expect(again.finish({})).rejects.toThrow(CaptureError)
  expect(again.current.problem).toBe("revoked")
  expect(await spool.captures(entrance.origin)).toEqual([again.capture])
})

test("A session whose finish is refused for a field can be finished with another value", async () => {
  const { api, session } = await uploaded("field")
  const finish = vi
    .spyOn(api, "finish")
    .mockRejectedValueOnce(new CaptureError(422, "folder_id is not the id of a folder"))
  await expect(session.finish({ folder_id: "gone" })).rejects.toThrow("folder_id")
  expect(session.current).toMatchObject({ phase: "stopped", problem: null })
  finish.mockResolvedValue({ state: "finished" })
  await session.finish({})
  expect(session.current.phase).toBe("sent")
})

test("A session that waits for the person gives a sign of life every 2 minutes, until it has ended", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  const { api, server, session } = await uploaded("waiting")
  vi.spyOn(api, "finish").mockResolvedValue({ state: "finished" })
  const signs = () => server.got.filter(({ method }) => method === "HEAD").length
  vi.advanceTimersByTime(600_000)
  expect(signs()).toBe(5)
  await session.finish({})
  vi.advanceTimersByTime(600_000)
  expect(signs()).toBe(5)
})
