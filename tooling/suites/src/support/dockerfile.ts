import { execFile } from "node:child_process"
import { chownSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { basename, dirname, join, matchesGlob, relative } from "node:path"
import { promisify } from "node:util"

/**
 * Does what a Dockerfile says in folders of this machine, for want of Docker: each stage is a folder that stands for the
 * image's root. It knows the instructions and forms that our Dockerfiles use, and refuses any other. Base images are not
 * fetched: what is installed here stands for what they bring.
 */

/** An image that was built: its root, and what is started in it. */
export interface Image {
  readonly root: string
  readonly base: string
  readonly user: string | undefined
  readonly ports: ReadonlyArray<number>
  readonly entrypoint: ReadonlyArray<string>
  /** The default arguments of the entry command. */
  readonly command: ReadonlyArray<string>
  readonly environment: Readonly<Record<string, string>>
  readonly volumes: ReadonlyArray<string>
  readonly healthcheck: ReadonlyArray<string>
  readonly workdir: string
}

/** The user of our images. */
export const imageUser = 1000

interface Instruction {
  readonly name: string
  readonly text: string
}

/** One instruction each: without comments, lines that go on joined. */
const instructionsOf = (dockerfile: string): ReadonlyArray<Instruction> =>
  dockerfile
    .split("\n")
    .filter((line) => !/^\s*(#|$)/.test(line))
    .join("\n")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .map((line) => {
      const [, name = "", text = ""] = /^([A-Z]+) +(.*)$/.exec(line) ?? []
      return { name, text }
    })

/** Builds the last stage, with the repository as its context; folders go below `folder`. */
export const buildImage = async (dockerfile: string, context: string, folder: string): Promise<Image> => {
  const stages: Array<{ name: string; image: Image }> = []
  for (const { name, text } of instructionsOf(readFileSync(dockerfile, "utf8"))) {
    if (name === "FROM") {
      const [, base = "", stage = "last"] = match(/^(\S+)(?: AS (\S+))?$/, name, text)
      const root = join(folder, stage)
      mkdirSync(root, { recursive: true })
      const lists = { ports: [], entrypoint: [], command: [], volumes: [], healthcheck: [] }
      const image = { root, base, user: undefined, environment: {}, workdir: "/", ...lists }
      stages.push({ name: stage, image })
      continue
    }
    const stage = stages.at(-1)!
    const from = (wanted: string) => stages.find((one) => one.name === wanted)!.image.root
    stage.image = { ...stage.image, ...(await follow(stage.image, { name, text }, context, from)) }
  }
  return stages.at(-1)!.image
}

const follow = async (
  image: Image,
  { name, text }: Instruction,
  context: string,
  from: (stage: string) => string
): Promise<Partial<Image>> => {
  switch (name) {
    case "WORKDIR":
      mkdirSync(join(image.root, text), { recursive: true })
      return { workdir: text }
    case "COPY": {
      const form = /^(?:--from=(\S+) )?(?:--chown=(1000:1000) )?(\S+) (\S+)$/
      const [, stage, owner, source = "", target = ""] = match(form, name, text)
      copy(stage === undefined ? context : from(stage), source, inside(image, target), stage === undefined)
      // Only the superuser can change a file's owner; other users run the tests as the owner.
      if (owner !== undefined && process.getuid?.() === 0) chownSync(inside(image, target), imageUser, imageUser)
      return {}
    }
    case "RUN":
      await runStep(text, inside(image, image.workdir))
      return {}
    case "USER":
      return { user: text }
    case "ENV":
      return { environment: { ...image.environment, ...Object.fromEntries(text.split(" ").map(assignment)) } }
    case "VOLUME":
      return { volumes: [...image.volumes, text] }
    case "CMD":
      return { command: JSON.parse(text) as ReadonlyArray<string> }
    case "EXPOSE":
      return { ports: [...image.ports, Number(text)] }
    case "ENTRYPOINT":
      return { entrypoint: JSON.parse(text) as ReadonlyArray<string> }
    case "HEALTHCHECK": {
      const [, command = ""] = match(/^(?:--\S+ )*\s*CMD (\[.*\])$/, name, text)
      return { healthcheck: JSON.parse(command) as ReadonlyArray<string> }
    }
    default:
      throw new Error(`${name}: an instruction that is not known here: ${text}`)
  }
}

/** Without what npm, pnpm and turbo set for their children: it would have a build look for things in this repository. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm|pnpm|node_path|turbo|vite)/i.test(name))
)

/** Whether the steps of a build can install packages: asks the registry for one field, once. Any other failure is thrown. */
export const isRegistryReachable = async (cwd: string): Promise<boolean> => {
  const probe = ["view", "pnpm", "version", "--fetch-retries=0", "--fetch-timeout=20000"]
  try {
    await promisify(execFile)("npm", probe, { cwd, env: environment })
    return true
  } catch (error) {
    if (!/\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH)\b/.test(String(error))) throw error
    return false
  }
}

const runStep = async (text: string, cwd: string) => {
  const step = promisify(execFile)("sh", ["-c", text], { cwd, env: environment })
  // No step reads input.
  step.child.stdin?.end()
  await step
}

const assignment = (text: string) => match(/^(\w+)=([^"\s]+)$/, "ENV", text).slice(1)

const match = (pattern: RegExp, name: string, text: string): RegExpExecArray => {
  const found = pattern.exec(text)
  if (found === null) throw new Error(`${name}: a form that is not known here: ${text}`)
  return found
}

const inside = ({ root, workdir }: Image, path: string): string =>
  join(root, path.startsWith("/") ? path : join(workdir, path))

/** As Docker copies: a folder's content, or a file into a folder whose name ends in a slash. */
const copy = (root: string, source: string, target: string, isContext: boolean) => {
  const path = join(root, source)
  const ignored = isContext ? ignoredIn(root) : () => false
  const to = statSync(path).isDirectory() || !target.endsWith("/") ? target : join(target, basename(path))
  mkdirSync(dirname(to), { recursive: true })
  cpSync(path, to, { recursive: true, filter: (file) => !ignored(relative(root, file)) })
}

const ignoredIn = (context: string): ((path: string) => boolean) => {
  const patterns = readFileSync(join(context, ".dockerignore"), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
  if (patterns.some((pattern) => pattern.startsWith("!"))) throw new Error(".dockerignore: ! is not known here")
  return (path) => patterns.some((pattern) => matchesGlob(path, pattern))
}

/** Every file of an image, below its root. */
export const filesOf = ({ root }: Image): ReadonlyArray<string> =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))

/** A file of an image below its root that a program needs: a library, or what names users and hosts. */
export const isOfProgram = (file: string): boolean => /^(?:lib|lib64|usr\/lib|etc)\//.test(file)

/** A command of the image, as it is run on this machine: absolute paths are those of its root. */
export const commandIn = ({ root }: Image, command: ReadonlyArray<string>): ReadonlyArray<string> =>
  command.map((part) => (part.startsWith("/") ? join(root, part) : part))
