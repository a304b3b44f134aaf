import type { Random } from "../../determinism/Random.ts"

/** A body, and what is bad about it. */
export interface Shape {
  readonly name: string
  readonly body: () => string
}

/** As much of a JSON schema as the shapes read. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: ReadonlyArray<Schema>
  readonly oneOf?: ReadonlyArray<Schema>
  readonly allOf?: ReadonlyArray<Schema>
}

/** Texts that scanners, patterns and checks of names, addresses, templates, markup and encodings may try over and over. */
const atoms = [
  "a",
  " ",
  "\n",
  "a b ",
  "%25",
  "a=b&",
  "a@",
  "@a.",
  "<",
  "<a b='",
  "{{",
  "{{recording.title}}",
  "{name:value:",
  "https://a.test/",
  "1 ",
  "4-",
  "-->",
  "00:00:",
  "é",
  "🎥",
  "e\u0301",
  "\u202e"
] as const

/** The text, so often that it has about so many bytes in JSON. */
const filled = (atom: string, bytes: number): string =>
  atom.repeat(Math.max(1, Math.floor(bytes / Buffer.byteLength(JSON.stringify(atom).slice(1, -1)))))

/** An array of so many bytes. */
const arrayOf = (bytes: number, make: (index: number) => unknown): string => {
  const parts: Array<string> = []
  for (let size = 2, index = 0; ; index++) {
    const part = JSON.stringify(make(index))
    size += Buffer.byteLength(part) + 1
    if (size > bytes) return `[${parts.join(",")}]`
    parts.push(part)
  }
}

/** An object of so many bytes. */
const objectOf = (bytes: number, make: (index: number) => readonly [string, unknown]): string => {
  const parts: Array<string> = []
  for (let size = 2, index = 0; ; index++) {
    const [key, value] = make(index)
    const part = `${JSON.stringify(key)}:${JSON.stringify(value)}`
    size += Buffer.byteLength(part) + 1
    if (size > bytes) return `{${parts.join(",")}}`
    parts.push(part)
  }
}

/** Bodies that are bad for any reader of JSON, and for one that names unknown and misspelt keys. */
export const anyJson = (bytes: number, known: ReadonlyArray<string>): ReadonlyArray<Shape> => {
  const half = Math.floor(bytes / 2) - 1
  const [name = "title"] = known
  return [
    { name: "unended arrays", body: () => "[".repeat(bytes) },
    { name: "nested arrays", body: () => "[".repeat(half) + "]".repeat(half) },
    {
      name: "nested objects",
      body: () => `${'{"a":'.repeat(Math.floor(bytes / 6))}1${"}".repeat(Math.floor(bytes / 6))}`
    },
    { name: "zeros", body: () => `[${"0,".repeat(half - 1)}0]` },
    { name: "unknown keys", body: () => objectOf(bytes, (index) => [`k${index}`, 1]) },
    { name: "misspelt keys", body: () => objectOf(bytes, (index) => [`${name.slice(0, -1)}${index}`, 1]) },
    {
      name: "a repeated key",
      body: () => `{${`"${name}":1,`.repeat(Math.floor((bytes - 20) / (name.length + 5)))}"a":1}`
    },
    { name: "a long key", body: () => `{"${"a".repeat(bytes - 8)}":1}` },
    { name: "escapes", body: () => `{"${name}":"${"\\u0041".repeat(Math.floor((bytes - name.length - 8) / 6))}"}` },
    { name: "a long number", body: () => `{"${name}":${"9".repeat(bytes - name.length - 8)}}` },
    { name: "a long exponent", body: () => `{"${name}":1e${"9".repeat(bytes - name.length - 8)}}` }
  ]
}

type Resolve = (schema: Schema) => Schema

const variants = (schema: Schema, resolve: Resolve): ReadonlyArray<Schema> => {
  const found = resolve(schema)
  const parts = [...(found.anyOf ?? []), ...(found.oneOf ?? []), ...(found.allOf ?? [])]
  return [found, ...parts.flatMap((part) => variants(part, resolve))]
}

/** The names of the fields. */
export const fieldsOf = (schema: Schema, resolve: Resolve): ReadonlyArray<string> => [
  ...new Set(variants(schema, resolve).flatMap(({ properties = {} }) => Object.keys(properties)))
]

/** A mark that a body's text has in the place of the value. */
export const place = "\u0001value"

/** A place in a body, and the schema of the value that stands there. */
interface Place {
  readonly path: string
  readonly schema: Schema
  readonly body: unknown
}

/** Every place of a body, itself included, in a body that is otherwise the example. */
export const places = (
  schema: Schema,
  example: unknown,
  resolve: Resolve,
  path = "",
  depth = 0
): ReadonlyArray<Place> => {
  const own: Place = { path, schema, body: place }
  if (depth > 3) return [own]
  const inner = variants(schema, resolve).flatMap(({ items, properties = {} }) => [
    ...Object.entries(properties).flatMap(([name, field]) => {
      const object = typeof example === "object" && example !== null && !Array.isArray(example) ? example : {}
      const value = (object as Readonly<Record<string, unknown>>)[name]
      const found = places(field, value, resolve, `${path}.${name}`, depth + 1)
      return found.map((each) => ({ ...each, body: { ...object, [name]: each.body } }))
    }),
    ...(items === undefined
      ? []
      : places(items, Array.isArray(example) ? example[0] : undefined, resolve, `${path}[]`, depth + 1).map((each) => ({
          ...each,
          body: [each.body]
        })))
  ])
  return [own, ...inner]
}

/** For each field of the body: the largest values of its type, in a body that is otherwise the example. */
export const largestFields = (
  schema: Schema,
  example: unknown,
  {
    bytes,
    random,
    resolve,
    texts
  }: {
    readonly bytes: number
    readonly resolve: Resolve
    readonly random: Random
    /** How many of the texts each field gets. */
    readonly texts: number
  }
): ReadonlyArray<Shape> =>
  places(schema, example, resolve).flatMap(({ body, path, schema: field }) => {
    const around = JSON.stringify(body)
    const room = bytes - Buffer.byteLength(around) - 32
    if (room < 16) return []
    const put = (name: string, value: () => string): Shape => ({
      name: `${path === "" ? "the body" : path}: ${name}`,
      body: () => around.replace(JSON.stringify(place), value)
    })
    const types = new Set(variants(field, resolve).flatMap(({ type = [] }) => type))
    const chosen = atoms.length <= texts ? atoms : Array.from({ length: texts }, () => random.pick(atoms))
    const item = Array.isArray(example) ? example[0] : undefined
    return [
      ...(types.has("string")
        ? chosen.map((atom) => put(JSON.stringify(atom), () => JSON.stringify(filled(atom, room))))
        : []),
      ...(types.has("array")
        ? [
            put("falling numbers", () => arrayOf(room, (index) => 1_000_000_000 - index)),
            put("equal texts", () => arrayOf(room, () => "a")),
            put("falling texts", () => arrayOf(room, (index) => `a${1_000_000_000 - index}`)),
            put("empty objects", () => arrayOf(room, () => ({}))),
            ...(item === undefined ? [] : [put("its example", () => arrayOf(room, () => item))])
          ]
        : []),
      ...(types.has("object")
        ? [
            put("many keys", () => objectOf(room, (index) => [`x-${1_000_000_000 - index}`, "a"])),
            put("keys in another case", () =>
              objectOf(room, (index) => [index % 2 === 0 ? `X${index >> 1}` : `x${index >> 1}`, "a"])
            )
          ]
        : [])
    ]
  })

/** Lines up to so many bytes. */
export const linesOf = (bytes: number, make: (index: number) => string, separator = "\n"): string => {
  const lines: Array<string> = []
  for (let size = 0, index = 0; ; index++) {
    const line = make(index)
    size += Buffer.byteLength(line) + separator.length
    if (size > bytes) return lines.join(separator)
    lines.push(line)
  }
}
