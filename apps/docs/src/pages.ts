import { readdirSync } from "node:fs"
import { join } from "node:path"

/** Absolute path of the repository. */
export const root = join(import.meta.dirname, "../../..")

/** A page made of a Markdown file of the repository. */
export interface SourcePage {
  /** Path of the file from the root of the repository. */
  readonly source: string
  /** Path of the page on the site, without slashes at its ends. The home page's is empty. */
  readonly path: string
  /** Name in the navigation. Default: the document's title. */
  readonly label?: string
}

/** A collapsed part of a section. */
export interface Group {
  readonly title: string
  readonly pages: ReadonlyArray<SourcePage>
}

export interface Section {
  readonly title: string
  readonly pages: ReadonlyArray<SourcePage>
  readonly groups?: ReadonlyArray<Group>
  /** True for the section that has the pages of the OpenAPI documents. */
  readonly hasApis?: boolean
}

const page = (path: string, source: string, label?: string): SourcePage => ({
  source,
  path,
  ...(label !== undefined && { label })
})

const library = (name: string): SourcePage => page(`reference/${name}`, `packages/${name}/README.md`)

const decisions: ReadonlyArray<SourcePage> = readdirSync(join(root, "docs/adr"))
  .filter((name) => name.endsWith(".md"))
  .toSorted()
  .map((name) => page(`how-it-works/decisions/${name.slice(0, -".md".length)}`, `docs/adr/${name}`))

/** Every page that is made of a file: which source is which page. The pages of the OpenAPI documents are added to `Reference`. */
export const sections: ReadonlyArray<Section> = [
  {
    title: "Start",
    pages: [
      page("", "README.md", "Overview"),
      page("start/first-requests", "docs/start.md"),
      page("start/comparison", "docs/compare.md")
    ]
  },
  {
    title: "Record and share",
    pages: [
      page("record/record-and-share", "docs/recording.md"),
      page("record/helpdesks", "docs/helpdesks.md"),
      page("record/console", "docs/console.md")
    ]
  },
  {
    title: "Integrate",
    pages: [
      page("integrate/client", "packages/client/README.md", "The API client"),
      page("integrate/idempotency", "docs/idempotency.md"),
      page("integrate/uploads", "docs/uploading.md"),
      page("integrate/embedding", "docs/embedding.md"),
      page("integrate/capture", "docs/capture.md"),
      page("integrate/recorder", "packages/capture/README.md", "A recorder of your own")
    ]
  },
  {
    title: "Test",
    pages: [
      page("test/five-minutes", "docs/testing.md", "Five minutes"),
      page("test/emulator", "packages/emulator/README.md", "The emulator"),
      page("test/container", "docs/container.md"),
      page("test/languages", "clients/README.md", "Python, Go and Java"),
      page("test/python", "clients/python/README.md"),
      page("test/go", "clients/go/README.md"),
      page("test/java", "clients/java/README.md"),
      page("test/vitest", "examples/vitest/README.md"),
      page("test/examples", "examples/README.md")
    ]
  },
  {
    title: "Receive webhooks",
    pages: [
      page("webhooks/receive", "docs/webhooks.md"),
      page("webhooks/without-waiting", "docs/webhooks-without-waiting.md"),
      page("webhooks/verify", "packages/signing/README.md", "Verify signatures")
    ]
  },
  {
    title: "Operate",
    pages: [
      page("operate/install", "apps/server/README.md", "Install"),
      page("operate/downloads", "docs/download.md"),
      page("operate/settings", "docs/server.md", "Settings and data"),
      page("operate/run", "docs/operating.md"),
      page("operate/media", "docs/media.md"),
      page("operate/network", "docs/webhooks-network.md"),
      page("operate/security", "SECURITY.md")
    ]
  },
  {
    title: "Scale",
    pages: [page("scale/nodes", "docs/cluster.md")]
  },
  {
    title: "Reference",
    pages: [],
    hasApis: true,
    groups: [
      {
        title: "Libraries",
        pages: [
          ...["contract", "domain", "core", "http", "dispatcher", "storage", "fixtures", "testkit"].map(library),
          page("reference/own-webhooks", "examples/webhooks/README.md"),
          page("reference/own-retries", "examples/delivery/README.md"),
          page("reference/own-store", "examples/store/README.md")
        ]
      }
    ]
  },
  {
    title: "How it works",
    pages: [
      page("how-it-works/architecture", "docs/architecture.md"),
      page("how-it-works/fidelity", "docs/fidelity.md"),
      page("how-it-works/contributing", "CONTRIBUTING.md")
    ],
    groups: [{ title: "Decisions", pages: decisions }]
  },
  {
    title: "Versions",
    pages: [page("versions/promises", "docs/versions.md"), page("versions/upgrading", "UPGRADING.md")]
  }
]

/** Documents that are no pages, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  "apps/capture/README.md": "for contributors, who read it beside the code",
  "apps/console/README.md": "for contributors, who read it beside the code"
}

/** The pages of a section in the order of the navigation. */
export const pagesOf = ({ groups = [], pages }: Section): ReadonlyArray<SourcePage> => [
  ...pages,
  ...groups.flatMap((group) => group.pages)
]

export const sourcePages: ReadonlyArray<SourcePage> = sections.flatMap(pagesOf)
