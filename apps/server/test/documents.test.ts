import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { documents } from "../scripts/documents.ts"
import { declaredMetrics } from "../src/observe/declaredMetrics.ts"

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8")

test.each(Object.entries(documents()))("%s is what `pnpm -F @tapedeck/server generate` writes", (path, text) => {
  expect(read(path)).toBe(text)
})

/** The selectors of an expression, such as `tapedeck_jobs{kind="mail"}`. */
const selectorsIn = (expression: string) =>
  [...expression.matchAll(/\b((?:tapedeck|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = "", matchers = ""]) => ({
      name,
      matchers: [...matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
        ([, label = "", operator = "", value = ""]) => ({
          label,
          operator,
          value
        })
      )
    })
  )

/** Labels that Prometheus adds. */
const labelsOfTargets = ["job", "instance"]

const metricOf = (series: string) =>
  declaredMetrics.find(({ name, type }) =>
    type === "histogram" ? ["bucket", "count", "sum"].some((suffix) => series === `${name}_${suffix}`) : series === name
  )

/** Errors of an expression: unknown series and labels, and values that a label never has. */
const faultsIn = (expression: string): ReadonlyArray<string> =>
  selectorsIn(expression).flatMap(({ matchers, name }) => {
    const metric = metricOf(name)
    if (metric === undefined) return [`there is no series ${name}`]
    return matchers.flatMap(({ label, operator, value }) => {
      if (labelsOfTargets.includes(label)) return []
      const values = metric.labels[label]
      if (values === undefined) return [`${name} has no label ${label}`]
      const named = operator.endsWith("~") ? value.split("|") : [value]
      return values === null
        ? []
        : named.filter((one) => !values.includes(one)).map((one) => `${name} has no ${label} ${one}`)
    })
  })

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly annotations: { readonly runbook: string }
}

const rules = (): ReadonlyArray<Rule> =>
  (
    parse(read("apps/server/packaging/monitoring/tapedeck-rules.yaml")) as {
      readonly groups: ReadonlyArray<{ readonly rules: ReadonlyArray<Rule> }>
    }
  ).groups.flatMap((group) => group.rules)

test("the check of expressions finds series, labels and values that do not exist", () => {
  expect(faultsIn("increase(tapedeck_mails_total[5m]) > 0")).toEqual([])
  expect(faultsIn("tapedeck_mail_total")).toEqual(["there is no series tapedeck_mail_total"])
  expect(faultsIn('tapedeck_mails_total{kind="a"}')).toEqual(["tapedeck_mails_total has no label kind"])
  expect(faultsIn('tapedeck_mails_total{outcome=~"sent|lost"}')).toEqual(["tapedeck_mails_total has no outcome lost"])
})

test("each alert uses metrics that exist, and has a section that tells what to do", () => {
  const sections = [...read("docs/operating.md").matchAll(/^#### (Tapedeck\w+)$/gm)].map(([, name]) => name)
  expect(rules().map(({ alert }) => alert)).toEqual(sections)
  for (const { alert, annotations, expr } of rules()) {
    expect(faultsIn(expr), alert).toEqual([])
    expect(annotations.runbook).toBe(`docs/operating.md#${alert.toLowerCase()}`)
  }
})

test("the dashboard shows metrics that exist, and every metric but the version and the uptime", () => {
  const text = read("apps/server/packaging/monitoring/tapedeck-dashboard.json")
  const { panels } = JSON.parse(text) as {
    readonly panels: ReadonlyArray<{ readonly targets: ReadonlyArray<{ readonly expr: string }> }>
  }
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  expect(expressions.flatMap(faultsIn)).toEqual([])
  const shown = new Set(expressions.flatMap(selectorsIn).map(({ name }) => metricOf(name)?.name))
  const missing = declaredMetrics.map(({ name }) => name).filter((name) => !shown.has(name))
  expect(missing).toEqual([
    "tapedeck_build_info",
    "process_start_time_seconds",
    "process_uptime_seconds",
    "nodejs_eventloop_lag_p50_seconds"
  ])
})
