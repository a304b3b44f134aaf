import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import { connect, isIPv4, type Socket } from "node:net"
import type { PgConnection } from "@effect/sql-pg"

/** A connection that this program refuses. The message says why and what to do. */
export class ConnectionRefused extends Error {
  override readonly name = "ConnectionRefused"
}

const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const
type SslMode = (typeof sslModes)[number]

/** The parts of an address that say where its server is and how a connection is encrypted. Parameters win, as in libpq. */
interface Address {
  readonly host: string
  readonly port: number
  readonly sslMode: SslMode
  readonly rootCertificate: string | undefined
}

const isLocal = (host: string): boolean =>
  host.startsWith("/") || host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."))

const addressOf = (written: string): Address => {
  const url = new URL(written)
  const parameter = (name: string) => url.searchParams.get(name) ?? undefined
  const inUrl = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, "$1")
  const host = parameter("host") ?? (inUrl === "" ? "localhost" : inUrl)
  const sslMode = parameter("sslmode") ?? (isLocal(host) ? "disable" : "verify-full")
  if (!(sslModes as ReadonlyArray<string>).includes(sslMode)) {
    throw new ConnectionRefused(`sslmode is ${sslMode}; it has to be one of ${sslModes.join(", ")}`)
  }
  return {
    host,
    port: Number(parameter("port") ?? (url.port === "" ? 5432 : url.port)),
    sslMode: sslMode as SslMode,
    rootCertificate: parameter("sslrootcert")
  }
}

const certificatesIn = (file: string): string => {
  try {
    const pem = readFileSync(file, "utf8")
    new X509Certificate(pem)
    return pem
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === "ENOENT" ? "no such file" : code?.startsWith("ERR_") ? "holds no certificate in PEM" : message
    throw new ConnectionRefused(`sslrootcert: ${file}: ${why}`)
  }
}

const keepAliveMs = 30_000

const plainSocket = ({ host, port }: Address): Socket =>
  host.startsWith("/")
    ? connect({ path: `${host}/.s.PGSQL.${port}` })
    : connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs })

const messageTypes = { authentication: 0x52, readyForQuery: 0x5a, tlsAccepted: 0x53, tlsRefused: 0x4e }
const clearTextPassword = 3
const clearTextRefusal =
  "it asks for the password in clear text on a connection without TLS: use scram-sha-256 in its pg_hba.conf, or sslmode=verify-full"

/** The first complete message of the server. A size below the minimum counts as the minimum. */
const firstIn = (received: Buffer) => {
  const sizeBytes = received.length < 5 ? 5 : 1 + Math.max(4, received.readInt32BE(1))
  if (received.length < sizeBytes) return undefined
  const type = received[0]
  const asksForClearText =
    type === messageTypes.authentication && sizeBytes >= 9 && received.readInt32BE(5) === clearTextPassword
  return { type, sizeBytes, asksForClearText }
}

/**
 * Ends a connection without TLS whose server asks for the password in clear text, before the driver has answered it. Reads
 * the server's messages until the session is ready, and none after TLS has begun.
 */
const refuseClearText = (socket: Socket, tlsIsOffered: boolean): Socket => {
  let received: Buffer = Buffer.alloc(0)
  let awaitsTlsAnswer = tlsIsOffered
  const read = (chunk: Buffer): void => {
    received = Buffer.concat([received, chunk])
    if (awaitsTlsAnswer && received[0] === messageTypes.tlsAccepted) {
      socket.off("data", read)
      return
    }
    if (awaitsTlsAnswer && received[0] === messageTypes.tlsRefused) received = received.subarray(1)
    awaitsTlsAnswer = false
    for (let message = firstIn(received); message !== undefined; message = firstIn(received)) {
      if (message.type === messageTypes.readyForQuery) {
        socket.off("data", read)
        return
      }
      if (message.asksForClearText) {
        socket.destroy(new ConnectionRefused(clearTextRefusal))
        return
      }
      received = received.subarray(message.sizeBytes)
    }
  }
  return socket.on("data", read)
}

/**
 * Returns the encryption of connections to the database at an address, by its `sslmode`, with libpq's names. Without one, hosts other
 * than loopback and Unix sockets need TLS with a certificate that is trusted and names the host. Throws a `ConnectionRefused`.
 */
export const encryptionOf = (url: string): Pick<PgConnection.Config, "ssl" | "stream"> => {
  const address = addressOf(url)
  const { rootCertificate, sslMode } = address
  const ca = rootCertificate === undefined ? {} : { ca: certificatesIn(rootCertificate) }
  switch (sslMode) {
    case "disable":
      return { ssl: false, stream: () => refuseClearText(plainSocket(address), false) }
    case "allow":
    case "prefer":
      // The driver offers TLS, and goes on without it where the server has none.
      return { stream: () => refuseClearText(plainSocket(address), true) }
    case "require":
      return rootCertificate === undefined
        ? { ssl: { rejectUnauthorized: false } }
        : { ssl: { ...ca, checkServerIdentity: () => undefined } }
    case "verify-ca":
      return { ssl: { ...ca, checkServerIdentity: () => undefined } }
    case "verify-full":
      return { ssl: ca }
  }
}
