import { expect, test } from "vitest"
import { readMarkdown } from "../src/markdown.ts"
import { type OpenApiDocument, referenceOf } from "../src/reference.ts"

const folder = {
  type: "object",
  required: ["id"],
  properties: { id: { type: "string" }, name: { type: "string", maxLength: 255 } }
}

const document: OpenApiDocument = {
  info: { title: "Folders API", description: "Errors are JSON." },
  servers: [{ url: "/api" }],
  tags: [{ name: "auditEntries", description: "Folders of recordings." }, { name: "unused" }],
  paths: {
    "/folders/{id}": {
      patch: {
        operationId: "folders.rename",
        summary: "Rename a folder",
        description: "Changes the name. Audit event: `folder.renamed`.",
        tags: ["auditEntries"],
        security: [{ bearer: [] }],
        parameters: [
          {
            name: "id",
            in: "path",
            required: true,
            description: "Id | of the folder.",
            schema: { type: "string", minLength: 1 }
          }
        ],
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Folder" }, example: { name: "VIP" } } }
        },
        responses: {
          "200": {
            description: "The folder.",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Folder" } } }
          },
          "403": { description: "The caller is not an admin." }
        }
      }
    }
  },
  components: { schemas: { Folder: folder }, securitySchemes: { bearer: { description: "A token." } } }
}

test("a document becomes an overview, a page for each group of operations, and its schemas", () => {
  const { pages } = referenceOf("API", "reference/api", document)
  expect(pages.map(({ path }) => path)).toEqual([
    "reference/api",
    "reference/api/auditentries",
    "reference/api/schemas"
  ])
  const [overview, group, schemas] = pages.map(({ markdown }) => markdown)
  expect(overview).toContain("| [Audit entries](/reference/api/auditentries/) | Folders of recordings. | 1 |")
  expect(overview).toContain("A token.")
  expect(group).toContain("## Rename a folder")
  expect(group).toContain("PATCH /api/folders/{id}")
  expect(group).toContain("| `id` | path | string | Id \\| of the folder. At least 1 character. |")
  expect(group).toContain("| `name` (optional) | string | At most 255 characters. |")
  expect(group).toContain("| `403` | The caller is not an admin. |")
  expect(group).toContain('"name": "VIP"')
  expect(schemas).toContain("## Folder")
})

test("links to schemas lead to their headings", () => {
  const { pages } = referenceOf("API", "reference/api", document)
  const anchors = readMarkdown(pages.at(-1)!.markdown).headings.map(({ anchor }) => anchor)
  const targets = readMarkdown(pages[1]!.markdown).links.map(({ target }) => target)
  expect(targets).toEqual(["/reference/api/schemas/#folder", "/reference/api/schemas/#folder"])
  expect(anchors).toEqual(["folder"])
})
