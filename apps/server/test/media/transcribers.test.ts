import { writeFileSync } from "node:fs"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { join } from "node:path"
import { Transcriber } from "@tapedeck/core"
import { RecordingUuid } from "@tapedeck/domain"
import { Effect, Fiber, type Layer, Redacted } from "effect"
import { describe, expect, onTestFinished, test } from "vitest"
import { layerCommandTranscriber } from "../../src/media/commandTranscriber.ts"
import { type EndpointOptions, layerEndpointTranscriber } from "../../src/media/endpointTranscriber.ts"
import { aDirectory, aProgram, aWatcher } from "./programs.ts"

const aVideo = (text = "video") => {
  const path = join(aDirectory(), "original")
  writeFileSync(path, text)
  return { recordingUuid: RecordingUuid.make("00000000-0000-4000-8000-000000000001"), path, contentType: "video/webm" }
}

const transcribing = (layer: Layer.Layer<Transcriber>, media = aVideo()) =>
  Effect.provide(
    Effect.flatMap(Transcriber, ({ transcribe }) => transcribe(media)),
    layer
  )

interface Received {
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly form: FormData
}

/** An endpoint that answers so, and keeps what it was asked. */
const anEndpoint = async (answer: (response: ServerResponse) => void) => {
  const received: Array<Received> = []
  const server = createServer(async (request, response) => {
    const pieces: Array<Buffer> = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const form = await new Response(Buffer.concat(pieces), {
      headers: { "content-type": request.headers["content-type"] ?? "" }
    }).formData()
    received.push({ url: request.url, headers: request.headers, form })
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  const layer = (known: Partial<EndpointOptions> = {}) =>
    layerEndpointTranscriber({
      url: `http://127.0.0.1:${port}/v1/`,
      model: "whisper-1",
      key: Redacted.make("sk-4711-secret"),
      words: false,
      format: "verbose_json",
      ...known
    })
  return { received, layer, origin: `http://127.0.0.1:${port}` }
}

const spoken = JSON.stringify({
  language: "german",
  segments: [{ start: 0.5, end: 2.25, text: " Hallo." }],
  words: [{ word: "Hallo", start: 0.5, end: 1 }]
})

describe("A transcription endpoint", () => {
  test("gets the file as a form, and returns a transcript", async () => {
    const { layer, received } = await anEndpoint((response) => response.end(spoken))
    const media = aVideo("0123456789".repeat(100_000))
    expect(await Effect.runPromise(transcribing(layer(), media))).toEqual({
      language: "de",
      speakerMap: {},
      segments: [
        {
          startSeconds: 0,
          endSeconds: 3,
          text: "Hallo.",
          sentences: [{ text: "Hallo.", start: 0.5, end: 2.25, words: [{ word: "Hallo", start: 0.5, end: 1 }] }]
        }
      ]
    })
    const [{ form, headers, url } = { form: new FormData(), headers: {}, url: "" }] = received
    expect(url).toBe("/v1/audio/transcriptions")
    expect(headers.authorization).toBe("Bearer sk-4711-secret")
    expect([form.get("model"), form.get("response_format")]).toEqual(["whisper-1", "verbose_json"])
    expect(form.getAll("timestamp_granularities[]")).toEqual(["segment"])
    const file = form.get("file") as File
    expect([file.name, file.type, file.size]).toEqual(["recording.webm", "video/webm", 1_000_000])
    expect((await file.text()).slice(-10)).toBe("0123456789")
  })

  test("gets a request for words, and no key, if so configured", async () => {
    const { layer, received } = await anEndpoint((response) => response.end(spoken))
    await Effect.runPromise(transcribing(layer({ words: true, key: undefined })))
    expect(received[0]?.form.getAll("timestamp_granularities[]")).toEqual(["segment", "word"])
    expect(received[0]?.headers.authorization).toBeUndefined()
  })

  /** OpenAI's answer for its models that give no times. */
  const noTimes = JSON.stringify({
    error: {
      message:
        "response_format 'verbose_json' is not compatible with model 'gpt-4o-transcribe'. Use 'json' or 'text' instead.",
      type: "invalid_request_error",
      param: "response_format",
      code: "unsupported_value"
    }
  })
  const formats = (received: ReadonlyArray<Received>) => received.map(({ form }) => form.get("response_format"))
  const text = JSON.stringify({ text: "Hello", usage: { type: "tokens", input_token_details: { text_tokens: 0 } } })

  test("is asked for json from then on where it refuses verbose_json", async () => {
    const { layer, received } = await anEndpoint((response) =>
      formats(received).at(-1) === "json" ? response.end(text) : response.writeHead(400).end(noTimes)
    )
    const twice = Effect.flatMap(Transcriber, ({ transcribe }) =>
      Effect.all([transcribe(aVideo()), transcribe(aVideo())])
    )
    const made = await Effect.runPromise(Effect.provide(twice, layer({ words: true })))
    expect(made.map(({ segments }) => segments)).toMatchObject([[{ text: "Hello" }], [{ text: "Hello" }]])
    expect(formats(received)).toEqual(["verbose_json", "json", "json"])
    expect(received[1]?.form.getAll("timestamp_granularities[]")).toEqual([])
  })

  test("is asked for json alone if so configured, and once if it refuses something else", async () => {
    const { layer, received } = await anEndpoint((response) => response.end(text))
    await Effect.runPromise(transcribing(layer({ format: "json", words: true })))
    expect(formats(received)).toEqual(["json"])
    expect(received[0]?.form.getAll("timestamp_granularities[]")).toEqual([])
    for (const [status, format] of [
      [400, "json"],
      [500, "verbose_json"]
    ] as const) {
      const refusing = await anEndpoint((response) => response.writeHead(status).end(noTimes))
      await Effect.runPromise(Effect.flip(transcribing(refusing.layer({ format }))))
      expect(formats(refusing.received)).toEqual([format])
    }
  })

  test.each([
    [400, "no audio", false, ": no audio"],
    [413, "", false, ""],
    [401, "wrong key sk-4711", true, ""],
    [429, "slow\n  down", true, ": slow down"],
    [500, "echo sk-4711-secret!", true, ": echo …!"],
    [302, "", true, ""],
    [503, "x".repeat(9000), true, `: ${"x".repeat(300)}`]
  ])("fails with %i and an error for the log without the key", async (status, body, again, words) => {
    const { layer, origin } = await anEndpoint((response) => response.writeHead(status).end(body))
    expect(await Effect.runPromise(Effect.flip(transcribing(layer())))).toMatchObject({
      reason: `${origin}/v1/audio/transcriptions responded with ${status}${words}`,
      problem: `the transcriber responded with ${status}`,
      again
    })
  })

  test.each([
    ["{", /responded with an invalid transcript: Line 1, column 2/],
    ["[1]", /segments\[0\] must be an object/],
    ["<html>", /a JSON value must stand here/]
  ])("fails if it answers %s", async (body, problem) => {
    const { layer } = await anEndpoint((response) => response.end(body))
    const failed = await Effect.runPromise(Effect.flip(transcribing(layer())))
    expect(failed).toMatchObject({ again: true, reason: expect.stringMatching(problem) })
  })

  test("is retried if it is down, or sends half a response", async () => {
    const breaking = await anEndpoint((response) => response.writeHead(200, { "content-length": 9 }).destroy())
    for (const [layer, problem] of [
      [breaking.layer({ url: "http://127.0.0.1:1/v1" }), /is not reachable: .*ECONNREFUSED/],
      [breaking.layer(), /is not reachable: /]
    ] as const) {
      const failed = await Effect.runPromise(Effect.flip(transcribing(layer)))
      expect(failed).toMatchObject({ again: true, reason: expect.stringMatching(problem) })
    }
  })

  test("gets its connection closed on an interruption", async () => {
    const asked = Promise.withResolvers<ServerResponse>()
    const { layer } = await anEndpoint(asked.resolve)
    const fiber = Effect.runFork(transcribing(layer()))
    const response = await asked.promise
    const closed = new Promise((resolve) => response.once("close", resolve))
    await Effect.runPromise(Fiber.interrupt(fiber))
    await closed
    expect(response.writableFinished).toBe(false)
  })
})

describe("A transcription command", () => {
  const vtt = "WEBVTT\\n\\n00:00.500 --> 00:02.000\\n<v Ann>Hello\\n"
  const run = (body: string, args: ReadonlyArray<string>, media = aVideo()) => {
    const program = aProgram(aDirectory(), "asr", body)
    return transcribing(layerCommandTranscriber({ words: [program, ...args], passEnvironment: [] }), media)
  }

  test.each([
    ["the path, where it says {file}", `if (fs.readFileSync(args[1]) != "video") throw 1`, ["-f", "{file}"]],
    ["the path, inside an argument", `if (fs.readFileSync(args[0].slice(5)) != "video") throw 1`, ["--in={file}"]],
    ["the file on its standard input", `if (fs.readFileSync(0) != "video") throw 1`, ["-"]]
  ])("gets %s", async (_, check, args) => {
    expect(await Effect.runPromise(run(`${check}; process.stdout.write("${vtt}")`, args))).toMatchObject({
      speakerMap: { 0: "Ann" },
      segments: [{ startSeconds: 0, endSeconds: 2, text: "Hello" }]
    })
  })

  test.each([
    ["SubRip", "1\\n00:00:00,500 --> 00:00:02,000\\nHello"],
    ["JSON", `{\\"segments\\": [{\\"start\\": 0.5, \\"end\\": 2, \\"text\\": \\"Hello\\"}]}`]
  ])("may write %s", async (_, text) => {
    const made = await Effect.runPromise(run(`process.stdout.write("${text}")`, []))
    expect(made.segments).toMatchObject([{ startSeconds: 0, endSeconds: 2, text: "Hello" }])
  })

  test.each([
    [
      "UTF-8",
      "Buffer.concat([Buffer.from('WEBVTT\\n\\n00:00.500 --> 00:02.000\\nHel'), Buffer.from([0xff]), Buffer.from('lo')])"
    ],
    ["UTF-16", "Buffer.concat([Buffer.from('\\ufeffWEBVTT\\n\\n00:00.500 --> 00:02.000\\nHel\\ud800lo', 'utf16le')])"]
  ])("may write a stray byte in %s, which is read as U+FFFD", async (_, bytes) => {
    const made = await Effect.runPromise(run(`process.stdout.write(${bytes})`, []))
    expect(made.segments).toMatchObject([{ text: "Hel\ufffdlo" }])
  })

  test("may write NaN, and an odd segment costs no other", async () => {
    const text = '[{"start": 0.5, "end": 0.48, "text": "Hello", "p": NaN}, {"start": 1, "text": NaN}]'
    const made = await Effect.runPromise(run(`process.stdout.write(${JSON.stringify(text)})`, []))
    expect(made.segments).toMatchObject([{ startSeconds: 0, endSeconds: 1, text: "Hello" }])
  })

  test("is retried with its reason if it fails, and not if its output is invalid", async () => {
    const failed = await Effect.runPromise(Effect.flip(run(`console.error("no model"); process.exit(2)`, [])))
    expect(failed).toMatchObject({ again: true, reason: expect.stringMatching(/asr exited with 2: no model$/) })
    const nonsense = await Effect.runPromise(Effect.flip(run(`console.log("Hello")`, [])))
    expect(nonsense).toMatchObject({ again: false, reason: expect.stringMatching(/Line 1, column 1/) })
  })

  test("is killed on an interruption", async () => {
    const watcher = await aWatcher()
    const fiber = Effect.runFork(run(watcher.reporting, ["{file}"]))
    await watcher.connected(1)
    await Effect.runPromise(Fiber.interrupt(fiber))
    await watcher.allEnded()
  })
})
