import { readFileSync } from "node:fs"
import { ConfigInvalid } from "./Config.ts"

/** The secret in a file that a variable names, on one line. Throws a `ConfigInvalid`. */
export const readSecretFile = (variable: string, file: string): string => {
  const problem = (why: string) => new ConfigInvalid(`${variable}: ${file}: ${why}`)
  let secret: string
  try {
    secret = readFileSync(file, "utf8").trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw problem(code === "ENOENT" ? "no such file" : message)
  }
  if (/^[\x21-\x7e]+$/.test(secret)) return secret
  throw problem("it must hold a key, on one line")
}
