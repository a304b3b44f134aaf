import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { readHeads } from "../doctor/audit/headFile.ts"
import { refusePlainHttp } from "../serve/edge/plainHttp.ts"
import { readPair } from "../serve/edge/tls.ts"
import { type Config, ConfigInvalid, independentOf, invalidConfig, settingsIn, type Written } from "./Config.ts"
import { keyInEnvironment } from "./key/findKey.ts"
import { KeyRefused } from "./key/keyText.ts"
import { readGivenFile } from "./readGivenFile.ts"
import type { SettingProblem } from "./settings.ts"

/**
 * Reads all settings of a server and the files that they name, and trusts the certificates of `ca_file`. Throws a
 * `ConfigInvalid` with all errors; a `KeyRefused` if the key in the environment is the only one.
 */
export const readStartConfig = (written: Written): Config => {
  const { config, problems } = settingsIn(written)
  const { audit_heads, ca_file, tls_cert: cert, tls_key: key } = config
  const inFiles = [
    ...problemsOf(() => refusePlainHttp(config)),
    ...(cert === undefined || key === undefined ? [] : problemsOf(() => readPair({ cert, key }))),
    ...(ca_file === undefined ? [] : problemsOf(() => trustAlso(ca_file))),
    ...(audit_heads === undefined ? [] : problemsOf(() => readHeads(audit_heads)))
  ]
  const found = [...problems, ...independentOf(problems, inFiles)]
  // A store in memory gets a random key.
  const refused = config.store === "memory" ? undefined : keyRefusal(written)
  if (found.length === 0 && refused === undefined) return config
  const ofKey = refused === undefined ? [] : [{ names: [], text: refused.message }]
  const all = invalidConfig([...found, ...ofKey], written)
  throw found.length === 0 ? new KeyRefused(all.message) : all
}

const problemsOf = (check: () => unknown): ReadonlyArray<SettingProblem> => {
  try {
    check()
    return []
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.problems
    throw error
  }
}

const keyRefusal = ({ environment }: Written): KeyRefused | undefined => {
  try {
    keyInEnvironment(environment, "TAPEDECK_KEY")
    return undefined
  } catch (error) {
    if (error instanceof KeyRefused) return error
    throw error
  }
}

/**
 * Adds the certificates of a PEM file to those that this process trusts for TLS, because receivers in a private network have
 * their own CA. Throws a `ConfigInvalid`.
 */
const trustAlso = (file: string): void => {
  try {
    setDefaultCACertificates([...getCACertificates("default"), readGivenFile(file)])
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code?.startsWith("ERR_") ? "contains no PEM certificates" : message
    throw new ConfigInvalid([{ names: ["ca_file"], text: `${file}: ${why}` }])
  }
}
