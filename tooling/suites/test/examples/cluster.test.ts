import { execFileSync, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, onTestFinished, test } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { runProcess, serverMain, temporaryFolder } from "../../src/support/process.ts"

const packaging = fileURLToPath(new URL("../../../../apps/server/packaging/", import.meta.url))
const read = (name: string) => readFileSync(join(packaging, name), "utf8")

type Environment = Readonly<Record<string, string>>

/** What the operator fills in. */
const filledIn: Environment = {
  TAPEDECK_DOMAIN: "rec.acme.example",
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

interface Service {
  readonly image: string
  readonly environment?: Environment
  readonly volumes?: ReadonlyArray<string>
}

test("the compose file of one server sets variables with which it starts, and keeps its data in a volume", async () => {
  const text = read("compose.yaml").replace(/\$\{\w+:\?\}/g, substituted)
  const { configs, services, volumes } = parse(text) as {
    readonly configs: { readonly proxy: { readonly content: string } }
    readonly services: Record<string, Service>
    readonly volumes: object
  }
  expect(text).not.toContain("unknown-")
  expect(services.tapedeck).toMatchObject({ image: "tapedeck-server", volumes: ["data:/data"] })
  expect(Object.keys(volumes)).toContain("data")
  expect(configs.proxy.content).toMatch(/^rec\.acme\.example \{\n +reverse_proxy tapedeck:4020 /)
  const said = await configOf(services.tapedeck?.environment ?? {})
  expect(said).toContain("https://rec.acme.example")
})

describe("The compose file of several nodes", () => {
  const { services } = parse(read("cluster/compose.yaml"), { merge: true }) as { services: Record<string, Service> }
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
    readonly image: string
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
    readonly metadata: { readonly name: string; readonly namespace?: string }
    readonly data?: Environment
    readonly spec?: {
      readonly replicas?: number
      readonly template: Pod
      readonly selector?: Selector
      readonly podSelector?: Selector
      readonly ingress?: ReadonlyArray<{ readonly ports: ReadonlyArray<{ readonly port: string }> }>
    }
  }
  const manifests = parseAllDocuments(read("cluster/kubernetes.yaml")).map((document) => document.toJS() as Manifest)
  /** The secret that the operator creates. */
  const { POSTGRES_PASSWORD: _, TAPEDECK_DOMAIN: __, TAPEDECK_S3_ENDPOINT: ___, ...secret } = filledIn
  const overlay = parse(read("overlay/kustomization.yaml")) as {
    readonly resources: ReadonlyArray<string>
    readonly namespace: string
    readonly images: ReadonlyArray<{ readonly name: string; readonly newName: string; readonly newTag: string }>
    readonly replicas: ReadonlyArray<{ readonly name: string; readonly count: number }>
    readonly configMapGenerator: ReadonlyArray<{ readonly name: string; readonly literals: ReadonlyArray<string> }>
  }
  const settings = manifests.find(({ kind }) => kind === "ConfigMap")!.data!
  const nodes = manifests.filter(({ kind }) => kind === "Deployment")

  const nameOf = ({ kind, metadata }: Manifest) => `${kind} ${metadata.name}`

  test("have the names of their files", () => {
    expect(manifests.map(nameOf)).toEqual([
      "ConfigMap tapedeck",
      "Deployment tapedeck-api",
      "Deployment tapedeck-dispatcher",
      "Service tapedeck",
      "PodDisruptionBudget tapedeck-api",
      "NetworkPolicy tapedeck-metrics",
      "NetworkPolicy tapedeck-api"
    ])
  })

  test("are the base of the overlay, whose images, nodes and settings exist in them", async () => {
    expect(overlay.resources).toEqual(["../cluster"])
    expect(parse(read("cluster/kustomization.yaml"))).toMatchObject({ resources: ["kubernetes.yaml"] })
    const images = new Set(nodes.map(({ spec }) => spec!.template.spec.containers[0]!.image))
    expect(new Set(overlay.images.map(({ name }) => name))).toEqual(images)
    const names = nodes.map(({ metadata }) => metadata.name)
    expect(names).toEqual(expect.arrayContaining(overlay.replicas.map(({ name }) => name)))
    const [generated] = overlay.configMapGenerator
    const changed = (generated?.literals ?? []).map((literal) => literal.split("="))
    expect(Object.keys(settings)).toEqual(expect.arrayContaining(changed.map(([name]) => name)))
    expect(await configOf({ ...settings, ...secret, ...Object.fromEntries(changed) })).toContain("rec.acme.example")
  })

  test.skipIf(spawnSync("kubectl", ["version", "--client"]).status !== 0)(
    "are what the base renders to, and with the values of the overlay what it renders to",
    () => {
      const rendered = (folder: string) =>
        parseAllDocuments(execFileSync("kubectl", ["kustomize", join(packaging, folder)], { encoding: "utf8" })).map(
          (document) => document.toJS() as Manifest
        )
      const byName = (some: ReadonlyArray<Manifest>) =>
        some.toSorted((one, other) => nameOf(one).localeCompare(nameOf(other)))
      expect(byName(rendered("cluster"))).toEqual(byName(manifests))
      const installed = rendered("overlay")
      expect(byName(installed).map(nameOf)).toEqual(byName(manifests).map(nameOf))
      expect(new Set(installed.map(({ metadata }) => metadata.namespace))).toEqual(new Set([overlay.namespace]))
      for (const { name, count } of overlay.replicas)
        expect(installed.find(({ metadata }) => metadata.name === name)?.spec?.replicas).toBe(count)
      const [{ newName, newTag } = { newName: "", newTag: "" }] = overlay.images
      const deployments = installed.filter(({ kind }) => kind === "Deployment")
      for (const { spec } of deployments) expect(spec?.template.spec.containers[0]?.image).toBe(`${newName}:${newTag}`)
      const { literals = [] } = overlay.configMapGenerator[0] ?? {}
      const data = installed.find(({ kind }) => kind === "ConfigMap")?.data ?? {}
      expect(Object.entries(data).map((pair) => pair.join("="))).toEqual(expect.arrayContaining([...literals]))
    }
  )

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
    await configOf({ ...settings, ...secret, ...Object.fromEntries(env.map(({ name, value }) => [name, value])) })
    const metrics = ports.find(({ name }) => name === "metrics")?.containerPort
    expect(String(metrics)).toBe(settings.TAPEDECK_METRICS_PORT)
  })
})
