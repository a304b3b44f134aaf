import type { SchemaAST } from "effect"

type Test = (value: unknown) => boolean

/**
 * A test of parsed JSON against a schema that only describes: true only if all types are right. Undefined for a schema that it
 * does not know completely. It takes a tenth of the time that Effect's interpreter takes, which also says what is wrong.
 */
export const shapeOf = (ast: SchemaAST.AST): Test | undefined => {
  if (ast.encoding !== undefined) return undefined
  switch (ast._tag) {
    case "String":
      return (value) => typeof value === "string"
    case "Number":
      return (value) => typeof value === "number"
    case "Boolean":
      return (value) => typeof value === "boolean"
    case "Null":
      return (value) => value === null
    case "Literal":
      return (value) => value === ast.literal
    case "Union":
      return unionShape(ast)
    case "Arrays":
      return arrayShape(ast)
    case "Objects":
      return objectShape(ast)
    default:
      return undefined
  }
}

const shapesOf = (all: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<Test> | undefined => {
  const shapes = all.map(shapeOf).filter((shape) => shape !== undefined)
  return shapes.length === all.length ? shapes : undefined
}

const unionShape = ({ types }: SchemaAST.Union): Test | undefined => {
  const shapes = shapesOf(types)
  if (shapes === undefined) return undefined
  const [first, second] = shapes
  // Mostly a nullable type.
  if (shapes.length === 2) return (value) => first!(value) || second!(value)
  return (value) => shapes.some((isShape) => isShape(value))
}

/** Of tuples without optional elements, and of lists of one type. */
const arrayShape = ({ elements, rest }: SchemaAST.Arrays): Test | undefined => {
  const [firsts, rests] = [shapesOf(elements), shapesOf(rest)]
  if (firsts === undefined || rests === undefined || rest.length > 1 || elements.some(isOptional)) return undefined
  const [isItem] = rests
  return (value) =>
    Array.isArray(value) &&
    value.length >= firsts.length &&
    value.every((item, index) => (firsts[index] ?? isItem)?.(item) === true)
}

const objectShape = ({ indexSignatures, propertySignatures }: SchemaAST.Objects): Test | undefined => {
  const shapes = shapesOf(propertySignatures.map(({ type }) => type))
  if (shapes === undefined) return undefined
  if (indexSignatures.length > 0) return propertySignatures.length > 0 ? undefined : recordShape(indexSignatures)
  const fields = propertySignatures.map(({ name, type }, index) => ({
    name: String(name),
    canBeAbsent: isOptional(type),
    isShape: shapes[index]!
  }))
  return (value) => {
    if (!isObject(value)) return false
    for (const { canBeAbsent, isShape, name } of fields) {
      const field = value[name]
      if (field === undefined ? !canBeAbsent : !isShape(field)) return false
    }
    return true
  }
}

const recordShape = ([signature, ...more]: ReadonlyArray<SchemaAST.IndexSignature>): Test | undefined => {
  const isShape = signature?.parameter._tag === "String" ? shapeOf(signature.type) : undefined
  if (isShape === undefined || more.length > 0) return undefined
  return (value) => isObject(value) && Object.values(value).every(isShape)
}

const isOptional = (type: SchemaAST.AST): boolean => type.context?.isOptional === true

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
