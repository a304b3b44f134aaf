import { relative } from "node:path"

/** The longest address of a Unix socket, in bytes, without its end: 108 on Linux, 104 on macOS. */
const maxBytes = 103

/** The socket's address as the system takes it: relative where that is shorter. Undefined where it is too long either way. */
export const socketAddress = (path: string): string | undefined => {
  const fromHere = relative(process.cwd(), path)
  return [path, fromHere].find((address) => Buffer.byteLength(address) <= maxBytes)
}
