/// <reference lib="dom" />
import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { type Browser, chromium, type Page } from "playwright-core"
import { interleave, median, ratioOfMedians } from "../measure.ts"
import { inTemporaryFolder } from "../processes.ts"
import type { Measurements } from "../report.ts"
import type { BenchOptions } from "../runner.ts"

/** `rounds`: of loads, each with an empty cache. */
export const options = { rounds: 15 } satisfies BenchOptions

const recordings = 100
const from = (path: string) => join(import.meta.dirname, "../../../..", path)

/** Lists the same JSON, with what a browser has. */
const plainPage = `<!doctype html><meta charset="utf-8"><title>Recordings</title><ul></ul><script type="module">
const { records } = await (await fetch("/api/settings/recordings")).json()
document.querySelector("ul").append(...records.map(({ title, customer, created_at }) => {
  const row = document.createElement("li")
  row.textContent = [title, customer.email, created_at].join(" ")
  return row
}))
</script>`

/** Serves the plain page, and passes the rest on to the server at `origin`. */
const startPlain = async (origin: string) => {
  const server = createServer((incoming, response) => {
    if (incoming.url === "/") {
      response.setHeader("content-type", "text/html; charset=utf-8")
      response.end(plainPage)
      return
    }
    const passed = request(new URL(incoming.url ?? "", origin), { headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    passed.end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() }
}

interface Load {
  readonly firstRowMs: number
  readonly requests: number
  readonly scriptBytes: number
}

/** Loads a page with nothing cached, until an element that matches `row` is painted. */
const load = async (browser: Browser, url: string, row: string, cookies: Parameters<Context["addCookies"]>[0]) => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    await context.addCookies(cookies)
    const page = await context.newPage()
    const scripts: Array<Promise<number>> = []
    let requests = 0
    page.on("requestfinished", (made) => {
      if (made.resourceType() === "script") scripts.push(made.sizes().then(({ responseBodySize }) => responseBodySize))
    })
    page.on("request", (made) => {
      if (made.resourceType() !== "image") requests += 1
    })
    await page.addInitScript((selector) => {
      const painted = new Promise((resolve) => {
        new MutationObserver((_, observer) => {
          if (document.querySelector(selector) === null) return
          observer.disconnect()
          requestAnimationFrame(() => resolve(performance.now()))
        }).observe(document, { childList: true, subtree: true })
      })
      Object.assign(globalThis, { painted })
    }, row)
    await page.goto(url)
    const firstRowMs = await page.evaluate(() => (globalThis as unknown as { painted: Promise<number> }).painted)
    const bytes = await Promise.all(scripts)
    return { firstRowMs, requests, scriptBytes: bytes.reduce((sum, size) => sum + size, 0) } satisfies Load
  } finally {
    await context.close()
  }
}

type Context = ReturnType<Page["context"]>

/** A server on SQLite with the demo's account, and the link that signs in. */
const startServer = async (folder: string) => {
  const parameters = ["--conditions=source", from("apps/server/src/main.ts"), "serve", "--demo", "--data", folder]
  const server = spawn(process.execPath, [...parameters, "--port", "0"], { stdio: ["ignore", "pipe", "ignore"] })
  const stop = async () => {
    const ended = once(server, "exit")
    server.kill()
    await ended
  }
  for await (const line of createInterface(server.stdout)) {
    const link = /http:\S+\/sign-in\/link\?token=\S+/.exec(line)?.[0]
    if (link !== undefined) return { link, stop }
  }
  throw new Error("The server printed no link")
}

/** Signs in and makes recordings up to their number; gives the session. */
const prepare = async (browser: Browser, link: string) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(link)
  await page.evaluate(async (wanted) => {
    const path = "/api/settings/recordings"
    const { pagination } = (await (await fetch(path)).json()) as { readonly pagination: { readonly count: number } }
    for (let count = pagination.count; count < wanted; count += 1) {
      const body = JSON.stringify({ title: `Recording ${count}`, customer: { email: `kim${count}@customer.test` } })
      await fetch(path, { method: "POST", body, headers: { "content-type": "application/json" } })
    }
  }, recordings)
  const cookies = await context.cookies()
  await context.close()
  return cookies
}

/** The first load of the console on a server with 100 recordings, beside a page that lists the same JSON. */
export const run = ({ rounds }: BenchOptions): Promise<Measurements> =>
  inTemporaryFolder(async (folder) => {
    execFileSync(process.execPath, [from("apps/console/build.ts")], { stdio: "ignore" })
    const server = await startServer(folder)
    const browser = await chromium.launch({
      executablePath: "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    })
    try {
      const cookies = await prepare(browser, server.link)
      const plain = await startPlain(new URL(server.link).origin)
      const loads: Array<Load> = []
      const times = await interleave(
        {
          console: async () => {
            const url = new URL("/recordings", server.link).href
            const made = await load(browser, url, "[role=row] a[href*='/recordings/']", cookies)
            loads.push(made)
            return made.firstRowMs
          },
          plain: async () => (await load(browser, plain.url, "li", cookies)).firstRowMs
        },
        { rounds: rounds!, warmUpRounds: 2 }
      )
      plain.close()
      return {
        results: {
          js_kb_gzip: { value: median(loads.map(({ scriptBytes }) => scriptBytes)) / 1000, unit: "kB" },
          requests: { value: median(loads.map(({ requests }) => requests)), unit: "requests" },
          first_row_ms: { value: median(times.console), unit: "ms" },
          plain_first_row_ms: { value: median(times.plain), unit: "ms" }
        },
        ratios: { first_row_vs_plain: ratioOfMedians(times.console, times.plain) },
        notes: [
          "a first load with nothing cached, from navigation to the frame with the first of 100 recordings; requests without images",
          "first_row_vs_plain is the time of the console beside that of the plain page: below is better, 2 is the aim"
        ]
      }
    } finally {
      await browser.close()
      await server.stop()
    }
  })
