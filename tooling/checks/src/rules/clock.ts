import type { Finding } from "../finding.ts"
import { identifierName, isInType, isNode, memberName, type Node, type Source, stringValue, walk } from "../syntax.ts"

/** The packages where time comes from Effect's Clock, and randomness and ids from services (design.md, "Effect"). */
export const clockedPackages: ReadonlyArray<string> = ["domain", "core", "http", "dispatcher", "emulator"]

const wallClock = "reads the wall clock: time comes from Effect's Clock"
const realTimer = "waits in real time: use Effect.sleep, which follows Effect's Clock"
const randomness = "is random: randomness and ids come from services"
const fileTime = "is a file's time: keep the instant as data"
const localTime = "depends on the machine's locale or time zone"

/** Names that are refused wherever they are used, as a variable or as a property of anything. */
const bannedNames = new Map<string, string>([
  ...["performance", "hrtime", "nowUnsafe", "isFutureUnsafe", "isPastUnsafe"].map((name) => [name, wallClock] as const),
  ...["setTimeout", "setInterval", "setImmediate"].map((name) => [name, realTimer] as const),
  ...["randomUUID", "randomUUIDv7", "randomBytes", "randomInt", "randomFill", "randomFillSync", "getRandomValues"].map(
    (name) => [name, randomness] as const
  ),
  ...["mtime", "atime", "ctime", "birthtime"]
    .flatMap((name) => [name, `${name}Ms`, `${name}Ns`])
    .map((name) => [name, fileTime] as const),
  ...["toLocaleString", "toLocaleDateString", "toLocaleTimeString", "toDateString", "toTimeString"].map(
    (name) => [name, localTime] as const
  ),
  ...["getTimezoneOffset", "getFullYear", "getMonth", "getDate", "getDay", "getHours", "getMinutes", "getSeconds"].map(
    (name) => [name, localTime] as const
  ),
  ...["zoneMakeLocal", "formatLocal", "withCurrentZoneLocal", "layerCurrentZoneLocal"].map(
    (name) => [name, localTime] as const
  )
])

/** Names that are refused as properties of one object only. */
const bannedMembers = new Map<string, string>([
  ["Date.now", wallClock],
  ["globalThis.Date", wallClock],
  ["Math.random", randomness],
  ["AbortSignal.timeout", realTimer],
  ["process.uptime", wallClock],
  ["Intl.DateTimeFormat", localTime],
  ["Intl.RelativeTimeFormat", localTime]
])

const bannedModules = /^(node:)?(timers(\/promises)?|perf_hooks)$/

const sqlClock =
  /\b(now|clock_timestamp|statement_timestamp|transaction_timestamp|gen_random_uuid)\s*\(\s*\)|\b(unixepoch|julianday|randomblob)\s*\(|\b(current_timestamp|localtimestamp)\b|\b(datetime|strftime)\s*\([^)]*'now'/i

/** The uses of wall clock, real timers, randomness, file times and the machine's locale in a file. */
export const findClockUses = (source: Source): ReadonlyArray<Finding> => {
  const findings: Array<Finding> = []
  const report = (node: Node, what: string, why: string) => {
    const finding = { path: source.path, line: source.lineOf(node), rule: "wall-clock", message: `${what} ${why}` }
    // `Date.now` is met twice, as a member and at its `Date`; so is each shorthand property.
    if (!findings.some(({ line, message }) => line === finding.line && message === finding.message)) {
      findings.push(finding)
    }
  }

  const own = boundNames(source.program)
  walk(source.program, (node, ancestors) => {
    const parent = ancestors.at(-1)
    switch (node.type) {
      case "Identifier": {
        if (!parent || isInType(node, ancestors) || isMereLabel(node, ancestors)) return
        const name = node.name as string
        const banned = own.has(name) && !isProperty(node, parent) ? undefined : bannedNames.get(name)
        if (banned) report(node, name, banned)
        if (name === "Date" && !isHarmlessDate(node, parent)) report(node, dateUse(parent), wallClock)
        return
      }
      case "MemberExpression": {
        const member = memberName(node)
        const name = `${identifierName(node.object) ?? memberNameOf(node.object)}.${member}`
        const banned = bannedMembers.get(name)
        if (banned) report(node, name, banned)
        if (node.computed === true && member !== undefined) {
          const computed = bannedNames.get(member)
          if (computed) report(node, member, computed)
        }
        return
      }
      case "VariableDeclarator": {
        for (const member of destructured(node)) {
          const banned = bannedMembers.get(member)
          if (banned) report(node, member, banned)
        }
        return
      }
      case "ImportDeclaration": {
        const specifier = stringValue(node.source)
        if (specifier !== undefined && bannedModules.test(specifier) && node.importKind !== "type") {
          report(node, `"${specifier}"`, realTimer)
        }
        return
      }
      case "Literal":
      case "TemplateElement": {
        const text = node.type === "Literal" ? node.value : (node.value as { cooked?: string }).cooked
        const match = typeof text === "string" ? sqlClock.exec(text) : null
        if (match) report(node, `SQL's "${match[0]}"`, "is the database's clock or randomness: pass the value in")
        return
      }
    }
  })
  return findings
}

/** A parameter that happens to be called `randomBytes` is the file's own; where it got its value is found there. */
const boundNames = (program: Node): ReadonlySet<string> => {
  const names = new Set<string>()
  const bind = (pattern: unknown): void => {
    if (!isNode(pattern)) return
    const name = identifierName(pattern)
    if (name !== undefined) names.add(name)
    for (const key of ["properties", "elements"])
      for (const each of (pattern[key] ?? []) as ReadonlyArray<unknown>) bind(each)
    if (pattern.type === "Property") bind(pattern.value)
    if (pattern.type === "RestElement") bind(pattern.argument)
    if (pattern.type === "AssignmentPattern") bind(pattern.left)
  }
  walk(program, (node) => {
    if (node.type === "VariableDeclarator") bind(node.id)
    if (Array.isArray(node.params)) node.params.forEach(bind)
  })
  return names
}

/** Whether an identifier names a property: `stat.mtime`, or the key in `const { mtime } = stat`. */
const isProperty = (node: Node, parent: Node): boolean =>
  (parent.type === "MemberExpression" && parent.property === node && parent.computed !== true) ||
  (parent.type === "Property" && parent.key === node && parent.computed !== true)

const memberNameOf = (value: unknown): string | undefined =>
  isNode(value) && value.type === "MemberExpression" ? memberName(value) : undefined

/** `const { random } = Math` as "Math.random". */
const destructured = (declarator: Node): ReadonlyArray<string> => {
  const object = identifierName(declarator.init)
  if (object === undefined || !isNode(declarator.id) || declarator.id.type !== "ObjectPattern") return []
  return (declarator.id.properties as ReadonlyArray<Node>).map(
    (property) => `${object}.${identifierName(property.key) ?? stringValue(property.key)}`
  )
}

/**
 * `{ setTimeout: … }` and `import { setTimeout }` only name something; the use is found where it stands. A renaming import
 * and a pattern (`const { mtime: at } = stat`) are found here, as their use has another name.
 */
const isMereLabel = (node: Node, ancestors: ReadonlyArray<Node>): boolean => {
  const [outer, parent] = ancestors.slice(-2)
  switch (parent?.type) {
    case "Property":
      return (
        parent.key === node && parent.computed !== true && parent.shorthand !== true && outer?.type !== "ObjectPattern"
      )
    case "PropertyDefinition":
    case "MethodDefinition":
      return parent.key === node && parent.computed !== true
    case "ImportSpecifier":
      return identifierName(parent.imported) === identifierName(parent.local)
    default:
      return false
  }
}

/** `new Date(instant)`, `Date.parse`, `Date.UTC`, `x instanceof Date`: what does not look at the clock. */
const isHarmlessDate = (node: Node, parent: Node): boolean => {
  switch (parent.type) {
    case "NewExpression": {
      const [first] = parent.arguments as ReadonlyArray<Node>
      return parent.callee === node && first !== undefined && first.type !== "SpreadElement"
    }
    case "MemberExpression":
      return parent.object !== node || ["parse", "UTC", "prototype"].includes(memberName(parent) ?? "")
    case "BinaryExpression":
      return parent.operator === "instanceof"
    default:
      return false
  }
}

const dateUse = (parent: Node): string => {
  if (parent.type === "NewExpression") return "new Date() without an instant"
  if (parent.type === "MemberExpression") return `Date.${memberName(parent) ?? "[…]"}`
  return parent.type === "CallExpression" ? "Date()" : "Date as a value"
}
