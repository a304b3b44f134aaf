/**
 * `pnpm test:monitoring`: checks the rules of `apps/server/packaging/monitoring` with Debian's Prometheus (`apt-get install prometheus`).
 * promtool checks them, and fires each alert with one event. Then a real Prometheus, with the configuration of docs/operating.md, scrapes a
 * real server, whose metrics promtool checks and whose first blocked webhook fires an alert. Needs the build of the server.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { readFence } from "@tapedeck/tsconfig/fences.ts"
import { freePort, serverMain, startProcess, temporaryFolder } from "../support/process.ts"
import { events } from "./events.ts"
import { promtool, testsOf } from "./Promtool.ts"

const root = join(import.meta.dirname, "../../../..")
const rules = join(root, "apps/server/packaging/monitoring/tapedeck-rules.yaml")

const folder = await temporaryFolder()
const passed = (what: string) => console.log(`passed  ${what}`)

promtool(["check", "rules", rules])
passed("promtool check rules")

promtool(["test", "rules", await folder.write("tests.yaml", testsOf(rules, events))])
passed(`promtool test rules: ${Object.keys(events).length} alerts, each by one event`)

/** The configuration of the documentation, for another port and with shorter intervals. */
const configuration = (port: number): string => {
  const sample = readFence("docs/operating.md", "yaml", "rule_files:")
  return `global: { scrape_interval: 1s, evaluation_interval: 1s }\n${sample.replace("9464", String(port))}`
}

const token = "ada-token"
const uuid = "00000000-0000-4000-8000-000000000001"
const fixtures = {
  users: [{ email: "ada@acme.test", name: "Ada", role: "admin", token }],
  recordings: [{ uuid, title: "One", user: "ada@acme.test" }],
  audit_destinations: [{ name: "SIEM", url: "https://10.1.2.3/hook", secret: "a-secret-of-a-destination-0123456789" }]
}

/** Asks until the answer is what is expected. A Prometheus that needs longer than a minute fails the command. */
const until = async <A>(what: string, ask: () => Promise<A | undefined>): Promise<A> => {
  for (let second = 0; second < 60; second += 1) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined) return answer
    await setTimeout(1_000)
  }
  throw new Error(`${what}: not within a minute`)
}

const jsonAt = async <A>(url: string): Promise<A> => (await (await fetch(url)).json()) as A

interface Alerts {
  readonly data: {
    readonly alerts: ReadonlyArray<{ readonly state: string; readonly labels: { readonly alertname: string } }>
  }
}

const [metricsPort, port] = [await freePort(), await freePort()]
const document = await folder.write("fixtures.json", JSON.stringify(fixtures))
const store = ["--store", "sqlite", "--data", join(folder.path, "data"), "--fixtures", document, "--ffmpeg", "off"]
const server = await startProcess<{ readonly base_url: string }>(serverMain, [
  "serve",
  ...store,
  ...["--port", "0", "--metrics-port", String(metricsPort), "--json"]
])
let prometheus: ChildProcess | undefined

try {
  copyFileSync(rules, join(folder.path, "tapedeck-rules.yaml"))
  const config = await folder.write("prometheus.yaml", configuration(metricsPort))
  promtool(["check", "config", config])
  passed("promtool check config: the sample of docs/operating.md")

  const place = [`--storage.tsdb.path=${join(folder.path, "tsdb")}`, `--web.listen-address=127.0.0.1:${port}`]
  prometheus = spawn("prometheus", [`--config.file=${config}`, ...place], { stdio: "ignore" })
  await once(prometheus, "spawn")

  promtool(["check", "metrics"], await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text())
  passed("promtool check metrics: a scrape of a new server")

  const api = `http://127.0.0.1:${port}/api/v1`
  const series = encodeURIComponent('tapedeck_delivery_attempts_total{kind="audit",outcome="blocked"} == 0')
  await until("the first scrape", async () => {
    const { data } = await jsonAt<{ data: { result: ReadonlyArray<unknown> } }>(`${api}/query?query=${series}`)
    return data.result.length > 0 ? data : undefined
  })
  const firing = async () => {
    const { data } = await jsonAt<Alerts>(`${api}/alerts`)
    return data.alerts.filter(({ state }) => state === "firing").map(({ labels }) => labels.alertname)
  }
  const before = await firing()
  if (before.length > 0) throw new Error(`alerts of a new server fire: ${before.join(", ")}`)
  await fetch(`${server.ready.base_url}/api/v2/recordings/${uuid}`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ recording: { title: "Two" } })
  })
  await until("the alert of a blocked webhook", async () => {
    const alerts = await firing()
    return alerts.includes("TapedeckWebhooksBlocked") ? alerts : undefined
  })
  passed("a real Prometheus fires TapedeckWebhooksBlocked after one blocked attempt of a real server")

  promtool(["check", "metrics"], await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text())
  passed("promtool check metrics: a scrape after the attempt")
} finally {
  const closed = prometheus?.pid === undefined ? undefined : once(prometheus, "close")
  prometheus?.kill("SIGTERM")
  await Promise.all([closed, server.stop()])
  await folder.remove()
}
