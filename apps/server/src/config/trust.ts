import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { ConfigInvalid } from "./Config.ts"
import { readGivenFile } from "./readGivenFile.ts"

/**
 * Adds the certificates of a PEM file to those that this process trusts for TLS, because receivers in a private network have
 * their own CA. Throws a `ConfigInvalid`.
 */
export const trustAlso = (file: string): void => {
  try {
    setDefaultCACertificates([...getCACertificates("default"), readGivenFile(file)])
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code?.startsWith("ERR_") ? "contains no PEM certificates" : message
    throw new ConfigInvalid([{ names: ["ca_file"], text: `${file}: ${why}` }])
  }
}
