import { Schema, SchemaAST } from "effect"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

/** A function with properties, as the parts of an `HttpApi` are. */
const copyOf = <Part extends object>(part: Part, changes: Partial<Part>): Part =>
  Object.assign(
    Object.setPrototypeOf(() => {}, Object.getPrototypeOf(part)),
    part,
    changes
  )

const mapped = <Value extends object>(values: Readonly<Record<string, Value>>, map: (value: Value) => Value) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

/** Keys without which a value is not a page. */
const isOfPage = ({ name, type }: SchemaAST.PropertySignature) => name === "pagination" || SchemaAST.isArrays(type)

/** Without enumerations, formats and limits, and with fields that may be absent, except those that `isRequired` names. */
const loosened = (
  ast: SchemaAST.AST,
  isRequired: (property: SchemaAST.PropertySignature) => boolean = () => false
): SchemaAST.AST => {
  const { annotations, context, encoding } = ast
  if (encoding !== undefined) return ast
  if (SchemaAST.isLiteral(ast)) return typeof ast.literal === "string" ? Schema.String.ast : ast
  if (SchemaAST.isString(ast)) return Schema.String.ast
  if (SchemaAST.isNumber(ast)) return Schema.Number.ast
  const inner = (one: SchemaAST.AST) => loosened(one)
  if (SchemaAST.isUnion(ast)) {
    const types = ast.types.map(inner)
    return new SchemaAST.Union([...new Set(types)], ast.options, annotations, undefined, undefined, context)
  }
  if (SchemaAST.isArrays(ast)) {
    const { elements, isMutable, rest } = ast
    const items = rest.map(inner)
    return new SchemaAST.Arrays(isMutable, elements.map(inner), items, annotations, undefined, undefined, context)
  }
  if (!SchemaAST.isObjects(ast)) return ast
  const properties = ast.propertySignatures.map((property) => {
    const type = loosened(property.type)
    const isOptional = !isRequired(property)
    return new SchemaAST.PropertySignature(property.name, isOptional ? Schema.optionalKey(Schema.make(type)).ast : type)
  })
  const indexes = ast.indexSignatures.map(
    ({ parameter, type }) => new SchemaAST.IndexSignature(parameter, loosened(type))
  )
  return new SchemaAST.Objects(properties, indexes, annotations, undefined, undefined, context)
}

/** The same, without enumerations alone. */
const opened = (ast: SchemaAST.AST): SchemaAST.AST => {
  const { annotations, checks, context, encoding } = ast
  const rest = [annotations, checks, undefined, context] as const
  if (encoding !== undefined) return ast
  if (SchemaAST.isUnion(ast)) {
    const isOpen = ast.types.filter(isText).length > 1
    const types = ast.types.map((one) => (isOpen && isText(one) ? Schema.String.ast : opened(one)))
    return new SchemaAST.Union([...new Set(types)], ast.options, ...rest)
  }
  if (SchemaAST.isArrays(ast)) {
    return new SchemaAST.Arrays(ast.isMutable, ast.elements.map(opened), ast.rest.map(opened), ...rest)
  }
  if (!SchemaAST.isObjects(ast)) return ast
  const properties = ast.propertySignatures.map(({ name, type }) => new SchemaAST.PropertySignature(name, opened(type)))
  return new SchemaAST.Objects(properties, ast.indexSignatures, ...rest)
}

const isText = (ast: SchemaAST.AST) => SchemaAST.isLiteral(ast) && typeof ast.literal === "string"

/** Bytes, and what else is not JSON, are as they were. */
const remade = (schema: Schema.Top, ast: SchemaAST.AST): Schema.Top => (ast === schema.ast ? schema : Schema.make(ast))

const request = (schema: Schema.Top): Schema.Top => remade(schema, opened(schema.ast))

const response = (schema: Schema.Top): Schema.Top => {
  const { ast } = schema
  const isPage = SchemaAST.isObjects(ast) && ast.propertySignatures.some(({ name }) => name === "pagination")
  return remade(schema, loosened(ast, isPage ? isOfPage : undefined))
}

/**
 * The API as a client of another version reads it. Responses are checked for the kind of each value alone, and requests as the
 * contract says, with open enumerations.
 */
export const tolerant = <Api extends HttpApi.Constraint>(api: Api): Api => {
  const endpoint = (one: HttpApiEndpoint.Top) => {
    const { payload, query, success } = one
    return copyOf(one, {
      success: new Set([...success].map(response)),
      payload: new Map(
        [...payload].map(
          ([
            type,
            {
              encoding,
              schemas: [first, ...others]
            }
          ]) => [type, { encoding, schemas: [request(first), ...others.map(request)] as const }]
        )
      ) as typeof payload,
      query: query === undefined ? undefined : request(query)
    })
  }
  const group = (one: HttpApiGroup.Top) => copyOf(one, { endpoints: mapped(one.endpoints, endpoint) })
  const { groups } = api as unknown as { readonly groups: Readonly<Record<string, HttpApiGroup.Top>> }
  return copyOf(api, { groups: mapped(groups, group) } as object)
}
