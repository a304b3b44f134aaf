import { once } from "node:events"
import { createServer } from "node:net"
import { JWKStore, OAuth2Server } from "oauth2-mock-server"
import { onTestFinished } from "vitest"

/** The key of every provider: an RSA key takes 0.1 seconds of processor time to make. */
const signingKey = new JWKStore().generate("RS256")

/** A provider on loopback that signs every user in with `claims`. */
export const provider = async (claims: Readonly<Record<string, unknown>>) => {
  const server = new OAuth2Server()
  await server.issuer.keys.add({ ...(await signingKey) })
  await server.start(0, "127.0.0.1")
  onTestFinished(() => server.stop().catch(() => {}))
  const issuer = server.issuer.url ?? ""
  let said = claims
  server.service.on("beforeTokenSigning", (token: { payload: Record<string, unknown> }) => {
    Object.assign(token.payload, said)
  })
  server.service.on("beforeUserinfo", (answer: { body: unknown }) => {
    answer.body = { sub: "johndoe", ...claims }
  })
  /** What it says in tokens from now on; undefined is left out. */
  const say = (now: Readonly<Record<string, unknown>>) => {
    said = now
  }
  return { server, issuer, say }
}

export const settings = (issuer: string) => ({
  TAPEDECK_OIDC_ISSUER: issuer,
  TAPEDECK_OIDC_CLIENT_ID: "tapedeck",
  TAPEDECK_OIDC_CLIENT_SECRET: "a-client-secret",
  TAPEDECK_OIDC_NAME: "Acme's provider"
})

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, "close")
  return port
}

/** A browser that goes where it is sent; gives where it ended, and its cookies. */
export const follow = async (from: string, jar: Map<string, string> = new Map(), stopAt = "") => {
  let at = from
  for (let hops = 0; hops < 8; hops++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(at, { redirect: "manual", headers: cookie === "" ? {} : { cookie } })
    for (const set of response.headers.getSetCookie()) {
      const [name = "", value = ""] = set.split(";", 1)[0]?.split("=") ?? []
      if (set.includes("Max-Age=0")) jar.delete(name)
      else jar.set(name, value)
    }
    const location = response.headers.get("location")
    if (location === null) return { at, status: response.status, text: await response.text(), jar }
    at = new URL(location, at).href
    if (stopAt !== "" && at.includes(stopAt)) return { at, status: response.status, text: "", jar }
  }
  throw new Error("it goes on and on")
}
