import { readFileSync } from "node:fs"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { ConfigInvalid } from "./config/Config.ts"

/**
 * Trusts the certificates in a PEM file too, wherever this process speaks TLS: receivers in a private network have a CA of
 * their own. Throws a `ConfigInvalid`.
 */
export const trustAlso = (file: string): void => {
  try {
    setDefaultCACertificates([...getCACertificates("default"), readFileSync(file, "utf8")])
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === "ENOENT" ? "no such file" : code?.startsWith("ERR_") ? "holds no certificates in PEM" : message
    throw new ConfigInvalid(`TAPEDECK_CA_FILE: ${file}: ${why}`)
  }
}
