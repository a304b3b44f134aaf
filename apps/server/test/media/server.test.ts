import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { listening, run, said, temporaryFolder } from "../support/command.ts"
import { aChatEndpoint, chatKey, completionOf } from "./chatEndpoint.ts"
import { aProgram } from "./programs.ts"

const uuids = [1, 2].map((n) => `00000000-0000-4000-8000-00000000000${n}`)

/** The first bytes of a WebM file: enough for the server to take it for a video. */
const video = Buffer.from(
  "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701000000000049b5",
  "hex"
)

/** A server with recordings that have no video yet, and a client of its API. */
const aServer = async (folder: string, environment: NodeJS.ProcessEnv) => {
  const fixtures = join(folder, "fixtures.json")
  const users = [{ name: "Ada", email: "ada@acme.test", role: "admin", token: "ada-token" }]
  writeFileSync(fixtures, JSON.stringify({ users, recordings: uuids.map((uuid) => ({ uuid, user: "ada@acme.test" })) }))
  const server = await listening(["--data", join(folder, "data"), "--fixtures", fixtures], environment)
  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${server.view.base_url}${path}`, {
      ...init,
      headers: { authorization: "Bearer ada-token", ...init.headers }
    })
  const upload = (uuid = uuids[0]) =>
    call(`/api/settings/recordings/${uuid}/video`, {
      method: "PUT",
      body: video,
      headers: { "content-type": "video/webm" }
    })
  /** The recording once its transcript has come to an end, and its video is processed if it is to be. */
  const settled = async (isSettled: (one: Shown) => boolean): Promise<Shown> => {
    const read = async () => (await (await call(`/api/settings/recordings/${uuids[0]}`)).json()) as Shown
    await expect.poll(async () => isSettled(await read())).toBe(true)
    return read()
  }
  return { ...server, call, upload, settled }
}

interface Shown {
  readonly transcript_status: string
  readonly media_work: ReadonlyArray<{ readonly kind: string; readonly state: string; readonly problem: string | null }>
  readonly trim: { readonly state: string } | null
  readonly metadata: { readonly duration: number | null }
  readonly video: { readonly processed: { readonly content_type: string; readonly size_bytes: number } | null }
}

/** What ffprobe says of a video that does not play everywhere, and an ffmpeg that makes something of it. */
const fakeFfmpeg = (folder: string): string => {
  const streams = [{ codec_type: "video", codec_name: "vp8" }, { codec_type: "audio" }]
  const probe = JSON.stringify({ format: { format_name: "matroska,webm", duration: "61.4" }, streams })
  aProgram(folder, "ffprobe", `process.stdout.write(${JSON.stringify(probe)})`)
  return aProgram(folder, "ffmpeg", `if (args[0] !== "-version") fs.writeFileSync(args.at(-1), "made by ffmpeg")`)
}

describe("The server with an ffmpeg, a transcriber and a summarizer", () => {
  test("measures a video, makes it playable, makes its still and its transcript, and trims it", async () => {
    const folder = temporaryFolder()
    const texts = {
      title: "Checkout fails",
      summary: "Pay does nothing.",
      chapters: [{ start_seconds: 1, title: "Pay" }]
    }
    const chat = await aChatEndpoint((response) => response.end(completionOf(JSON.stringify(texts))))
    const transcribe = aProgram(folder, "asr", `process.stdout.write("WEBVTT\\n\\n00:00.500 --> 00:02.000\\nHeard")`)
    const { call, settled, stop, upload } = await aServer(folder, {
      TAPEDECK_FFMPEG: fakeFfmpeg(folder),
      TAPEDECK_TRANSCRIBER_COMMAND: `'${transcribe}' {file}`,
      TAPEDECK_SUMMARIZER_URL: chat.url,
      TAPEDECK_SUMMARIZER_KEY: chatKey
    })
    expect(((await (await upload()).json()) as Shown).transcript_status).toBe("processing")
    const shown = await settled(
      ({ media_work, transcript_status, video: { processed } }) =>
        transcript_status !== "processing" && processed !== null && media_work.every(({ state }) => state === "ready")
    )
    expect(shown.transcript_status).toBe("ready")
    expect(shown).toMatchObject({ ...texts, title_source: "generated", summary_source: "generated" })
    expect(shown).toMatchObject({ summary_blocked_by: null })
    expect(chat.received.map(({ messages }) => JSON.parse(messages[1].content).transcript)).toEqual(["[0] Heard"])
    expect(shown.metadata.duration).toBe(61)
    expect(shown.video.processed).toEqual({ content_type: "video/mp4", size_bytes: 14 })
    const download = await call(`/api/v2/recordings/${uuids[0]}/download`)
    expect([download.headers.get("content-type"), await download.text()]).toEqual(["video/mp4", "made by ffmpeg"])
    const still = await call(`/r/${uuids[0]}/thumbnail`)
    expect([still.headers.get("content-type"), await still.text()]).toEqual(["image/jpeg", "made by ffmpeg"])
    const page = await (await call(`/r/${uuids[0]}`)).text()
    expect(page).toMatch(/<button [^>]*data-at="0.5">.*Heard/)
    const entries = (await (await call("/api/settings/audit-entries")).json()) as {
      audit_entries: ReadonlyArray<{ event_type: string; user: unknown }>
    }
    const bySystem = entries.audit_entries.filter(({ user }) => user === null).map(({ event_type }) => event_type)
    expect(bySystem.toSorted()).toEqual(["recording.updated", "recording.updated", "transcript.updated"])
    const range = { start_seconds: 1, end_seconds: 3.5 }
    const trimming = await call(`/api/settings/recordings/${uuids[0]}/trim`, {
      method: "PUT",
      body: JSON.stringify(range),
      headers: { "content-type": "application/json" }
    })
    expect(await trimming.json()).toMatchObject({ trim: { ...range, state: "processing" }, metadata: { duration: 61 } })
    const trimmed = await settled(({ trim }) => trim?.state !== "processing")
    expect(trimmed).toMatchObject({ trim: { ...range, state: "ready" } })
    expect(trimmed).toMatchObject({ video: { edited: { content_type: "video/mp4", size_bytes: 14 } } })
    expect(await stop()).toBe(0)
  })

  test("asks an ffmpeg that did not run once again for the next job", async () => {
    const folder = temporaryFolder()
    const ran = JSON.stringify(join(folder, "ran"))
    fakeFfmpeg(folder)
    const ffmpeg = aProgram(
      folder,
      "ffmpeg",
      `if (args[0] !== "-version") fs.writeFileSync(args.at(-1), "made by ffmpeg")
       else if (!fs.existsSync(${ran})) { fs.writeFileSync(${ran}, ""); process.exit(1) }`
    )
    const server = await aServer(folder, { TAPEDECK_FFMPEG: ffmpeg })
    await server.upload()
    await said(server, "exited with 1")
    await server.upload()
    const { video } = await server.settled(({ video: { processed } }) => processed !== null)
    expect(video.processed?.content_type).toBe("video/mp4")
    await server.stop()
    expect(server.output.err).toContain("postponed")
  })

  test("says what it could not make of a video, and why", async () => {
    const folder = temporaryFolder()
    aProgram(folder, "ffprobe", `if (args[0] !== "-version") { console.error("no moov atom"); process.exit(1) }`)
    const ffmpeg = aProgram(folder, "ffmpeg", "")
    const { call, settled, stop, upload } = await aServer(folder, { TAPEDECK_FFMPEG: ffmpeg })
    const works = async () => ((await (await call(`/api/settings/recordings/${uuids[0]}`)).json()) as Shown).media_work
    expect(await works()).toEqual([])
    await upload()
    const { media_work } = await settled((one) => one.media_work.some(({ state }) => state === "given_up"))
    const problem = expect.stringMatching(/ffprobe exited with 1: no moov atom$/)
    expect(media_work).toEqual([{ kind: "process", state: "given_up", problem }])
    await stop()
  })

  test("gives a job back when it is stopped, and continues it at its next start", async () => {
    const folder = temporaryFolder()
    const begun = join(folder, "begun")
    const slow = aProgram(folder, "asr", `fs.writeFileSync(${JSON.stringify(begun)}, ""); setInterval(() => {}, 1000)`)
    const first = await aServer(folder, { TAPEDECK_TRANSCRIBER_COMMAND: `${slow} {file}` })
    await first.upload()
    await expect.poll(() => exists(begun)).toBe(true)
    expect(await first.stop()).toBe(0)
    const quick = aProgram(folder, "quick", `process.stdout.write("WEBVTT\\n\\n00:00.500 --> 00:02.000\\nHeard")`)
    const second = await aServer(folder, { TAPEDECK_TRANSCRIBER_COMMAND: `${quick} {file}` })
    const shown = await second.settled(({ transcript_status }) => transcript_status !== "processing")
    expect(shown.transcript_status).toBe("ready")
  })

  test("passes its programs the variables that the operator names, and none of its own", async () => {
    const folder = temporaryFolder()
    const file = join(folder, "environment.json")
    const transcribe = aProgram(
      folder,
      "asr",
      `fs.writeFileSync("shown", JSON.stringify(process.env)); fs.renameSync("shown", ${JSON.stringify(file)})`
    )
    const { settled, upload } = await aServer(folder, {
      TAPEDECK_TRANSCRIBER_COMMAND: `${transcribe} {file}`,
      TAPEDECK_PASS_ENVIRONMENT: "HF_HOME",
      HF_HOME: "/models",
      AWS_SECRET_ACCESS_KEY: "not-for-programs"
    })
    await upload()
    await settled(() => exists(file))
    const { HF_HOME, ...common } = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, string>>
    expect(HF_HOME).toBe("/models")
    expect(["HOME", "LANG", "PATH", "TMPDIR"]).toEqual(expect.arrayContaining(Object.keys(common)))
  })
})

describe("The server without ffmpeg and transcriber", () => {
  test("serves uploads unchanged, and logs once that there is no ffmpeg", async () => {
    const server = await aServer(temporaryFolder(), { PATH: temporaryFolder(), TAPEDECK_FFMPEG: "" })
    for (const uuid of uuids)
      expect(((await (await server.upload(uuid)).json()) as Shown).transcript_status).toBe("unavailable")
    const requested = await server.call(`/api/settings/recordings/${uuids[0]}/transcript/request`, { method: "POST" })
    expect(await requested.json()).toMatchObject({ status: "unavailable" })
    const download = await server.call(`/api/v2/recordings/${uuids[0]}/download`)
    expect(Buffer.from(await download.arrayBuffer())).toEqual(video)
    await said(server, "Videos are served as uploaded")
    await server.stop()
    const lines = server.output.err.split("\n").filter((line) => line.includes("Videos are served as uploaded"))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain("ffmpeg")
  })

  test("does not start with an ffmpeg that is named and does not exist", async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "ffmpeg"), "", { mode: 0o755 })
    for (const [name, problem] of [
      ["/nope", "/nope: no such program; off processes no videos"],
      [
        "no-such-ffmpeg",
        "no-such-ffmpeg: no such program; off processes no videos\nX: no-such-ffprobe: no such program; off processes no videos"
      ],
      [join(folder, "ffmpeg"), `${join(folder, "ffprobe")}: no such program; off processes no videos`]
    ] as const) {
      for (const [place, args, environment] of [
        ["--ffmpeg", ["--ffmpeg", name], {}],
        ["TAPEDECK_FFMPEG", [], { TAPEDECK_FFMPEG: name }]
      ] as const) {
        const { code, err } = await run(["serve", "--port", "0", "--store", "memory", ...args], environment)
        expect({ code, err }).toEqual({
          code: 2,
          err: `tapedeck: ${place}: ${problem.replace("\nX:", `\n${place}:`)}\n`
        })
      }
    }
  })

  test("does not start with an invalid transcriber, and names the variable", async () => {
    const folder = temporaryFolder()
    for (const [environment, problem] of [
      [{ TAPEDECK_TRANSCRIBER_COMMAND: "'asr" }, /TAPEDECK_TRANSCRIBER_COMMAND: a ' is not closed/],
      [
        { TAPEDECK_TRANSCRIBER_URL: "http://127.0.0.1:1/v1", TAPEDECK_TRANSCRIBER_KEY_FILE: join(folder, "none") },
        /TAPEDECK_TRANSCRIBER_KEY_FILE: .*none: no such file/
      ],
      [{ TAPEDECK_MEDIA_TIMEOUT: "30" }, /TAPEDECK_MEDIA_TIMEOUT: must be an ISO 8601 duration/],
      [{ TAPEDECK_PASS_ENVIRONMENT: "A B" }, /TAPEDECK_PASS_ENVIRONMENT: must be names of variables.*, not A B/],
      [{ TAPEDECK_PASS_ENVIRONMENT: "HF_HOME,TAPEDECK_KEY" }, /TAPEDECK_PASS_ENVIRONMENT: .*, not TAPEDECK_KEY/]
    ] as const) {
      const ended = await run(["serve", "--data", join(folder, "data"), "--port", "0"], environment)
      expect([ended.code, ended.err]).toEqual([2, expect.stringMatching(problem)])
    }
  })
})

const exists = (path: string): boolean => {
  try {
    readFileSync(path)
    return true
  } catch {
    return false
  }
}
