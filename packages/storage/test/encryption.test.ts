import { expect, test } from "vitest"
import { encryptionOf } from "../src/postgres/encryption.ts"

const isEncrypted = (url: string): boolean => {
  const { ssl } = encryptionOf(url)
  return ssl !== false
}

test.each([
  "postgres://u:p@localhost/db",
  "postgres://u:p@127.0.0.1/db",
  "postgres://u:p@127.8.9.10:5433/db",
  "postgres://u:p@[::1]/db",
  "postgres:///db",
  "postgres:///db?host=/run/postgresql",
  "postgres://u@%2Frun%2Fpostgresql/db",
  "postgres://u:p@db.example.com/db?host=localhost"
])("%s is a local address and is used without TLS", (url) => {
  expect(isEncrypted(url)).toBe(false)
})

test.each([
  "postgres://u:p@db.example.com/db",
  "postgres://u:p@10.0.0.5/db",
  "postgres://u:p@postgres/db",
  "postgres://u:p@127.example.com/db",
  "postgres://u:p@localhost.example.com/db",
  "postgres://u:p@[2001:db8::1]/db",
  "postgres://u:p@localhost/db?host=db.example.com"
])("%s is a remote address and needs TLS, with a trusted certificate of that name", (url) => {
  expect(encryptionOf(url)).toEqual({ ssl: {} })
})

test("sslmode overrides the default of an address", () => {
  expect(isEncrypted("postgres://u:p@db.example.com/db?sslmode=disable")).toBe(false)
  expect(encryptionOf("postgres://u:p@localhost/db?sslmode=verify-full")).toEqual({ ssl: {} })
  expect(encryptionOf("postgres://u:p@localhost/db?sslmode=require")).toEqual({ ssl: { rejectUnauthorized: false } })
})
