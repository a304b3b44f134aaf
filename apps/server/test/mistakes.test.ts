import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { parseCommandLine } from "../src/cli/commandLine.ts"
import { ConfigInvalid, readConfig, type Written } from "../src/config/Config.ts"
import type { SettingName } from "../src/config/settings.ts"
import { fileWith, run, runProcess, temporaryFolder } from "./support/command.ts"

describe("A start with several mistakes", () => {
  test("prints all of them, each by the name that was used, and ends with 2", async () => {
    const file = fileWith(
      "page_sise: 50\npage_size: { of: 1 }\nmax_headers: none\ntranscriber_url: https://a.test/v1\n"
    )
    const none = join(temporaryFolder(), "none.pem")
    const notPem = fileWith("no certificate", "pair.pem")
    const environment = {
      TAPEDECK_LOG_LEVEL: "loud",
      TAPEDECK_PAGESIZE: "3",
      TAPEDECK_TRANSCRIBER_COMMAND: "whisper {file}",
      TAPEDECK_TLS_KEY: notPem,
      TAPEDECK_CA_FILE: none,
      TAPEDECK_AUDIT_HEADS: notPem,
      TAPEDECK_KEY: "short"
    }
    const args = ["serve", "--port", "70000", "--prot=1", "--host", "--tls-cert", notPem, "--config", file]
    const { code, err, out } = await runProcess(args, environment)
    expect({ code, out }).toEqual({ code: 2, out: "" })
    expect(err.split("\n")).toEqual([
      "tapedeck: --prot: no such option (did you mean --port?)",
      "--host: needs a value",
      `${file}: page_sise: there is no such setting (did you mean page_size?)`,
      `${file}: page_size: must be a text, a number, true, false or a list`,
      "--port: must be an integer from 0 to 65535, not 70000",
      `${file}: max_headers: must be an integer of at least 1, not none`,
      "TAPEDECK_LOG_LEVEL: must be trace or debug or info or warn or error, not loud",
      `TAPEDECK_TRANSCRIBER_COMMAND and ${file}: transcriber_url: set one of them`,
      expect.stringContaining(
        `--tls-cert and TAPEDECK_TLS_KEY: ${notPem} and ${notPem} are not a certificate and its key`
      ),
      `TAPEDECK_CA_FILE: ${none}: no such file`,
      `TAPEDECK_AUDIT_HEADS: ${notPem}: contains no heads of audit chains`,
      "TAPEDECK_KEY: must be 32 bytes in base64 or hex; make one with: openssl rand -base64 32",
      "TAPEDECK_PAGESIZE: there is no such variable (did you mean TAPEDECK_PAGE_SIZE?)",
      "See tapedeck serve --help.",
      ""
    ])
  })

  test("reports both files of a certificate's pair, and that plain HTTP is refused", async () => {
    const [cert, key] = ["cert.pem", "key.pem"].map((name) => join(temporaryFolder(), name)) as [string, string]
    const pair = await run(["serve", "--tls-cert", cert], { TAPEDECK_TLS_KEY: key })
    expect(pair).toEqual({
      code: 2,
      out: "",
      err: `tapedeck: --tls-cert: ${cert}: no such file\nTAPEDECK_TLS_KEY: ${key}: no such file\n`
    })
    const file = fileWith("host: 0.0.0.0\npage_size: 0\n")
    const { err } = await run(["serve", "--config", file])
    expect(err).toMatch(
      /page_size: must be .*\n.*tapedeck\.yaml: host: requests and tokens would cross the network unencr/
    )
  })

  test("ends with 6 if the key is the only one", async () => {
    expect(await run(["serve", "--data", join(temporaryFolder(), "data")], { TAPEDECK_KEY: "short" })).toMatchObject({
      code: 6,
      err: expect.stringMatching(/^tapedeck: TAPEDECK_KEY: must be 32 bytes/)
    })
  })

  test("prints all errors of a file's syntax, without its text", async () => {
    const { code, err } = await run(["config", "--config", fileWith("port: [1\nsmtp_url: 'secret\nsmtp_url: a: b\n")])
    expect(code).toBe(2)
    expect(err.trim().split("\n").length).toBeGreaterThan(1)
    expect(err).not.toContain("secret")
  })
})

describe("A combination of settings that is refused", () => {
  const at = { option: "--", variable: "TAPEDECK_", file: "/etc/tapedeck.yaml: " } as const
  type From = keyof typeof at

  const nameOf = (name: SettingName, from: From) =>
    from === "file"
      ? `${at.file}${name}`
      : from === "option"
        ? `--${name.replaceAll("_", "-")}`
        : `TAPEDECK_${name.toUpperCase()}`

  const written = (values: { readonly [Name in SettingName]?: string }, from: From): Written => ({
    options: from === "option" ? values : {},
    environment:
      from === "variable"
        ? Object.fromEntries(Object.entries(values).map(([name, text]) => [`TAPEDECK_${name.toUpperCase()}`, text]))
        : {},
    ...(from === "file" && { file: { path: "/etc/tapedeck.yaml", values, problems: [] } })
  })

  const problemsOf = (input: Written): ReadonlyArray<string> => {
    try {
      readConfig(input)
    } catch (error) {
      if (error instanceof ConfigInvalid) return error.message.split("\n")
      throw error
    }
    return []
  }

  const combinations: ReadonlyArray<readonly [Record<string, string>, ReadonlyArray<SettingName>]> = [
    [{ database_url: "postgres://ann@db.test/x", store: "memory" }, ["database_url", "store"]],
    [{ role: "api" }, ["role"]],
    [{ tls_cert: "a.pem" }, ["tls_cert"]],
    [{ tls_key: "a.pem" }, ["tls_key"]],
    [{ s3_region: "eu" }, ["s3_region"]],
    [{ files: "s3://videos", store: "memory" }, ["files", "store"]],
    [{ files: "s3://videos", s3_access_key_id: "id" }, ["s3_access_key_id"]],
    [{ mail_from: "a@b.test" }, ["mail_from"]],
    [{ oidc_client_id: "x" }, ["oidc_client_id"]],
    [{ oidc_issuer: "http://a.test", oidc_client_id: "x" }, ["oidc_issuer"]],
    [{ oidc_client_secret: "x" }, ["oidc_client_secret"]],
    [{ password_sign_in: "off" }, ["password_sign_in"]],
    [{ transcriber_url: "https://a.test/v1", transcriber_command: "x" }, ["transcriber_command", "transcriber_url"]],
    [{ ffmpeg: "/nope/ffmpeg" }, ["ffmpeg"]],
    [{ data: "/tmp/data", audit_heads: "/tmp/data/heads.json" }, ["audit_heads"]],
    [{ proxy: "http://p.test:1", proxy_password: "x" }, ["proxy_password", "proxy"]]
  ]

  test.each(combinations)("%j is named by the option, the variable or the key in the file", (values, names) => {
    for (const from of ["option", "variable", "file"] as const) {
      const [first = ""] = problemsOf(written(values, from))
      const [before] = first.split(/: (?=set |must |memory|is for|[a-z]+ is one|off |the password|\/nope)/)
      for (const name of names) expect(before?.split(" and "), from).toContain(nameOf(name, from))
    }
  })

  test("names all settings that are only for a bucket", () => {
    const values = { s3_region: "eu", s3_endpoint: "https://s3.test", s3_path_style: "on" }
    expect(problemsOf(written(values, "option"))).toEqual(
      ["endpoint", "region", "path-style"].map((name) => `--s3-${name}: is for TAPEDECK_FILES=s3://…, which is not set`)
    )
  })

  test("is not reported if one of its settings is invalid by itself", () => {
    expect(problemsOf(written({ role: "api", database_url: "mysql://a" }, "variable"))).toEqual([
      "TAPEDECK_DATABASE_URL: must be postgres://USER:PASSWORD@HOST:PORT/DATABASE"
    ])
  })
})

describe("A command line with several mistakes", () => {
  const problemsOf = (...args: ReadonlyArray<string>) => {
    const parsed = parseCommandLine(args)
    return "problems" in parsed ? parsed.problems : []
  }

  test("is refused with all of them", () => {
    expect(problemsOf("audit", "verify", "--account", "x", "--head", "y", "--port", "1", "extra")).toEqual([
      "--port: not an option of tapedeck audit verify",
      "extra: tapedeck audit verify does not take it",
      "--account: must be the number of an account, not x",
      "--head: must be SEQ:HASH as an earlier run printed it, not y"
    ])
    expect(problemsOf("backup", "--with-key=yes", "--deep")).toEqual([
      "--with-key: takes no value",
      "--deep: not an option of tapedeck backup",
      "DIR: is required"
    ])
  })

  test("does not take the value of an unknown option for an operand", () => {
    expect(problemsOf("serve", "--page-sise", "1")).toEqual(["--page-sise: no such option (did you mean --page-size?)"])
    expect(problemsOf("serve", "--host", "--page-sise", "1")).toHaveLength(2)
  })

  test("is reported with the settings, also by commands with arguments of their own", async () => {
    const { code, err } = await run(["account", "set", "x", "--bogus"], { TAPEDECK_PORT: "x" })
    expect({ code, err }).toEqual({
      code: 2,
      err: [
        "tapedeck: --bogus: no such option",
        "TAPEDECK_PORT: must be an integer from 0 to 65535, not x",
        "See tapedeck account set --help.",
        ""
      ].join("\n")
    })
  })
})
