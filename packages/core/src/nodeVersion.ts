/** The oldest Node that the commands and the emulator run on: `engines` of their manifests. */
const oldest = [22, 19] as const

/** Returns the error for a Node that is too old; undefined if it is new enough. Imports nothing, because old Nodes load it. */
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
