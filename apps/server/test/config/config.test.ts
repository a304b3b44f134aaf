import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { defaultServiceConfig } from "@tapedeck/core"
import { Redacted } from "effect"
import { describe, expect, test } from "vitest"
import packageJson from "../../package.json" with { type: "json" }
import { ConfigInvalid, readConfig, underWritten, unknownVariables } from "../../src/config/Config.ts"
import { proxyWithPassword } from "../../src/config/proxy.ts"
import { settingNames, settings } from "../../src/config/settings.ts"
import { serviceConfigOf } from "../../src/serve/serviceConfig.ts"
import { temporaryFolder } from "../support/command.ts"

const read = (environment: Record<string, string>, options: Record<string, string> = {}) =>
  readConfig({ environment, options })

const refusal = (environment: Record<string, string>, options: Record<string, string> = {}) => {
  try {
    read(environment, options)
  } catch (error) {
    if (error instanceof ConfigInvalid) return error.message.split("\n")
    throw error
  }
  return []
}

describe("The configuration", () => {
  test("has a default for every setting", () => {
    expect(read({})).toMatchObject({ store: "sqlite", data: "./tapedeck-data", port: 4020, page_size: 100 })
    expect(serviceConfigOf(read({}))).toEqual({
      publicUrl: "http://127.0.0.1:4020",
      vendor: "Tapedeck",
      version: packageJson.version,
      pageSize: 100,
      rateLimit: null,
      standardWebhooks: true,
      corsOrigins: [],
      allowHttp: false,
      maxUploadBytes: 5 * 1024 ** 3,
      uploadExpiryMs: 24 * 60 * 60 * 1000,
      memberQuota: { recordings: null, bytes: null, uploads: null },
      captureLimits: {
        perHour: { link: 200, address: 30, site: 300 },
        bytesPerDay: null,
        keyBytesPerDay: 50_000_000_000
      },
      signedMs: 604_800_000,
      consoleUrl: null,
      signIn: {
        ...defaultServiceConfig.signIn,
        idleMs: 12 * 3_600_000,
        lifetimeMs: 7 * 86_400_000,
        linkPath: "/sign-in/link"
      },
      mediaWork: { processes: true, transcripts: "none", summarizes: false }
    })
    const mail = { mail_from: "no-reply@acme.test", smtp_url: "smtp://localhost" }
    expect(serviceConfigOf(read({}, mail)).consoleUrl).toBe("http://127.0.0.1:4020")
  })

  test("reads variables, and options, which have precedence", () => {
    const environment = {
      TAPEDECK_PAGE_SIZE: "25",
      TAPEDECK_VENDOR: "Acme",
      TAPEDECK_RATE_LIMIT: "600/PT1M",
      TAPEDECK_STANDARD_WEBHOOKS: "off",
      TAPEDECK_UPLOAD_LIMIT: "500MB",
      TAPEDECK_ALLOW_RECEIVERS: "10.0.0.0/8, fd00::/8,192.0.2.7",
      TAPEDECK_PUBLIC_URL: ""
    }
    expect(read(environment, { page_size: "50" })).toMatchObject({
      page_size: 50,
      vendor: "Acme",
      rate_limit: { requests: 600, perMs: 60_000 },
      standard_webhooks: false,
      upload_limit: 500 * 1024 * 1024,
      allow_receivers: ["10.0.0.0/8", "fd00::/8", "192.0.2.7"],
      public_url: undefined
    })
  })

  test("is refused with all errors, each by the name under which it was set", () => {
    const environment = {
      TAPEDECK_PAGE_SIZE: "0",
      TAPEDECK_PUBLIC_URL: "https://a.test/",
      TAPEDECK_RATE_LIMIT: "600",
      TAPEDECK_STANDARD_WEBHOOKS: "yes",
      TAPEDECK_UPLOAD_LIMIT: "0",
      TAPEDECK_ALLOW_RECEIVERS: "10.0.0.0/33",
      TAPEDECK_CORS_ORIGINS: "https://a.test,https://b.test/",
      TAPEDECK_TRANSCRIBER_URL: "ftp://a.test"
    }
    expect(refusal(environment, { port: "70000", store: "postgres" })).toEqual([
      "--store: must be sqlite or memory, not postgres",
      "--port: must be an integer from 0 to 65535, not 70000",
      "TAPEDECK_PUBLIC_URL: must be an http or https URL without a slash at its end, not https://a.test/",
      "TAPEDECK_PAGE_SIZE: must be an integer of at least 1, not 0",
      "TAPEDECK_RATE_LIMIT: must be requests/duration, such as 600/PT1M, or off, not 600",
      "TAPEDECK_STANDARD_WEBHOOKS: must be on or off, not yes",
      "TAPEDECK_UPLOAD_LIMIT: must be a size such as 500MB or 5GB, not 0",
      "TAPEDECK_ALLOW_RECEIVERS: must be IP addresses and CIDRs such as 10.0.0.0/8, with commas between them; 10.0.0.0/33 is none",
      "TAPEDECK_TRANSCRIBER_URL: must be an http or https URL",
      "TAPEDECK_CORS_ORIGINS: must be origins such as https://app.example.com, with commas between them; https://b.test/ is none"
    ])
  })

  test("has no quota by default", () => {
    expect(read({})).toMatchObject({ quota_recordings: null, quota_bytes: null, quota_uploads: null })
    const environment = { TAPEDECK_QUOTA_RECORDINGS: "1", TAPEDECK_QUOTA_BYTES: "20GB", TAPEDECK_QUOTA_UPLOADS: "5" }
    expect(read(environment, { quota_uploads: "off" })).toMatchObject({
      quota_recordings: 1,
      quota_bytes: 20 * 1024 ** 3,
      quota_uploads: null
    })
    expect(
      refusal({ TAPEDECK_QUOTA_RECORDINGS: "0", TAPEDECK_QUOTA_BYTES: "much", TAPEDECK_QUOTA_UPLOADS: "x" })
    ).toEqual([
      "TAPEDECK_QUOTA_RECORDINGS: must be an integer of at least 1, not 0; or off",
      "TAPEDECK_QUOTA_BYTES: must be a size such as 500MB or 5GB, not much; or off",
      "TAPEDECK_QUOTA_UPLOADS: must be an integer of at least 1, not x; or off"
    ])
  })

  test("has no retention limit by default, and a minimum of a day", () => {
    expect(read({})).toMatchObject({ keep_logs: null, keep_audit: null })
    expect(read({ TAPEDECK_KEEP_LOGS: "P90D", TAPEDECK_KEEP_AUDIT: "P1W" }, { keep_audit: "off" })).toMatchObject({
      keep_logs: 90 * 24 * 3_600_000,
      keep_audit: null
    })
    const must = "must be an ISO 8601 duration of at least a day, such as P90D, or off, not"
    expect(refusal({ TAPEDECK_KEEP_LOGS: "PT23H59M", TAPEDECK_KEEP_AUDIT: "P1Y" })).toEqual([
      `TAPEDECK_KEEP_LOGS: ${must} PT23H59M`,
      `TAPEDECK_KEEP_AUDIT: ${must} P1Y`
    ])
  })

  test("reads the days of v1's deprecation and end, and refuses others by a named error", () => {
    const deprecationOf = (days: string) => read({ TAPEDECK_V1_DEPRECATION: days }).v1_deprecation
    expect(read({}).v1_deprecation).toBeUndefined()
    expect(deprecationOf("2027-01-01")).toEqual({ sinceMs: Date.UTC(2027, 0, 1), sunsetMs: null })
    expect(deprecationOf("2028-02-29/2028-02-29")).toMatchObject({ sunsetMs: Date.UTC(2028, 1, 29) })
    for (const days of [
      "2027-02-29",
      "2027-01-02/2027-01-01",
      "2027-01-01/2028-01-01/2029-01-01",
      "soon",
      "2027-1-1",
      "/"
    ])
      expect(refusal({ TAPEDECK_V1_DEPRECATION: days })).toEqual([
        `TAPEDECK_V1_DEPRECATION: must be a day such as 2027-01-01, or two such as 2027-01-01/2028-01-01 in order, not ${days}`
      ])
  })

  test("accepts one transcriber only", () => {
    expect(refusal({ TAPEDECK_TRANSCRIBER_URL: "https://a.test/v1", TAPEDECK_TRANSCRIBER_COMMAND: "whisper" })).toEqual(
      ["TAPEDECK_TRANSCRIBER_COMMAND and TAPEDECK_TRANSCRIBER_URL: set one of them"]
    )
  })

  test("warns of unknown variables and suggests the nearest name", () => {
    const environment = { TAPEDECK_PAGESIZE: "3", TAPEDECK_KEY: "k", TAPEDECK_X: "", PATH: "/bin" }
    expect(unknownVariables(environment)).toEqual([
      "TAPEDECK_PAGESIZE: there is no such variable (did you mean TAPEDECK_PAGE_SIZE?)",
      "TAPEDECK_X: there is no such variable"
    ])
  })

  test("uses a start document's settings that the operator did not set", () => {
    const written = { environment: { TAPEDECK_VENDOR: "Acme" }, options: {} }
    const document = { vendor: "Other", page_size: 3, rate_limit: { requests: 1, per_ms: 10 }, keep_logs: "P2D" }
    expect(underWritten(written, readConfig(written), document)).toMatchObject({
      vendor: "Acme",
      page_size: 3,
      rate_limit: { requests: 1, perMs: 10 },
      keep_logs: 2 * 86_400_000,
      keep_audit: null
    })
  })

  test("links to a host that can be reached, whatever address it listens on", () => {
    expect(serviceConfigOf(read({ TAPEDECK_HOST: "0.0.0.0", TAPEDECK_PORT: "80" })).publicUrl).toBe(
      "http://localhost:80"
    )
    expect(serviceConfigOf(read({ TAPEDECK_HOST: "::1" })).publicUrl).toBe("http://[::1]:4020")
  })

  test("reports errors of the settings of logs, metrics and networking, each by its name, without secrets", () => {
    const environment = {
      TAPEDECK_LOG: "xml",
      TAPEDECK_LOG_LEVEL: "loud",
      TAPEDECK_ACCESS_LOG: "1",
      TAPEDECK_METRICS_PORT: "-1",
      TAPEDECK_OTLP_ENDPOINT: "collector:4318",
      TAPEDECK_OTLP_HEADERS: "open sesame",
      TAPEDECK_TLS_CERT: "cert.pem",
      TAPEDECK_TRUSTED_PROXIES: "10.0.0.0/33",
      TAPEDECK_MAX_CONNECTIONS: "0",
      TAPEDECK_MAX_HEADER_SIZE: "large",
      TAPEDECK_MAX_HEADERS: "none",
      TAPEDECK_HEADERS_TIMEOUT: "20",
      TAPEDECK_BODY_IDLE_TIMEOUT: "PT0S",
      TAPEDECK_KEEP_ALIVE_TIMEOUT: "P30D"
    }
    const duration = "must be an ISO 8601 duration such as PT30S, of more than nothing and at most P24D, not"
    expect(refusal(environment).toSorted()).toEqual(
      [
        "TAPEDECK_LOG: must be json or pretty, not xml",
        "TAPEDECK_LOG_LEVEL: must be trace or debug or info or warn or error, not loud",
        "TAPEDECK_ACCESS_LOG: must be on or off, not 1",
        "TAPEDECK_METRICS_PORT: must be an integer from 0 to 65535, not -1",
        "TAPEDECK_OTLP_ENDPOINT: must be an http or https URL",
        "TAPEDECK_OTLP_HEADERS: must be name=value, with commas between more of them",
        "TAPEDECK_TLS_CERT and TAPEDECK_TLS_KEY: set both, or neither",
        "TAPEDECK_TRUSTED_PROXIES: must be IP addresses and CIDRs such as 10.0.0.0/8, with commas between them; 10.0.0.0/33 is none",
        "TAPEDECK_MAX_CONNECTIONS: must be an integer of at least 1, not 0",
        "TAPEDECK_MAX_HEADER_SIZE: must be a size such as 500MB or 5GB, not large",
        "TAPEDECK_MAX_HEADERS: must be an integer of at least 1, not none",
        `TAPEDECK_HEADERS_TIMEOUT: ${duration} 20`,
        `TAPEDECK_BODY_IDLE_TIMEOUT: ${duration} PT0S`,
        `TAPEDECK_KEEP_ALIVE_TIMEOUT: ${duration} P30D`
      ].toSorted()
    )
  })

  test("reads the settings of logs, metrics and networking", () => {
    const environment = {
      TAPEDECK_OTLP_HEADERS: "X-Key=a=b, authorization=Basic eDp5",
      TAPEDECK_OTLP_SIGNALS: "traces, logs",
      TAPEDECK_TLS_CERT: "cert.pem",
      TAPEDECK_TLS_KEY: "key.pem",
      TAPEDECK_HEADERS_TIMEOUT: "PT1.5S"
    }
    expect(read(environment)).toMatchObject({
      otlp_headers: { "x-key": "a=b", authorization: "Basic eDp5" },
      otlp_signals: ["traces", "logs"],
      headers_timeout: 1_500,
      metrics_port: undefined,
      metrics_host: "127.0.0.1",
      log_level: "info",
      access_log: false
    })
    expect(serviceConfigOf(read(environment)).publicUrl).toBe("https://127.0.0.1:4020")
  })
})

describe("A secret", () => {
  const values = {
    database_url: "postgres://ann:secret@db.example.com:5432/tapedeck",
    s3_secret_access_key: "secret/key+of=S3",
    summarizer_key: "sk-summary",
    transcriber_key: "sk-secret",
    smtp_url: "smtps://ann:secret@mail.example.com",
    proxy_password: "p@ss: w%rd",
    oidc_client_secret: "a secret of two words",
    otlp_headers: "authorization=Basic c2VjcmV0"
  }
  /** What it takes for each of them to be of use. */
  const others = {
    TAPEDECK_FILES: "s3://videos",
    TAPEDECK_S3_ACCESS_KEY_ID: "id",
    TAPEDECK_MAIL_FROM: "tapes@example.com",
    TAPEDECK_OIDC_ISSUER: "https://login.example.com",
    TAPEDECK_OIDC_CLIENT_ID: "tapedeck",
    TAPEDECK_PROXY: "http://ann@proxy.internal:3128"
  }
  const held = (text: string) => {
    const file = join(temporaryFolder(), "secret")
    writeFileSync(file, text)
    return file
  }
  const inFiles = (files: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(files).map(([name, file]) => [`TAPEDECK_${name.toUpperCase()}_FILE`, file]))

  test("can be read from a file, for every secret setting", () => {
    const secret = settingNames.filter((name) => settings[name].secret === true)
    expect(Object.keys(values).toSorted()).toEqual(secret.toSorted())
    const files = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, held(`${value}\n`)]))
    const written = Object.entries(values).map(([name, value]) => [`TAPEDECK_${name.toUpperCase()}`, value])
    const fromFiles = read({ ...others, ...inFiles(files) })
    const fromVariables = read({ ...others, ...Object.fromEntries(written) })
    for (const name of secret) {
      const [one, other] = [fromFiles[name], fromVariables[name]]
      expect(Redacted.isRedacted(one) ? Redacted.value(one) : one, name).toEqual(
        Redacted.isRedacted(other) ? Redacted.value(other) : other
      )
      expect(one, name).toBeDefined()
    }
  })

  test("is refused by name if its file is empty or the variable is set too, and is not shown", () => {
    const nowhere = join(temporaryFolder(), "none")
    const two = held("secret\nof two lines")
    expect(
      refusal({ ...others, ...inFiles({ ...files(), oidc_client_secret: nowhere, transcriber_key: two }) })
    ).toEqual([
      `TAPEDECK_TRANSCRIBER_KEY_FILE: ${two}: must contain a secret on one line`,
      `TAPEDECK_OIDC_CLIENT_SECRET_FILE: ${nowhere}: no such file`
    ])
    const smtp = held("http://ann:secret@mail.example.com")
    const [problem, ...more] = refusal({ ...others, ...inFiles({ ...files(), smtp_url: smtp }) })
    expect(problem).toMatch(/^TAPEDECK_SMTP_URL_FILE: must be an smtp or smtps URL/)
    expect(problem).not.toContain("secret")
    expect(more).toEqual([])
    const twice = { ...others, ...inFiles(files()), TAPEDECK_SMTP_URL: values.smtp_url }
    expect(refusal(twice)[0]).toBe("TAPEDECK_SMTP_URL and TAPEDECK_SMTP_URL_FILE: set one of them")
  })

  const files = () => ({
    s3_secret_access_key: held(values.s3_secret_access_key),
    smtp_url: held(values.smtp_url)
  })
})

describe("The proxy's password", () => {
  test("is inserted into its URL, with any characters", () => {
    const environment = { TAPEDECK_PROXY: "http://ann@proxy.internal:3128", TAPEDECK_PROXY_PASSWORD: "p@ss: w%rd/" }
    const url = new URL(proxyWithPassword(read(environment))!)
    expect([url.host, url.username, decodeURIComponent(url.password)]).toEqual([
      "proxy.internal:3128",
      "ann",
      "p@ss: w%rd/"
    ])
    expect(proxyWithPassword(read({ TAPEDECK_PROXY: "http://proxy.internal:3128" }))).toBe("http://proxy.internal:3128")
  })

  test("is refused as an option, which a list of processes shows, and is not shown", () => {
    const options = { proxy: "http://ann:secret@proxy.internal:3128" }
    expect(() => readConfig({ options, environment: {} })).toThrow(
      "--proxy: must not contain a password, because the list of processes shows it: set TAPEDECK_PROXY_PASSWORD or TAPEDECK_PROXY_PASSWORD_FILE"
    )
    expect(read({ TAPEDECK_PROXY: options.proxy }).proxy).toBe(options.proxy)
  })

  test.each([
    [{}, /needs a user in the URL/],
    [{ TAPEDECK_PROXY: "http://proxy.internal:3128" }, /needs a user in the URL/],
    [{ TAPEDECK_PROXY: "http://ann:one@proxy.internal:3128" }, /both contain a password/]
  ])("is refused without a user, or beside another one: %j", (environment, problem) => {
    const [found, ...more] = refusal({ ...environment, TAPEDECK_PROXY_PASSWORD: "two" })
    expect(found).toMatch(/^TAPEDECK_PROXY_PASSWORD and TAPEDECK_PROXY: /)
    expect(found).toMatch(problem)
    expect(more).toEqual([])
  })
})

describe("A database of several processes", () => {
  const url = "postgres://ann:secret@db.example.com:5432/tapedeck"

  test("is named by an address of PostgreSQL, whose text is not shown in errors", () => {
    const { database_connections, database_url, role } = read({ TAPEDECK_DATABASE_URL: url })
    expect({ database_connections, role }).toEqual({ database_connections: 10, role: "all" })
    expect(String(database_url)).toBe("<redacted>")
    for (const wrong of ["mysql://ann:secret@db", "secret"]) {
      expect(refusal({ TAPEDECK_DATABASE_URL: wrong })).toEqual([
        "TAPEDECK_DATABASE_URL: must be postgres://USER:PASSWORD@HOST:PORT/DATABASE"
      ])
    }
  })

  test("is required by a process with only one of the roles", () => {
    expect(read({ TAPEDECK_DATABASE_URL: url }, { role: "api" }).role).toBe("api")
    expect(refusal({}, { role: "api" })).toEqual([
      "--role: api is one of several processes, which need TAPEDECK_DATABASE_URL"
    ])
    expect(refusal({ TAPEDECK_DATABASE_URL: url, TAPEDECK_ROLE: "both" })).toEqual([
      "TAPEDECK_ROLE: must be all or api or dispatcher, not both"
    ])
  })

  test("is refused together with a store in memory", () => {
    expect(refusal({ TAPEDECK_DATABASE_URL: url }, { store: "memory" })).toHaveLength(1)
  })
})
