import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, delimiter, dirname, join } from "node:path"
import { promisify } from "node:util"
import { llmsIndex } from "../../src/llms.ts"
import { readMarkdown } from "../../src/markdown.ts"
import type { Site } from "../../src/site.ts"

/** A command that a page told the reader to run, and what it printed. */
export interface Result {
  readonly command: string
  readonly output: string
}

/**
 * Follows pages in Markdown in an empty folder, as an agent does that knows nothing else: it opens what a page before links to,
 * saves the code that a page names a file for, and runs the commands that a page prints. Only what they install can be imported.
 */
export class Reader {
  #page: string
  readonly #site: Site
  readonly #folder: string
  /** Folder of a package that `npm install` adds. */
  readonly #folderOf: (name: string) => string

  private constructor(site: Site, folder: string, folderOf: (name: string) => string) {
    this.#site = site
    this.#folder = folder
    this.#folderOf = folderOf
    this.#page = llmsIndex(site, { base: "/" })
  }

  static async start(site: Site, folderOf: (name: string) => string): Promise<Reader> {
    return new Reader(site, await mkdtemp(join(tmpdir(), "tapedeck-reader-")), folderOf)
  }

  /** Opens the page that a link of this page leads to. */
  follow(words: string): void {
    const link = readMarkdown(this.#page).links.find(({ start }) => this.#page.slice(0, start).endsWith(`[${words}](`))
    if (link === undefined) throw new Error(`The page has no link ${words}:\n${this.#page}`)
    const [address = ""] = link.target.split("#")
    const page = this.#site.pages.find(({ path }) => `/${path === "" ? "index" : path}.md` === address)
    if (page === undefined) throw new Error(`${link.target} is no page in Markdown`)
    this.#page = page.markdown
  }

  /** Does what a section of the page says, after what precedes its first section. Returns the commands that it ran, in order. */
  async do(heading: string): Promise<ReadonlyArray<Result>> {
    const [introduction = "", ...sections] = this.#page.split(/^## /m)
    const section = sections.find((text) => text.startsWith(`${heading}\n`))
    if (section === undefined) throw new Error(`The page has no section ${heading}:\n${this.#page}`)
    const results: Array<Result> = []
    for (const { before, code, language } of blocksOf(introduction + section)) {
      if (language === "sh") {
        for (const command of code.trim().split("\n")) results.push(await this.#run(command))
      } else {
        const { command, file } = fileOf(before, code)
        if (file !== undefined) await writeFile(join(this.#folder, file), code)
        if (command !== undefined) results.push(await this.#run(`${command} ${file}`))
      }
    }
    return results.filter(({ command }) => !command.startsWith("npm install"))
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }

  async #run(command: string): Promise<Result> {
    const [program, verb, ...names] = command.split(" ").filter((word) => word !== "--save-dev")
    if (program === "npm" && verb === "install") {
      for (const name of names) await this.#install(name)
      return { command, output: "" }
    }
    const path = [join(this.#folder, "node_modules/.bin"), dirname(process.execPath), process.env.PATH].join(delimiter)
    // A test runner inside of another one reports to that one.
    const { stdout } = await promisify(execFile)("sh", ["-c", command], { cwd: this.#folder, env: { PATH: path } })
    return { command, output: stdout }
  }

  async #install(name: string): Promise<void> {
    const place = join(this.#folder, "node_modules", name)
    if (existsSync(place)) return
    await mkdir(dirname(place), { recursive: true })
    await symlink(this.#folderOf(name), place)
    const bin = join(place, `${basename(name)}.mjs`)
    if (!existsSync(bin)) return
    await mkdir(join(this.#folder, "node_modules/.bin"), { recursive: true })
    await symlink(bin, join(this.#folder, "node_modules/.bin", name))
  }
}

interface Block {
  readonly language: string
  readonly code: string
  /** The text before the block, after the block before. */
  readonly before: string
}

const blocksOf = (section: string): ReadonlyArray<Block> => {
  const parts = section.split(/^```/m)
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return []
    const end = part.indexOf("\n")
    return [{ before: parts[index - 1] ?? "", language: part.slice(0, end), code: part.slice(end + 1) }]
  })
}

/** The file that a block belongs in, and the command that runs it, if the text or the block's first comment says them. */
const fileOf = (before: string, code: string) => {
  const [, saved] = /Save\s[^`]*\sas\s`([\w.]+)`:\s*$/.exec(before) ?? []
  const [, named, command] = /^\/\/ ([\w.]+)(?:, run by: ([\w -]+))?\n/.exec(code) ?? []
  return { file: saved ?? named, command }
}
