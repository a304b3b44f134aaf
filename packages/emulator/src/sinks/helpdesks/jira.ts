import { list, object, text } from "@tapedeck/domain/input"
import { Schema } from "effect"
import { type BodyProblem, type HelpdeskAnswer, helpdesk } from "./HelpdeskApi.ts"
import { linesOf } from "./shownText.ts"

interface Node {
  readonly type?: unknown
  readonly text?: unknown
  readonly content?: unknown
  readonly version?: unknown
}

const blockTypes = [
  "paragraph",
  "heading",
  "bulletList",
  "orderedList",
  "listItem",
  "codeBlock",
  "blockquote",
  "panel",
  "rule"
]
const knownTypes = new Set([...blockTypes, "text", "hardBreak", "mention", "emoji", "inlineCard"])

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && !Array.isArray(value)

/** Problems of a node of the Atlassian Document Format, and the text that a reader sees. JSON is at most 100 levels deep. */
const readNode = (node: unknown, path: string, problems: Array<BodyProblem>): string => {
  const refuse = (message: string) => {
    problems.push({ path, message, kind: "invalid" })
    return ""
  }
  if (!isNode(node) || typeof node.type !== "string") return refuse("is not a node")
  if (!knownTypes.has(node.type)) return refuse(`has the unknown type ${node.type}`)
  if (node.type === "text") return typeof node.text === "string" && node.text !== "" ? node.text : refuse("has no text")
  const content = node.content ?? []
  if (!Array.isArray(content)) return refuse("has content that is not a list")
  const inside = content.map((child, index) => readNode(child, `${path}.content[${index}]`, problems)).join("")
  return node.type === "hardBreak" || blockTypes.includes(node.type) ? `${inside}\n` : inside
}

const readDocument = (document: Node): { readonly problems: ReadonlyArray<BodyProblem>; readonly text: string } => {
  const problems: Array<BodyProblem> = []
  const { content, type, version } = document
  if (type !== "doc" || version !== 1 || !Array.isArray(content)) {
    return { problems: [{ path: "body", message: "is not a document of version 1", kind: "invalid" }], text: "" }
  }
  const shown = content.map((node, index) => readNode(node, `body.content[${index}]`, problems)).join("")
  if (problems.length === 0 && shown.trim() === "")
    problems.push({ path: "body", message: "is empty", kind: "missing" })
  return { problems, text: linesOf(shown) }
}

const errors = (status: number, ...messages: ReadonlyArray<string>): HelpdeskAnswer => ({
  status,
  body: { errorMessages: [...messages], errors: {} }
})

/** The property by which Jira Service Management hides a comment from customers. */
const isInternal = ({ key, value }: { readonly key: string; readonly value: unknown }) =>
  key === "sd.public.comment" && isNode(value) && (value as { readonly internal?: unknown }).internal === true

/** REST API v3, Add comment. */
export const jira = helpdesk({
  method: "POST",
  path: /^\/rest\/api\/3\/issue\/([A-Za-z][A-Za-z0-9_]*-\d+|\d+)\/comment$/,
  schemes: ["basic", "bearer"],
  body: object(
    {
      body: Schema.Record(Schema.String, Schema.Unknown).annotate({ message: "must be a document" }),
      properties: Schema.optionalKey(
        list(
          object({ key: text("Name of the property."), value: Schema.Unknown }, "A property."),
          "Properties of the comment."
        )
      )
    },
    "The body."
  ),
  check: ({ body }) => readDocument(body).problems,
  note: ({ body, properties = [] }, ticket) => ({
    ticket,
    text: readDocument(body).text,
    private: properties.some(isInternal)
  }),
  accepted: (_, number) => ({ status: 201, body: { id: String(number) } }),
  unauthorized: errors(401, "You are not authenticated. Authentication required to perform this operation."),
  notFound: errors(404, "Issue does not exist or you do not have permission to see it."),
  refused: (problems) => errors(400, ...problems.map(({ message, path }) => `${path} ${message}`.trim()))
})
