import { embedOriginsOf } from "@tapedeck/domain/internal/recordings"
import { expect, test } from "vitest"

test.each([
  ["https://help.example.com", "https://help.example.com"],
  [" HTTPS://Help.Example.com:443/ ", "https://help.example.com"],
  ["https://help.example.com:8443", "https://help.example.com:8443"],
  ["https://bücher.example", "https://xn--bcher-kva.example"],
  ["http://localhost:3000", "http://localhost:3000"],
  ["http://127.0.0.1:3000", "http://127.0.0.1:3000"],
  ["http://[::1]:3000", "http://[::1]:3000"]
])("the origin %s of embedding pages is kept as %s", (text, origin) => {
  expect(embedOriginsOf([text, text])).toEqual([origin])
})

test.each([
  "",
  "*",
  "null",
  "help.example.com",
  "http://help.example.com",
  "https://*.example.com",
  "https://help.example.com/articles",
  "https://help.example.com/?",
  "https://ada@help.example.com",
  "https://a;script-src*",
  "https://a.test https://b.test",
  "https://a,b",
  "data:text/html,x",
  "file:///tmp",
  `https://${"a".repeat(600)}.test`
])("%s is no origin of embedding pages", (text) => {
  expect(embedOriginsOf([text])).toEqual([])
})
