/** Functions that the commands `tapedeck` and `tapedeck-emulator` share. The module imports nothing, because old versions of Node load it. */

/** The oldest Node that the commands and the emulator run on: `engines` of their manifests. */
const oldest = [22, 19] as const

/** Returns the error for a Node that is too old; undefined if it is new enough. */
export const oldNodeProblem = (program: string, version: string = process.versions.node): string | undefined => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  if (major > oldest[0] || (major === oldest[0] && minor >= oldest[1])) return undefined
  return (
    `${program} needs Node.js ${oldest.join(".")} or newer, and this is ${version}: ` +
    "install Node.js 24 from https://nodejs.org, or run `nvm install 24`"
  )
}

/** Ends the command with 1, and one line that says why, on a Node that is too old. */
export const requireNode = (program: string): void => {
  const problem = oldNodeProblem(program)
  if (problem === undefined) return
  process.stderr.write(`${problem}\n`)
  process.exit(1)
}

/** An error of `listen`, or of the look-up of its host name. */
export type ListenError = NodeJS.ErrnoException & {
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

/** Returns the reason why a server cannot listen. `placeOf` returns the name under which a setting was set. */
export const cannotListen = (
  { address, code, hostname, message, port }: ListenError,
  placeOf: (setting: "host" | "port") => string
): string => {
  switch (code) {
    case "EADDRINUSE":
      return `${placeOf("port")}: ${port} is in use at ${address}; use --port 0 for a free one`
    case "EACCES":
      return `${placeOf("port")}: this user may not listen at ${port}`
    case "EADDRNOTAVAIL":
      return `${placeOf("host")}: ${address} is not an address of this machine`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `${placeOf("host")}: host name not found: ${hostname}`
    default:
      return `cannot listen: ${message}`
  }
}
