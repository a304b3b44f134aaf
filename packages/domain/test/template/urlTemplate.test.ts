import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MAX_RENDERED_URL_LENGTH, parseUrlTemplate, renderUrl } from "../../src/template/urlTemplate.ts"

const problemsOf = (url: string) => {
  const parsed = parseUrlTemplate(url)
  return Result.isSuccess(parsed) ? [] : parsed.failure
}

const render = (url: string, values: Readonly<Record<string, string>>) =>
  renderUrl(Result.getOrThrow(parseUrlTemplate(url)), values)

describe("a URL with variables", () => {
  it.each([
    "https://h.test/t/{{recording.ticket_id}}/notes",
    "https://h.test/{{ recording.id }}-{{recording.duration}}.json?a=1&b={{recording.title}}x#part",
    "https://h.test?id={{recording.ticket_id}}"
  ])("can have them in path segments and query values: %s", (url) => {
    expect(problemsOf(url)).toEqual([])
  })

  const only = "only path segments and query values can have variables"
  it.each([
    ["{{event}}://h.test/", "character 1: event is in the scheme"],
    ["https://{{event}}/", "character 9: event is in the host or port"],
    ["https://a:{{event}}@h.test/", "character 11: event is in the host or port"],
    ["https://h.test:{{event}}/", "character 16: event is in the host or port"],
    ["https://h.test{{event}}?a=", "character 15: event is in the host or port"],
    ["https:///{{event}}/", "character 10: event is in the host or port"],
    ["https://h.test/#{{event}}", "character 17: event is in the fragment"],
    ["https://h.test/#?a={{event}}", "character 20: event is in the fragment"],
    ["https://h.test/?{{event}}=1", "character 17: event is in the name of a query parameter"],
    ["https://h.test/?a=1&{{event}}=1", "character 21: event is in the name of a query parameter"]
  ])("has them nowhere else: %s", (url, problem) => {
    expect(problemsOf(url)).toEqual([`${problem}: ${only}`])
  })

  it("names unknown variables, lists and filters, all of them", () => {
    expect(
      problemsOf("https://h.test/{{recording.ticket}}/{{recording.console_errors}}/{{recording.title | url}}/{{nope}}")
    ).toEqual([
      "character 16: recording.ticket is no variable (did you mean recording.ticket_id?)",
      "character 37: recording.console_errors is a list, which a URL cannot have",
      "character 66: recording.title has a filter: a URL takes none, its values are percent-encoded",
      "character 92: nope is no variable"
    ])
    expect(problemsOf("https://h.test/{{recording.id}")).toEqual([
      'character 16: "{{" must be followed by the name of a variable and "}}"'
    ])
  })

  it("has at most 20 variables", () => {
    const url = (count: number) => `https://h.test/${"{{event}}/".repeat(count)}`
    expect(problemsOf(url(20))).toEqual([])
    expect(problemsOf(url(21))).toEqual(["has more than 20 variables"])
  })
})

describe("a rendered URL", () => {
  const url = "https://h.test/t/{{recording.ticket_id}}/notes?q={{recording.title}}"

  it("has the values percent-encoded", () => {
    expect(render(url, { "recording.ticket_id": "a/b?c#d%2f..", "recording.title": "ü & \r\n'\ud83d" })).toEqual({
      url: "https://h.test/t/a%2Fb%3Fc%23d%252f../notes?q=%C3%BC%20%26%20%0D%0A%27%EF%BF%BD"
    })
  })

  it("is missing if a value is missing or empty: it names the variables", () => {
    expect(render(url, { "recording.ticket_id": "" })).toEqual({ missing: ["recording.ticket_id", "recording.title"] })
  })

  it.each([
    ["https://h.test/t/{{recording.title}}/n", ".."],
    ["https://h.test/t/{{recording.title}}", "."],
    ["https://h.test/t/.{{recording.title}}/n", "."],
    ["https://h.test/t/%2e{{recording.title}}/n", "."],
    ["https://h.test/t/{{recording.title}}{{recording.title}}?q", "."]
  ])("has no path segment that a value makes a dot segment: %s", (template, title) => {
    expect(render(template, { "recording.title": title })).toEqual({
      problem: "a value would make a path segment of the URL `.` or `..`"
    })
  })

  it("keeps the dot segments that are written, and dots elsewhere", () => {
    expect(
      render("https://h.test/a/../{{recording.title}}?q={{recording.title}}", { "recording.title": "..." })
    ).toEqual({
      url: "https://h.test/a/../...?q=..."
    })
    expect(render("https://h.test/?q={{recording.title}}", { "recording.title": ".." })).toEqual({
      url: "https://h.test/?q=.."
    })
  })

  it("has at most 8,192 characters", () => {
    const room = MAX_RENDERED_URL_LENGTH - "https://h.test/".length
    const rendered = (length: number) =>
      render("https://h.test/{{recording.title}}", { "recording.title": "x".repeat(length) })
    expect(rendered(room)).toHaveProperty("url")
    expect(rendered(room + 1)).toEqual({ problem: "the URL would be longer than 8192 characters" })
  })

  it("has the structure of its template, whatever the values", () => {
    const hostile = fc.string({
      unit: fc.constantFrom(
        "/",
        "..",
        ".",
        "%",
        "2f",
        "2e",
        "?",
        "#",
        "&",
        "=",
        "@",
        ":",
        "\\",
        "\r\n",
        "ü",
        "\ud83d",
        "x"
      )
    })
    fc.assert(
      fc.property(hostile, hostile, (ticket, title) => {
        const rendered = render(`${url}&end=1`, { "recording.ticket_id": ticket, "recording.title": title })
        if (!("url" in rendered)) return
        const { hash, hostname, pathname, searchParams } = new URL(rendered.url)
        expect([hostname, hash, pathname.split("/").length]).toEqual(["h.test", "", 4])
        expect([...searchParams]).toEqual([
          ["q", title.toWellFormed()],
          ["end", "1"]
        ])
        expect(decodeURIComponent(pathname.split("/")[2] ?? "")).toBe(ticket.toWellFormed())
      })
    )
  })
})
