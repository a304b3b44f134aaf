import {
  defaultServiceConfig,
  emptyWorld,
  Ids,
  jobHandlers,
  Mailer,
  makeMemoryStore,
  ServiceConfig,
  seed,
  storeContext,
  UploadPolicy,
  useCases,
  Vault
} from "@tapedeck/core"
import type { Instant } from "@tapedeck/domain"
import { jobIds, queueKeyOf } from "@tapedeck/domain/internal/jobs"
import { Context, Effect, Fiber, Layer, Logger, ManagedRuntime, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { expect, onTestFinished, test } from "vitest"
import { mailerOf } from "../../src/serve/mailer.ts"
import { runningJobs } from "../media/working.ts"
import { mailServer } from "../support/mailServer.ts"

test("A mail that the mail server puts off (451) is sent a minute later, and not before", async () => {
  const mail = await mailServer()
  const { store } = makeMemoryStore(emptyWorld())
  const refused = Promise.withResolvers<void>()
  const logger = Logger.make(({ message }) => {
    if (String(message).startsWith("sending a mail failed; retrying later")) refused.resolve()
  })
  const services = storeContext(store).pipe(
    Context.add(ServiceConfig, { ...defaultServiceConfig, consoleUrl: "https://tapedeck.test" }),
    Context.add(UploadPolicy, { unknownContent: "as_declared" }),
    Context.add(Vault, Vault.make(Redacted.make(new Uint8Array(32).fill(7)))),
    Context.add(
      Mailer,
      mailerOf({ mail_from: "no-reply@acme.test", smtp_name: undefined, smtp_url: mail.url }, "http://localhost")
    )
  )
  const layer = useCases.pipe(
    Layer.provideMerge(Layer.mergeAll(Layer.succeedContext(services), Ids.layerRandom, TestClock.layer())),
    Layer.provideMerge(Logger.layer([logger]))
  )
  const runtime = ManagedRuntime.make(layer)
  onTestFinished(() => runtime.dispose())

  const content = { users: [{ email: "ada@acme.test" }], recordings: [{ title: "Checkout", owner: "ada@acme.test" }] }
  const { account, recordings, users } = await runtime.runPromise(seed(content))
  mail.refuseOne(451)
  await runtime.runPromise(
    store.jobs.enqueue({
      kind: "mail",
      id: jobIds.mail("own_recordings 1"),
      queueKey: queueKeyOf("mail", account.id),
      accountId: account.id,
      userId: users[0]!.id,
      switch: "own_recordings",
      recordingUuid: recordings[0]!.uuid,
      deliveryId: null,
      subject: "Checkout",
      reason: null,
      failedTries: 0,
      createdAt: 0 as Instant,
      dueAt: 0 as Instant
    })
  )
  const sender = runtime.runFork(Effect.flatMap(jobHandlers, runningJobs))
  await refused.promise
  await runtime.runPromise(TestClock.adjust("55 seconds"))
  expect(await runtime.runPromise(store.jobs.claim({ slots: { mail: 1 }, leaseMs: 0 }))).toEqual([])
  await runtime.runPromise(TestClock.adjust("10 seconds"))
  expect(await mail.next()).toContain("Subject: Your new recording: Checkout")
  await runtime.runPromise(Fiber.interrupt(sender))
})

test.each([
  ["https://rec.acme.test:8443", undefined, "rec.acme.test"],
  ["http://192.0.2.7:4020", undefined, "[192.0.2.7]"],
  ["http://[2001:db8::7]:4020", undefined, "[IPv6:2001:db8::7]"],
  ["https://rec.acme.test", "relay-client.acme.test", "relay-client.acme.test"]
])(
  "Mail of a server at %s with TAPEDECK_SMTP_NAME %s greets the mail server as %s",
  async (publicUrl, smtp_name, name) => {
    const mail = await mailServer()
    const { send } = mailerOf({ mail_from: "no-reply@acme.test", smtp_name, smtp_url: mail.url }, publicUrl)
    await Effect.runPromise(send!({ to: "ada@acme.test", subject: "Checkout", text: "It is here." }))
    // The tests' server writes it in lower case.
    expect(mail.greetings).toEqual([name.toLowerCase()])
  }
)
