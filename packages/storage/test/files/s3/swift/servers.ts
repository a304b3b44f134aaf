import { mkdirSync, writeFileSync } from "node:fs"
import { userInfo } from "node:os"
import { join } from "node:path"

/** The ports on loopback of Swift's parts. */
export interface Ports {
  readonly account: number
  readonly container: number
  readonly object: number
  readonly proxy: number
  readonly memcached: number
}

export const storageServers = ["account", "container", "object"] as const

/** Who may in: `s3api` takes `account:user` for the access key's id, and the password for its secret. */
export const accessKey = { id: "test:tester", secret: "testing" }

/** Writes the configuration of a Swift of one copy on one device below `folder`. */
export const configure = (folder: string, ports: Ports): void => {
  mkdirSync(join(folder, "devices", "d1"), { recursive: true })
  for (const server of storageServers) {
    writeFileSync(
      join(folder, `${server}-server.conf`),
      `${common(folder, ports[server])}
devices = ${join(folder, "devices")}
mount_check = false
fallocate_reserve = 0
[pipeline:main]
pipeline = ${server}-server
[app:${server}-server]
use = egg:swift#${server}
`
    )
  }
  writeFileSync(join(folder, "proxy-server.conf"), proxyOf(folder, ports))
}

const common = (folder: string, port: number): string =>
  `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}`

const filters = ["catch_errors", "gatekeeper", "listing_formats", "copy", "dlo", "slo", "versioned_writes"]

const proxyOf = (folder: string, { memcached, proxy }: Ports): string =>
  `${common(folder, proxy)}
[pipeline:main]
pipeline = catch_errors gatekeeper cache listing_formats s3api tempauth copy dlo slo versioned_writes proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${memcached}
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_${accessKey.id.replace(":", "_")} = ${accessKey.secret} .admin
${filters.map((name) => `[filter:${name}]\nuse = egg:swift#${name}\n`).join("")}`
