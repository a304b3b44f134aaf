/**
 * `pnpm swift`: the tests of files in S3 on OpenStack Swift with `s3api`, which checks signatures as AWS does. It wants
 * Debian's packages: apt-get install swift swift-proxy swift-account swift-container swift-object memcached
 * Swift runs below $TMPDIR, on ports of its own, and ends with this command. `/etc/swift/swift.conf` has to be there.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { accessKey, configure, type Ports, storageServers } from "./servers.ts"

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })

/** Which device has what: a ring of one. It ends with 1 where it only warns that there is no second copy. */
const makeRing = (folder: string, server: (typeof storageServers)[number], port: number): void => {
  const build = (...args: ReadonlyArray<string>) => {
    const { error, status, stdout } = spawnSync("swift-ring-builder", [`${server}.builder`, ...args], { cwd: folder })
    if (error !== undefined || (status ?? 2) > 1) throw new Error(`swift-ring-builder: ${error?.message ?? stdout}`)
  }
  build("create", "4", "1", "0")
  build("add", `r1z1-127.0.0.1:${port}/d1`, "1")
  build("rebalance")
}

const untilItAnswers = async (url: string): Promise<void> => {
  for (let tries = 0; tries < 120; tries++) {
    const answered = await fetch(url).then(
      () => true,
      () => false
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error(`${url}: Swift does not answer`)
}

const folder = mkdtempSync(join(tmpdir(), "tapedeck-swift-"))
const children: Array<ChildProcess> = []
const start = (command: string, ...args: ReadonlyArray<string>) =>
  children.push(spawn(command, args, { cwd: folder, stdio: "ignore" }))

try {
  const [account, container, object, proxy, memcached] = await Promise.all([1, 2, 3, 4, 5].map(freePort))
  const ports = { account, container, object, proxy, memcached } as Ports
  configure(folder, ports)
  for (const server of storageServers) makeRing(folder, server, ports[server])
  start("memcached", "-l", "127.0.0.1", "-p", String(memcached), "-u", "daemon", "-m", "16")
  for (const server of [...storageServers, "proxy"]) start(`swift-${server}-server`, `${server}-server.conf`)
  await untilItAnswers(`http://127.0.0.1:${proxy}/`)
  const url = `http://${encodeURIComponent(accessKey.id)}:${accessKey.secret}@127.0.0.1:${proxy}`
  const tests = spawn("vitest", ["run", "--testTimeout=300000", "test/files/s3.test.ts", "test/files/files.test.ts"], {
    stdio: "inherit",
    env: { ...process.env, TAPEDECK_TEST_S3: url }
  })
  process.exitCode = await new Promise<number>((resolve) => tests.once("close", (code) => resolve(code ?? 1)))
} finally {
  for (const child of children) child.kill()
  rmSync(folder, { recursive: true, force: true })
}
