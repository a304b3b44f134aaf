import { Buffer } from "./buffer.ts"

/** Reads a file of the console from the folder `console` beside the bundle; null if the host has none of this name. */
export const readConsoleFile = async (path: string): Promise<Buffer | null> => {
  const response = await fetch(new URL(`console/${path}`, import.meta.url))
  return response.ok ? new Buffer(await response.arrayBuffer()) : null
}
