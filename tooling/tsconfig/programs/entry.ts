/**
 * First code of a program of one file: Node's executable, which contains the command's `dist/` as assets. Node lets such code import
 * only Node's own modules. So this has imports and reads below the executable's path, where no file can be, answered by the assets.
 */
const builtin = process.getBuiltinModule
const { getAsset, getAssetKeys } = builtin("node:sea")
const { registerHooks } = builtin("node:module")
const { pathToFileURL } = builtin("node:url")
const { Script, constants } = builtin("node:vm")
const fs = builtin("node:fs")
const promises = builtin("node:fs/promises")

const base = `${pathToFileURL(process.execPath).href}/`
const assets = new Set(getAssetKeys())

/** The asset's name that a file's URL or path has; undefined for a file elsewhere. */
const nameOf = (file: unknown): string | undefined => {
  if (typeof file !== "string" && !(file instanceof URL)) return undefined
  const url = file instanceof URL ? file.href : pathToFileURL(file).href
  return url.startsWith(base) ? decodeURIComponent(url.slice(base.length)) : undefined
}

const read = (name: string, options: unknown): Buffer | string => {
  if (!assets.has(name)) throw Object.assign(new Error(`ENOENT: no such file, open '${name}'`), { code: "ENOENT" })
  const bytes = Buffer.from(getAsset(name))
  const encoding = typeof options === "string" ? options : (options as { encoding?: string } | undefined)?.encoding
  return encoding ? bytes.toString(encoding as BufferEncoding) : bytes
}

const { existsSync, readFileSync } = fs
const { readFile } = promises
Object.assign(fs, {
  existsSync: (file: string | URL) => {
    const name = nameOf(file)
    if (name === undefined) return existsSync(file)
    const folder = name.endsWith("/") ? name : `${name}/`
    return assets.has(name) || [...assets].some((asset) => asset.startsWith(folder))
  },
  readFileSync: (file: string, options: BufferEncoding) => {
    const name = nameOf(file)
    return name === undefined ? readFileSync(file, options) : read(name, options)
  }
})
Object.assign(promises, {
  readFile: async (file: string, options: BufferEncoding) => {
    const name = nameOf(file)
    return name === undefined ? readFile(file, options) : read(name, options)
  }
})

registerHooks({
  resolve: (specifier, context, next) => {
    const url = specifier.startsWith(base)
      ? specifier
      : specifier.startsWith(".")
        ? new URL(specifier, context.parentURL).href
        : undefined
    return url === undefined || nameOf(new URL(url)) === undefined
      ? next(specifier, context)
      : { url, format: "module", shortCircuit: true }
  },
  load: (url, context, next) => {
    const name = url.startsWith(base) ? nameOf(new URL(url)) : undefined
    return name === undefined
      ? next(url, context)
      : { format: "module", source: read(name, "latin1"), shortCircuit: true }
  }
})

/** For images, which contain no other program: whether a path is answered with 200. Variables can name the port, and a certificate. */
const exitIfHealthy = (path: string, port: string, portVariable = "", certificateVariable = "") => {
  const { get } = process.env[certificateVariable] ? builtin("node:https") : builtin("node:http")
  const target = {
    host: "127.0.0.1",
    port: process.env[portVariable] || port,
    path: `/${path}`,
    rejectUnauthorized: false
  }
  get(target, ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1)).on("error", () => process.exit(1))
}

const [option, ...rest] = process.argv.slice(2)
if (option === "--licenses") {
  for (const name of ["LICENSE", "THIRD_PARTY_LICENSES", "console/licenses.md", "NODE_LICENSE"])
    process.stdout.write(`${read(name, "utf8")}\n`)
} else if (option === "--health") exitIfHealthy(...(rest as [string, string]))
else {
  const importModuleDynamically = constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  new Script(`import(${JSON.stringify(`${base}main.js`)})`, { importModuleDynamically }).runInThisContext()
}
