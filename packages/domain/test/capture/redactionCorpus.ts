import type { LogEvent, NetworkEvent } from "../../src/capture/index.ts"

/** A secret, and the logged text that it stands in. */
export interface Planted {
  readonly secret: string
  readonly text: string
}

const network: NetworkEvent = {
  seq: 0,
  t: 0,
  kind: "network",
  id: "1",
  method: "POST",
  url: "https://shop.example.com/api",
  status: 200,
  initiator: "fetch",
  duration_ms: 1,
  request_headers: {},
  response_headers: {}
}

/** Values without a form of their own: only their names say that they are secret. */
const opaque = [
  "hunter2-correct-horse",
  "9f86d081884c7d659a2feaa0c55ad015",
  "Zm9vYmFyYmF6cXV4MTIzNDU2",
  "s3cr3t/with+base64==",
  "kY7.pQ2-xW9_vT4"
]

const names = [
  "token",
  "access_token",
  "refreshToken",
  "password",
  "newPassword",
  "client_secret",
  "api_key",
  "apiKey",
  "session",
  "sessionId",
  "signature",
  "code",
  "key",
  "card",
  "cvv",
  "iban",
  "x-csrf-token",
  "user[password]"
]

/** Places where a name stands beside its value. */
const places: ReadonlyArray<readonly [string, (name: string, value: string) => string]> = [
  ["query string", (name, value) => `https://shop.example.com/cart?page=2&${name}=${value}&sort=asc`],
  ["fragment", (name, value) => `https://shop.example.com/callback#state=9&${name}=${value}`],
  ["form body", (name, value) => `user=ada&${name}=${value}&remember=1`],
  ["JSON", (name, value) => JSON.stringify({ user: "ada", nested: { [name]: value }, page: 2 })],
  ["pretty JSON", (name, value) => JSON.stringify({ list: [{ [name]: value }] }, null, 2)],
  ["JSON in JSON", (name, value) => JSON.stringify({ payload: JSON.stringify({ [name]: value }) })],
  [
    "JSON twice in JSON",
    (name, value) => JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ [name]: value }) }) })
  ],
  ["truncated JSON", (name, value) => `{"items":[{"id":1,"${name}":"${value}`],
  ["JSON list", (name, value) => `{"${name}":["first","${value}"],"page":2}`],
  ["JSON object", (name, value) => `{"${name}":{"type":"x","raw":"${value}"},"page":2}`],
  ["WebSocket frame", (name, value) => `42["login",{"${name}":"${value}"}]`],
  ["printed object", (name, value) => `Object { user: 'ada', '${name}': '${value}', page: 2 }`],
  ["HTML attribute", (name, value) => `<form data-x="1"><input name="${name}" type="text" value="${value}"></form>`],
  ["HTML meta", (name, value) => `<meta content="${value}" name="${name}">`],
  ["JSON pair", (name, value) => `{"params":[{"name":"${name}","value":"${value}"}]}`],
  ["escaped HTML", (name, value) => `<div data-props="{&quot;${name}&quot;:&quot;${value}&quot;}"></div>`],
  ["encoded JSON", (name, value) => `https://a.example/?data=${encodeURIComponent(JSON.stringify({ [name]: value }))}`],
  [
    "stack trace",
    (name, value) => `Error: failed\n    at load (https://a.example/app.js?${name}=${value}:12:5)\n    at main`
  ]
]

const jwt =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

/** Secrets that have a form: they are found without a name. */
const formed = [
  jwt,
  "4111 1111 1111 1111",
  "4111-1111-1111-1111",
  "5500005555555559",
  "378282246310005",
  "6011000990139424",
  "3530111333300000",
  "ada.lovelace@example.com",
  "Ada+tickets@mail.example.co.uk",
  "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  "sk_live_51H8xKJ2eZvKYlo2C0aBcDeFg",
  "tdk_0123456789abcdefghijABCDEFGHIJ0123456789abcdef"
]

const frames: ReadonlyArray<(value: string) => string> = [
  (value) => `user said ${value} and left`,
  (value) => `{"note":"call ${value}","n":1}`,
  (value) => `TypeError: bad input "${value}"\n    at parse (app.js:10:5)`,
  (value) => `<p>Contact: ${value}</p>`,
  (value) => `["event","${value}"]`
]

/** Values of headers, written out in texts. */
const written: ReadonlyArray<Planted> = [
  {
    secret: "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    text: "sent Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ== to the server"
  },
  { secret: "abcDEF123456ghi", text: "curl -H 'Authorization: Bearer abcDEF123456ghi' https://api.example.com/" },
  { secret: "mF_9.B5f-4.1JqM", text: "using bearer mF_9.B5f-4.1JqM" },
  { secret: "theme9sid77", text: "Cookie: lang=en; sid=theme9sid77; theme=dark" },
  { secret: "swordfish", text: "login failed, password: swordfish" },
  { secret: "DE89 3704 0044 0532 0130 00", text: "refund to IBAN: DE89 3704 0044 0532 0130 00 today" },
  { secret: "admin:pa55@word", text: "GET https://admin:pa55@word@intranet.example.com/ failed" },
  {
    secret: "MIIEvQIBADANBgkqhkiG9w0",
    text: "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n-----END PRIVATE KEY-----"
  }
]

const inTexts: ReadonlyArray<Planted> = [
  ...places.flatMap(([, write], place) =>
    names.flatMap((name, at) => {
      const secret = opaque[(place + at) % opaque.length]!
      return { secret, text: write(name, secret) }
    })
  ),
  ...formed.flatMap((secret) => frames.map((write) => ({ secret, text: write(secret) }))),
  ...written
]

const headerNames = [
  "authorization",
  "cookie",
  "set-cookie",
  "proxy-authorization",
  "x-api-key",
  "x-auth-token",
  "x-amz-security-token",
  "x-csrf-token"
]

interface PlantedEvent {
  readonly secret: string
  readonly event: LogEvent
}

const wheres: ReadonlyArray<(text: string) => LogEvent> = [
  (message) => ({ seq: 0, t: 0, kind: "console", level: "log", message }),
  (stack) => ({ seq: 0, t: 0, kind: "error", message: "x", stack, source: stack }),
  (url) => ({ ...network, url }),
  (response_body) => ({ ...network, response_body }),
  (request_body) => ({ ...network, initiator: "websocket", request_body }),
  (url) => ({ seq: 0, t: 0, kind: "navigation", url, title: url }),
  (target) => ({ seq: 0, t: 0, kind: "click", target })
]

/** Every secret in an event; each text in one of the fields that events have. */
export const plantedEvents: ReadonlyArray<PlantedEvent> = [
  ...inTexts.map(({ secret, text }, at) => ({ secret, event: wheres[at % wheres.length]!(text) })),
  ...headerNames.flatMap((name) =>
    opaque.flatMap((secret) => [
      { secret, event: { ...network, request_headers: { [name]: secret } } },
      { secret, event: { ...network, response_headers: { [name]: secret } } }
    ])
  )
]

/** What pages log on ordinary days, with nothing to hide. */
export const ordinaryTexts: ReadonlyArray<string> = [
  "[vite] connected.",
  "Download the React DevTools for a better development experience: https://react.dev/link/react-devtools",
  'Warning: Each child in a list should have a unique "key" prop.',
  "Failed to load resource: the server responded with a status of 404 (Not Found)",
  "TypeError: Cannot read properties of undefined (reading 'map')\n    at List (https://shop.example.com/assets/index-4f3a2b1c.js:10:2345)",
  "SyntaxError: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON",
  "Unexpected token: line 3",
  "at token (https://shop.example.com/tokenizer.js:120:33)",
  "at Parser.next (/app/node_modules/parser/lib/token.js:1024:17)",
  "GET https://shop.example.com/api/v2/recordings?page=2&sort=-created_at&limit=100 200 in 35 ms",
  "https://shop.example.com/products/4711?utm_source=news&utm_campaign=spring_2026",
  "2026-01-01T10:00:00.000Z INFO cart: 3 items, total 129.95 EUR",
  "Timestamp 1767261600000, took 12.5 ms, memory 123456789 bytes",
  "order 1000000000000001 was shipped on 2026-03-04 10:11:12",
  "call +49 30 1234567 for help",
  "Invalid session: please sign in again",
  "Error code: 500",
  "exit code: 1",
  "status code: 404, retrying in 5 s",
  "Basic usage of the bearer scheme",
  "The bearer token is missing",
  "basic authentication is off",
  "npm install lodash@4.17.21 @types/node@24.0.1",
  "background: url(logo@2x.png) no-repeat",
  '<div class="card-title" id="main"><span>Total: 12</span></div>',
  '<input type="text" name="quantity" value="3">',
  '{"id":4711,"name":"Blue shirt","price":{"amount":19.95,"currency":"EUR"}}',
  '{"total_tokens":512,"model":"large","finish_reason":"stop"}',
  '{"uuid":"550e8400-e29b-41d4-a716-446655440000","etag":"d41d8cd98f00b204e9800998ecf8427e"}',
  '{"keyboard":"de","keys":[1,2],"codec":"vp9","passenger":"Ada"}',
  '{"author":"Ada","discard":false,"encoder":"x264"}',
  "monkey=banana; donkey=kong; turkey=1",
  "if (a == b || c === d) return e => f",
  "CSS: .grid { display: grid; gap: 8px; color: #ff00aa }",
  "{ width: 1280, height: 720, frameRate: 30 }",
  'ws: 42["message",{"room":"general","text":"hello"}]',
  "chunk 12 of 40 uploaded (1048576 of 41943040 bytes)",
  "Hydration failed because the server rendered HTML didn't match the client",
  "ResizeObserver loop completed with undelivered notifications.",
  "[HMR] Updated modules: ./src/cart/Cart.tsx"
]
