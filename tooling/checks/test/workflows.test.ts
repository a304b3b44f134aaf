import { expect, it } from "vitest"
import { checkWorkflow, isWorkflow } from "../src/rules/workflows.ts"

const path = ".github/workflows/ci.yml"
const hash = "0123456789abcdef0123456789abcdef01234567"
const scripts = new Set(["test", "test:crash"])

const workflow = (step: string, more = "") => `permissions:
  contents: read
jobs:
  test:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
${more}    steps:
      - ${step}
`

it.each([
  "run: npx pnpm test",
  "run: npx pnpm -s test:crash --store postgres",
  "run: npx -y pnpm@12 install --frozen-lockfile",
  "run: .ci/run",
  `uses: actions/checkout@${hash} # v5.0.1`
])("a workflow may have the step %s", (step) => {
  expect(checkWorkflow(path, workflow(step), scripts)).toEqual([])
})

it.each([
  ["run: npx pnpm test:gone", '"npx pnpm test:gone" calls no script'],
  ["run: .ci/gone", '".ci/gone" calls no script'],
  ["run: npm test", '"npm test" calls no script'],
  ["uses: actions/checkout", "actions/checkout is not named by the hash"],
  ["uses: actions/checkout@v5", "actions/checkout@v5 is not named by the hash"],
  [`uses: actions/checkout@${hash}`, `actions/checkout@${hash} is not named by the hash`],
  [`uses: actions/checkout@${hash} # v5`, `actions/checkout@${hash} is not named by the hash`]
])("a workflow may not have the step %s", (step, message) => {
  expect(checkWorkflow(path, workflow(step), scripts)).toMatchObject([
    { path, line: 8, rule: "workflow", message: expect.stringContaining(message) }
  ])
})

it("each value of a matrix has to be a command", () => {
  const matrix = "    strategy: { matrix: { command: [test, 'gone --now'] } }\n"
  expect(checkWorkflow(path, workflow(`run: npx pnpm -s $\{{ matrix.command }}`, matrix), scripts)).toMatchObject([
    { message: expect.stringContaining('"npx pnpm -s gone --now"') }
  ])
})

it("a workflow states its permissions, and each job its time-out", () => {
  expect(checkWorkflow(path, "jobs:\n  test:\n    steps: []\n", scripts)).toMatchObject([
    { line: 1, message: "the workflow does not state its permissions" },
    { line: 2, message: "test has no timeout-minutes" }
  ])
})

it("only a job may write, and says so", () => {
  const permitted = (permissions: string) =>
    workflow("run: npx pnpm test").replace(/.*\n.*\n/, `permissions:${permissions}\n`)
  for (const permissions of [" {}", " read-all", "\n  contents: read"])
    expect(checkWorkflow(path, permitted(permissions), scripts)).toEqual([])
  for (const permissions of [" write-all", "\n  contents: read\n  id-token: write"])
    expect(checkWorkflow(path, permitted(permissions), scripts)).toMatchObject([
      { line: 1, message: expect.stringContaining("all jobs may write") }
    ])
})

it("a job downloads what a job that it needs has uploaded", () => {
  const artifacts = (needs: string, wanted: string) => `permissions: {}
jobs:
  make:
    timeout-minutes: 5
    steps: [{ uses: actions/upload-artifact@${hash}, with: { name: "programs-$\{{ matrix.system }}" } }] # v1.2.3
  test:
    needs: [make]
    timeout-minutes: 5
    steps: []
  release:
    needs: ${needs}
    timeout-minutes: 5
    steps: [{ uses: actions/download-artifact@${hash}, with: { ${wanted} } }] # v1.2.3
`
  expect(checkWorkflow(path, artifacts("test", "pattern: programs-*"), scripts)).toEqual([])
  for (const [needs, wanted] of [
    ["[]", "pattern: programs-*"],
    ["[make]", "pattern: program_*"],
    ["[make]", "name: programs"]
  ] as const)
    expect(checkWorkflow(path, artifacts(needs, wanted), scripts)).toMatchObject([
      { line: 10, message: expect.stringMatching(/^release downloads programs?/) }
    ])
})

it("jobs that need each other are a finding each, and the jobs after them none", () => {
  const job = (name: string, needs: string) => `  ${name}:\n    needs: ${needs}\n    timeout-minutes: 5\n`
  const jobs = `${job("first", "[third]")}${job("second", "first")}${job("third", "[second]")}${job("fourth", "third")}`
  expect(checkWorkflow(path, `permissions: {}\njobs:\n${jobs}`, scripts).map(({ message }) => message)).toEqual(
    ["first", "second", "third"].map((name) => `${name} needs itself, by the jobs that it needs`)
  )
})

it("only files in .github/workflows are workflows", () => {
  expect([path, ".github/workflows/a/b.yml", ".github/dependabot.yml", "docs/ci.yml"].map(isWorkflow)).toEqual([
    true,
    false,
    false,
    false
  ])
})
