import { isBuiltin } from "node:module"
import { join } from "node:path/posix"
import type { Finding } from "../finding.ts"
import type { Manifest } from "../project.ts"
import { refusal, roomOf, rooms } from "../rooms.ts"
import { identifierName, isNode, type Node, type Source, stringValue, walk } from "../syntax.ts"

interface Place {
  /** The importing package's room and directory. */
  readonly room: string
  readonly directory: string
  readonly inSource: boolean
}

/** Import directions, and the imports that no package may have. `directory` is the package's, like `packages/domain`. */
export const checkImports = (source: Source, room: string, directory: string): ReadonlyArray<Finding> => {
  const place: Place = { room, directory, inSource: source.path.startsWith(`${directory}/src/`) }
  return moduleRequests(source).flatMap(({ node, specifier }) => {
    const message = whyNot(source.path, place, specifier)
    return message === undefined
      ? []
      : [{ path: source.path, line: source.lineOf(node), rule: "import-direction", message }]
  })
}

const whyNot = (path: string, { room, directory, inSource }: Place, specifier: string): string | undefined => {
  if (specifier.startsWith(".")) {
    const target = join(path, "..", specifier)
    return target.startsWith(`${directory}/`)
      ? undefined
      : `"${specifier}" leaves the package: import other packages by name`
  }
  // An entry of the package's own `imports`.
  if (specifier.startsWith("#")) return undefined
  if (/^([a-z]:|\/|file:)/i.test(specifier)) return `"${specifier}" is an address on one machine`
  const forbidden = forbiddenPackages.find(({ name }) => name.test(specifier))
  if (forbidden) return forbidden.message
  const target = roomOf(specifier)
  if (target !== undefined) return refusal(room, target)
  if (!inSource) return undefined
  const rule = rooms[room]
  if (isBuiltin(specifier)) {
    const mayUseNode = !rule?.withoutNode || rule.withoutNode.except.includes(path.slice(directory.length + 1))
    return mayUseNode ? undefined : `${room} must load without Node, so it may not import "${specifier}"`
  }
  if (rule?.external && !rule.external.includes(packageName(specifier))) {
    const allowed = rule.external.length === 0 ? "nothing" : rule.external.join(", ")
    return `${room} may import ${allowed} from outside, not "${specifier}"`
  }
  return undefined
}

const forbiddenPackages: ReadonlyArray<{ readonly name: RegExp; readonly message: string }> = [
  {
    name: /^@effect\/(schema|platform)(\/|$)/,
    message: 'is Effect 3: Schema and the platform are inside effect now, as "effect/Schema", "effect/http", …'
  },
  {
    name: /^@effect\/platform-node$/,
    message: 'the barrel costs 300 ms at start: import by subpath, like "@effect/platform-node/NodeHttpServer"'
  }
]

const packageName = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

/** Everything that a file loads by a name that stands in it: imports, re-exports, import(), require, types. */
const moduleRequests = (source: Source): ReadonlyArray<{ readonly node: Node; readonly specifier: string }> => {
  const requests: Array<{ node: Node; specifier: string }> = []
  walk(source.program, (node) => {
    const specifier = stringValue(requested(node))
    if (specifier !== undefined) requests.push({ node, specifier })
  })
  return requests
}

const requested = (node: Node): unknown => {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "TSImportType":
      return node.source
    case "TSExternalModuleReference":
      return node.expression
    case "CallExpression":
      return isRequire(node.callee) ? (node.arguments as ReadonlyArray<Node>)[0] : undefined
    default:
      return undefined
  }
}

const isRequire = (callee: unknown): boolean =>
  identifierName(callee) === "require" ||
  (isNode(callee) &&
    callee.type === "MemberExpression" &&
    identifierName(callee.property) === "resolve" &&
    (identifierName(callee.object) === "require" || (isNode(callee.object) && callee.object.type === "MetaProperty")))

const dependencyFields = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"] as const

/** The same directions for a package.json: every kind of dependency counts. `text` is the file's, to find the line. */
export const checkManifest = (path: string, manifest: Manifest, text: string): ReadonlyArray<Finding> => {
  const room = roomOf(manifest.name) ?? manifest.name
  const lines = text.split("\n")
  return dependencyFields.flatMap((field) =>
    Object.keys(manifest[field] ?? {}).flatMap((name) => {
      const target = roomOf(name)
      const direction = target === undefined ? undefined : refusal(room, target)
      const message = direction ?? (/^@effect\/(schema|platform)$/.test(name) ? `${name} is Effect 3` : undefined)
      const line = lines.findIndex((each) => each.includes(`"${name}":`)) + 1
      return message === undefined ? [] : [{ path, line, rule: "import-direction", message: `${field}: ${message}` }]
    })
  )
}
