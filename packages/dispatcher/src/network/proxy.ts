import { request } from "node:http"
import { isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { connectAttemptMs } from "@tapedeck/domain/internal/time"
import { Result, Schema } from "effect"
import { hostOf, isLocalhost, loopback, type NetworkPolicy } from "./NetworkPolicy.ts"
import type { Route } from "./routes.ts"
import { whenConnected } from "./sockets.ts"
import { Unreached } from "./stages.ts"

/** An invalid URL of a proxy. The error does not contain the URL, because it may have a password. */
export class InvalidProxy extends Schema.TaggedError<InvalidProxy>()("InvalidProxy", {}) {
  override get message(): string {
    return "the proxy must be a URL like http://proxy.internal:3128 or https://user:password@proxy.internal, without a path"
  }
}

export interface Proxy {
  readonly secure: boolean
  readonly host: string
  readonly port: number
  /** Value of `Proxy-Authorization`; undefined if the URL has no user. */
  readonly authorization: string | undefined
}

export const parseProxy = (text: string): Result.Result<Proxy, InvalidProxy> => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const secure = url?.protocol === "https:"
  if (url === undefined || !(secure || url.protocol === "http:") || url.pathname !== "/" || url.search !== "") {
    return Result.fail(new InvalidProxy())
  }
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return Result.succeed({
    secure,
    host: hostOf(url.hostname),
    port: url.port === "" ? (secure ? 443 : 80) : Number(url.port),
    authorization: url.username === "" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`
  })
}

/**
 * Connects through the operator's proxy, with CONNECT. Literal addresses and names of this machine are checked here. The proxy resolves all
 * other names, and must refuse private addresses itself.
 */
export const throughProxy =
  (proxy: Proxy, policy: NetworkPolicy): Route =>
  async (to, signal) => {
    const addresses = isIP(to.host) !== 0 ? [to.host] : isLocalhost(to.host) ? loopback : []
    const fault = policy.addresses(to.host, addresses)
    if (fault !== null) throw new Unreached("blocked", fault)
    const target = `${isIP(to.host) === 6 ? `[${to.host}]` : to.host}:${to.port}`
    try {
      return await tunnel(proxy, target, signal)
    } catch (error) {
      if (signal.aborted || error instanceof Unreached) throw error
      throw new Unreached("refused", `the proxy was not reached (${(error as { code?: string }).code ?? "unknown"})`)
    }
  }

const tunnel = async (proxy: Proxy, target: string, signal: AbortSignal): Promise<Socket> => {
  const address = { host: proxy.host, port: proxy.port, autoSelectFamilyAttemptTimeout: connectAttemptMs }
  const overTls = proxy.secure
    ? await whenConnected(
        connectTls({ ...address, servername: isIP(proxy.host) === 0 ? proxy.host : "" }),
        "secureConnect",
        signal
      )
    : undefined
  return new Promise((resolve, reject) => {
    const connecting = request({
      ...(overTls === undefined ? address : { createConnection: () => overTls }),
      method: "CONNECT",
      path: target,
      headers: {
        host: target,
        ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization })
      },
      // An agent of the process might have a proxy of the environment.
      agent: false,
      signal
    })
    connecting.once("error", reject)
    connecting.once("connect", ({ statusCode = 0 }, socket: Socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket)
      socket.destroy()
      reject(new Unreached("refused", `the proxy refused the connection (${statusCode})`))
    })
    // A response that is not to CONNECT.
    connecting.once("response", (response) => {
      response.destroy()
      reject(new Unreached("refused", `the proxy refused the connection (${response.statusCode})`))
    })
    connecting.end()
  })
}
