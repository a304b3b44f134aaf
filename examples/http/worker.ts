import { makeFetchHandler } from "@tapedeck/http"
import { openTapedeck } from "./tapedeck.ts"

interface Env {
  /** 32 secret bytes in base64: `openssl rand -base64 32`. */
  readonly TAPEDECK_KEY: string
}

type Handler = ReturnType<typeof makeFetchHandler>

// A Worker has no random numbers before its first request, and its isolate answers many.
let opened: Promise<Handler> | undefined

const open = async ({ TAPEDECK_KEY }: Env): Promise<Handler> => {
  const key = Uint8Array.from(atob(TAPEDECK_KEY), (character) => character.charCodeAt(0))
  return makeFetchHandler({ services: await openTapedeck(key) })
}

export default {
  fetch: async (request: Request, env: Env): Promise<Response> => {
    opened ??= open(env)
    return (await opened)(request)
  }
}
