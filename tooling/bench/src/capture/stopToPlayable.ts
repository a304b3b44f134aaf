import { join } from "node:path"
import { startEmulator } from "@tapedeck/emulator"
import { type Browser, chromium, type Page } from "playwright-core"
import { build } from "rolldown"

/** Of the uplink, in bytes a second: 2 Mb/s. The video of the browser's test pattern has 0.8. */
const uplink = 250_000

const root = join(import.meta.dirname, "../../../..")

/** Two recorders in a page. Each records, stops, sends what is left, and resolves with the time of the stop. */
const source = `
import { audioBitsPerSecond, CaptureApi, formatOf, openSources, Session, Spool, videoBitsPerSecond } from "@tapedeck/capture"

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const open = () => openSources({ screen: true, microphone: true, camera: false })

const whileRecording = async (link, ms) => {
  const api = new CaptureApi("")
  const entrance = { origin: "/c/" + link, begin: (key) => api.begin(link, key) }
  const options = { api, spool: await Spool.open(), entrance, link: await api.link(link), onChange: () => {} }
  const session = await Session.begin(options)
  session.start(await open())
  await wait(ms)
  const stoppedAt = Date.now()
  session.stop()
  await session.finish({ title: "While recording" })
  return stoppedAt
}

const afterwards = async (url, token, ms) => {
  const { stream } = await open()
  const { height = 720, width = 1280 } = stream.getVideoTracks()[0].getSettings()
  const mimeType = formatOf()
  const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: videoBitsPerSecond(width, height), audioBitsPerSecond })
  const pieces = []
  recorder.ondataavailable = ({ data }) => pieces.push(data)
  const stopped = new Promise((resolve) => { recorder.onstop = resolve })
  recorder.start()
  await wait(ms)
  const stoppedAt = Date.now()
  recorder.stop()
  await stopped
  const headers = { authorization: "Bearer " + token, "content-type": mimeType.split(";")[0] }
  const answer = await fetch(url, { method: "PUT", headers, body: new Blob(pieces) })
  if (!answer.ok) throw new Error(String(answer.status))
  return stoppedAt
}

globalThis.recorder = { whileRecording, afterwards }
`

interface Recorder {
  readonly whileRecording: (link: string, ms: number) => Promise<number>
  readonly afterwards: (url: string, token: string, ms: number) => Promise<number>
}

const script = async (): Promise<string> => {
  const entry = "\0stop-to-playable"
  const { output } = await build({
    input: entry,
    platform: "browser",
    logLevel: "silent",
    resolve: {
      conditionNames: ["source", "import"],
      alias: { "@tapedeck/capture": join(root, "packages/capture/src/index.ts") }
    },
    plugins: [
      { name: "entry", resolveId: (id) => (id === entry ? id : null), load: (id) => (id === entry ? source : null) }
    ],
    write: false,
    output: { format: "iife", codeSplitting: false }
  })
  return output[0].code
}

const openPage = async (browser: Browser, url: string, content: string): Promise<Page> => {
  const page = await browser.newPage()
  await page.route("**/bench", (route) => route.fulfill({ contentType: "text/html", body: "<h1>Bench</h1>" }))
  await page.goto(`${url}/bench`)
  await page.click("h1")
  await page.addScriptTag({ content })
  const limits = { offline: false, latency: 20, downloadThroughput: -1, uploadThroughput: uplink }
  await (await page.context().newCDPSession(page)).send("Network.emulateNetworkConditions", limits)
  return page
}

/** Milliseconds from the stop of a recording until the API serves its video, over a slow uplink. */
export const stopToPlayable = async (recorder: keyof Recorder, recordedSeconds: number): Promise<number> => {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
  })
  const users = [{ email: "ada@acme.test", name: "Ada", role: "admin" as const }]
  const emulator = await startEmulator({ fixtures: { users } })
  try {
    const headers = { authorization: `Bearer ${emulator.tokens["ada@acme.test"]}`, "content-type": "application/json" }
    const session = await fetch(`${emulator.control}/sessions`, {
      method: "POST",
      headers,
      body: JSON.stringify({ user: "ada@acme.test" })
    })
    const { token } = (await session.json()) as { readonly token: string }
    const settings = async <Answer>(path: string, body: object): Promise<Answer> => {
      const init = {
        method: "POST",
        headers: { ...headers, authorization: `Bearer ${token}` },
        body: JSON.stringify(body)
      }
      return (await (await fetch(`${emulator.url}/api/settings${path}`, init)).json()) as Answer
    }
    const page = await openPage(browser, emulator.url, await script())
    const ms = recordedSeconds * 1_000
    const stoppedAt = await {
      afterwards: async () => {
        const { uuid } = await settings<{ readonly uuid: string }>("/recordings", { title: "Afterwards" })
        return page.evaluate(
          ([to, as, time]) => (globalThis as unknown as { recorder: Recorder }).recorder.afterwards(to, as, time),
          [`${emulator.url}/api/settings/recordings/${uuid}/video`, token, ms] as const
        )
      },
      whileRecording: async () => {
        const { url } = await settings<{ readonly url: string }>("/capture-links", { title: "While recording" })
        return page.evaluate(
          ([link, time]) => (globalThis as unknown as { recorder: Recorder }).recorder.whileRecording(link, time),
          [url.split("/c/")[1] ?? "", ms] as const
        )
      }
    }[recorder]()
    for (;;) {
      const list = await fetch(`${emulator.url}/api/v2/recordings`, { headers })
      const [recording] = ((await list.json()) as { readonly records: ReadonlyArray<{ readonly uuid: string }> })
        .records
      const video = await fetch(`${emulator.url}/api/v2/recordings/${recording?.uuid}/download`, { headers })
      await video.arrayBuffer()
      if (video.ok) return Date.now() - stoppedAt
      if (Date.now() - stoppedAt > 300_000) throw new Error(`the video does not come: ${video.status}`)
    }
  } finally {
    await browser.close()
    await emulator.close()
  }
}
