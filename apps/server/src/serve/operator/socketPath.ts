import { relative } from "node:path"

/** Maximum length of a Unix socket's path in bytes, without the final zero: 108 on Linux, 104 on macOS. */
const maxBytes = 103

/** The socket's path, relative if that is shorter. Undefined if both are too long. */
export const socketAddress = (path: string): string | undefined => {
  const fromHere = relative(process.cwd(), path)
  return [path, fromHere].find((address) => Buffer.byteLength(address) <= maxBytes)
}
