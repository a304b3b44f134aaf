import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { runProcess, serverMain, temporaryFolder } from "../../src/support/process.ts"

const packaging = fileURLToPath(new URL("../../../../apps/server/packaging/cluster/", import.meta.url))
const read = (name: string) => readFileSync(join(packaging, name), "utf8")

type Environment = Readonly<Record<string, string>>

/** What the operator fills in. */
const filledIn: Environment = {
  POSTGRES_PASSWORD: "of-a-test",
  TAPEDECK_DATABASE_URL: "postgres://tapedeck:of-a-test@postgres/tapedeck",
  TAPEDECK_KEY: Buffer.alloc(32, 7).toString("base64"),
  TAPEDECK_S3_ENDPOINT: "https://s3.example.com",
  TAPEDECK_S3_ACCESS_KEY_ID: "id",
  TAPEDECK_S3_SECRET_ACCESS_KEY: "secret"
}

const substituted = (value: string): string =>
  value.replace(/\$\{(\w+)(?::\?)?\}/g, (_, name: string) => filledIn[name] ?? `unknown-${name}`)

/** What `tapedeck config` says of a node's variables: it refuses what a start would, and warns of names without a meaning. */
const configOf = async (environment: Environment) => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const { code, stderr, stdout } = await runProcess(
    serverMain,
    ["config", "--json", "--data", folder.path],
    environment
  )
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return stdout
}

describe("The compose file", () => {
  interface Service {
    readonly image: string
    readonly environment?: Environment
  }
  const { services } = parse(read("compose.yaml"), { merge: true }) as { services: Record<string, Service> }
  const nodes = Object.entries(services).filter(([, { image }]) => image === "tapedeck-server")

  test("starts two nodes for the API and one that delivers, with one database, one key and one bucket", () => {
    expect(nodes.map(([name, { environment }]) => [name, environment?.TAPEDECK_ROLE])).toEqual([
      ["api-1", "api"],
      ["api-2", "api"],
      ["dispatcher", "dispatcher"]
    ])
    const shared = nodes.map(([, { environment }]) => ({ ...environment, TAPEDECK_ROLE: "" }))
    expect(new Set(shared.map((one) => JSON.stringify(one))).size).toBe(1)
  })

  test.each(nodes)("sets variables with which %s starts", async (_, { environment = {} }) => {
    const written = Object.entries(environment).map(([name, value]) => [name, substituted(value)])
    const text = JSON.stringify(written)
    expect(text).not.toContain("unknown-")
    const said = await configOf(Object.fromEntries(written) as Environment)
    expect(said).not.toContain("of-a-test")
  })
})

describe("The Kubernetes manifests", () => {
  interface Container {
    readonly lifecycle?: { readonly preStop: { readonly sleep: { readonly seconds: number } } }
    readonly env: ReadonlyArray<{ readonly name: string; readonly value: string }>
    readonly ports: ReadonlyArray<{ readonly name: string; readonly containerPort: number }>
  }
  interface Pod {
    readonly metadata: { readonly labels: Environment }
    readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: ReadonlyArray<Container> }
  }
  interface Selector {
    readonly matchLabels: Environment
  }
  interface Manifest {
    readonly kind: string
    readonly metadata: { readonly name: string }
    readonly data?: Environment
    readonly spec?: {
      readonly template: Pod
      readonly selector?: Selector
      readonly podSelector?: Selector
      readonly ingress?: ReadonlyArray<{ readonly ports: ReadonlyArray<{ readonly port: string }> }>
    }
  }
  const manifests = parseAllDocuments(read("kubernetes.yaml")).map((document) => document.toJS() as Manifest)
  const settings = manifests.find(({ kind }) => kind === "ConfigMap")!.data!
  const nodes = manifests.filter(({ kind }) => kind === "Deployment")

  test("have the names of their files", () => {
    expect(manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      "ConfigMap tapedeck",
      "Deployment tapedeck-api",
      "Deployment tapedeck-dispatcher",
      "Service tapedeck",
      "PodDisruptionBudget tapedeck-api",
      "NetworkPolicy tapedeck-metrics",
      "NetworkPolicy tapedeck-api"
    ])
  })

  test.each(nodes)("give $metadata.name time to stop, with a margin", ({ spec }) => {
    const manual = readFileSync(new URL("../../../../docs/server.md", import.meta.url), "utf8")
    const stopSeconds = Number(/at most (\d+) s after the signal/.exec(manual)?.[1])
    const { containers, terminationGracePeriodSeconds } = spec!.template.spec
    const sleepSeconds = containers[0]!.lifecycle?.preStop.sleep.seconds ?? 0
    expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(sleepSeconds + stopSeconds + 10)
  })

  test.each(manifests.filter(({ kind }) => ["PodDisruptionBudget", "NetworkPolicy"].includes(kind)))(
    "have a $kind $metadata.name for pods and ports that exist",
    ({ spec }) => {
      const { ingress = [], podSelector, selector } = spec!
      const wanted = Object.entries((selector ?? podSelector)!.matchLabels)
      const pods = nodes.map((node) => node.spec!.template)
      const selected = pods.filter(({ metadata }) => wanted.every(([name, value]) => metadata.labels[name] === value))
      expect(selected.length).toBeGreaterThan(0)
      const open = new Set(ingress.flatMap(({ ports }) => ports.map(({ port }) => port)))
      for (const { spec } of selected) {
        const names = spec.containers[0]!.ports.map(({ name }) => name)
        expect(names).toEqual(expect.arrayContaining([...open]))
      }
    }
  )

  test.each(nodes)("set variables with which $metadata.name starts, and expose its ports", async ({ spec }) => {
    const { env, ports } = spec!.template.spec.containers[0]!
    const { POSTGRES_PASSWORD: _, TAPEDECK_S3_ENDPOINT: __, ...secret } = filledIn
    await configOf({ ...settings, ...secret, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) })
    const metrics = ports.find(({ name }) => name === "metrics")?.containerPort
    expect(String(metrics)).toBe(settings.TAPEDECK_METRICS_PORT)
  })
})
