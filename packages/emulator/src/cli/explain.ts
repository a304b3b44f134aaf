import { exitCodes, UsageError } from "./commandLine.ts"
import { FixturesRefused } from "./fixturesFile.ts"

/** The message and exit code of an expected error; null for a defect, which prints its stack. */
export const explain = (error: unknown): { readonly text: string; readonly code: number } | null => {
  if (error instanceof UsageError) {
    return { text: `${error.message}\nSee tapedeck-emulator --help.`, code: exitCodes.usage }
  }
  if (error instanceof FixturesRefused) {
    const count = error.problems.length
    const heading = count === 1 ? "" : `${count} errors in the fixtures\n`
    return { text: `${heading}${error.message}`, code: exitCodes.fixtures }
  }
  const { syscall } = error as NodeJS.ErrnoException
  return syscall === "listen" || syscall === "getaddrinfo"
    ? { text: cannotListen(error as AddressError), code: exitCodes.listen }
    : null
}

type AddressError = NodeJS.ErrnoException & {
  readonly address?: string
  readonly port?: number
  readonly hostname?: string
}

const cannotListen = ({ address, code, hostname, message, port }: AddressError): string => {
  switch (code) {
    case "EADDRINUSE":
      return `--port: ${port} is in use at ${address}; use --port 0 for a free one`
    case "EACCES":
      return `--port: this user may not listen at ${port}`
    case "EADDRNOTAVAIL":
      return `--host: ${address} is not an address of this machine`
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `--host: host name not found: ${hostname}`
    default:
      return `cannot listen: ${message}`
  }
}
