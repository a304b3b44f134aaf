import { createHash } from "node:crypto"
import { Deferred, Effect, Fiber, Layer, Scope, Stream } from "effect"
import { describe, expect, it } from "vitest"
import { type Checksum, checksumAlgorithms, maxUploadPieces, ResumableUploads } from "../src/index.ts"
import { bob, callerOf, instantAfter, uuidOf } from "./examples.ts"
import { makeSettingsWorld } from "./settingsWorld.ts"

const member = callerOf(bob)
const recordingUuid = uuidOf(1)

/** Starts as ffmpeg starts a WebM. */
const file = Buffer.concat([
  Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d428781024285810218538067", "hex"),
  Buffer.alloc(4_960, 7)
])

type World = Awaited<ReturnType<typeof makeSettingsWorld>>

/** Another node: uploads of its own on the same store. */
const anotherNode = (world: World) =>
  world.run(
    Effect.gen(function* () {
      const built = yield* Layer.buildWithScope(Layer.fresh(ResumableUploads.layer), yield* Scope.make())
      return yield* Effect.provideContext(Effect.service(ResumableUploads), built)
    })
  )

const makeTrial = async (config: Parameters<typeof makeSettingsWorld>[0] = {}) => {
  const world = await makeSettingsWorld(config, { unknownContent: "refused" })
  const { files } = world.store
  const gate = { began: Deferred.makeUnsafe<void>(), opens: Deferred.makeUnsafe<void>(), isClosed: false }
  const read = files.read
  // The first read of a piece waits while the gate is closed.
  Object.assign(files, {
    read: (...piece: Parameters<typeof read>) =>
      gate.isClosed
        ? Effect.andThen(
            Effect.andThen(Deferred.succeed(gate.began, undefined), Deferred.await(gate.opens)),
            read(...piece)
          )
        : read(...piece)
  })
  const service = await world.run(Effect.service(ResumableUploads))
  const on = (uploads: ResumableUploads["Service"]) => ({
    create: (sizeBytes: number | null = file.length) =>
      uploads.create(member, { recordingUuid, sizeBytes, contentType: "video/mp4", metadata: null }),
    append: (
      uploadId: string,
      offset: number,
      bytes: Uint8Array | Stream.Stream<Uint8Array>,
      {
        checksum = null,
        sizeBytes = null
      }: { readonly checksum?: Checksum | null; readonly sizeBytes?: number | null } = {}
    ) =>
      uploads.append(member, {
        recordingUuid,
        uploadId,
        offset,
        sizeBytes,
        declaredBytes: null,
        checksum,
        bytes: bytes instanceof Uint8Array ? Stream.succeed(bytes) : bytes
      }),
    get: (uploadId: string) => uploads.get(member, { recordingUuid, uploadId }),
    remove: (uploadId: string) => uploads.remove(member, { recordingUuid, uploadId })
  })
  return {
    ...world,
    on,
    gate,
    service,
    ...on(service),
    /** Ids of the stored files. The recording had one before. */
    files: () => world.memory.state().files.keysArray(),
    original: async () => (await world.recording(1)).video.original
  }
}

const refused = (reason: string) => ({ _tag: "ResumableUploadRefused", reason })

describe("a resumable upload", () => {
  it("becomes the recording's original with its last byte, and leaves no piece", async () => {
    const { append, create, entries, files, get, original, run } = await makeTrial()
    const { id } = await run(create())
    expect(await run(append(id, 0, file.subarray(0, 4_000)))).toMatchObject({ offset: 4_000, isComplete: false })
    expect(await run(append(id, 4_000, file.subarray(4_000)))).toMatchObject({ offset: 5_000, isComplete: true })
    expect(await original()).toMatchObject({ sizeBytes: 5_000, contentType: "video/webm" })
    expect(files()).toEqual([(await original())?.fileId])
    expect(await run(get(id))).toMatchObject({ offset: 5_000, isComplete: true })
    expect(entries().map(({ eventType }) => eventType)).toEqual(["recording.updated"])
  })

  it("is completed once by the last piece sent twice at once, beside requests of its offset", async () => {
    const { append, create, entries, gate, get, refusal, run } = await makeTrial()
    const { id } = await run(create())
    await run(append(id, 0, file.subarray(0, 4_000)))
    gate.isClosed = true
    const first = run(append(id, 4_000, file.subarray(4_000)))
    await run(Deferred.await(gate.began))
    const second = refusal(append(id, 4_000, file.subarray(4_000)))
    const offsets = [run(get(id)), run(get(id)), run(append(id, 5_000, new Uint8Array()))]
    await run(Deferred.succeed(gate.opens, undefined))
    expect(await first).toMatchObject({ isComplete: true })
    expect(await second).toMatchObject(refused("offset"))
    for (const upload of await Promise.all(offsets)) expect(upload).toMatchObject({ offset: 5_000, isComplete: true })
    expect(entries()).toHaveLength(1)
  })

  it("is removed after it has become the video, if it is removed while that happens", async () => {
    const { append, create, gate, original, refusal, remove, run, service, get } = await makeTrial()
    const { id } = await run(create())
    gate.isClosed = true
    const last = run(append(id, 0, file))
    await run(Deferred.await(gate.began))
    const removed = run(remove(id))
    await run(Deferred.succeed(gate.opens, undefined))
    await Promise.all([last, removed])
    expect(await original()).toMatchObject({ sizeBytes: 5_000 })
    expect(await refusal(get(id))).toMatchObject(refused("missing"))
    await run(service.sweep)
  })

  it("is busy on another node while it is completed, and is completed there when the lease has ended, once", async () => {
    const trial = await makeTrial()
    const { append, create, entries, files, gate, original, refusal, run, setTime } = trial
    const node = trial.on(await anotherNode(trial))
    const { id } = await run(create())
    gate.isClosed = true
    const suspended = refusal(append(id, 0, file))
    await run(Deferred.await(gate.began))
    gate.isClosed = false
    expect(await refusal(node.get(id))).toMatchObject(refused("busy"))
    expect(await refusal(node.remove(id))).toMatchObject(refused("busy"))
    await setTime(instantAfter(60_000))
    expect(await run(node.get(id))).toMatchObject({ isComplete: true })
    const before = await original()
    await run(Deferred.succeed(gate.opens, undefined))
    expect(await suspended).toMatchObject(refused("busy"))
    expect(await original()).toEqual(before)
    expect([files(), entries().length]).toEqual([[before?.fileId], 1])
  })

  it("leaves its pieces to the sweep if the process ends before they are removed", async () => {
    const { append, create, files, get, original, run, service, setTime, store } = await makeTrial({
      uploadExpiryMs: 1_000
    })
    const { id } = await run(create())
    const { remove } = store.files
    Object.assign(store.files, { remove: () => Effect.die(new Error("the process ends")) })
    await run(Effect.exit(append(id, 0, file)))
    Object.assign(store.files, { remove })
    expect(await run(get(id))).toMatchObject({ offset: 5_000, isComplete: true })
    const [piece] = await run(store.uploads.pieces(id))
    expect(files()).toContain(piece?.fileId)
    await setTime(instantAfter(1_000))
    await run(service.sweep)
    expect(files()).not.toContain(piece?.fileId)
    expect(files()).toContain((await original())?.fileId)
    expect(await run(store.uploads.byId(id))).toBeUndefined()
  })

  it("that expires while it is completed is answered as complete", async () => {
    const { append, create, gate, original, refusal, get, run, setTime } = await makeTrial({ uploadExpiryMs: 1_000 })
    const { id } = await run(create())
    gate.isClosed = true
    const last = run(append(id, 0, file))
    await run(Deferred.await(gate.began))
    await setTime(instantAfter(1_000))
    await run(Deferred.succeed(gate.opens, undefined))
    expect(await last).toMatchObject({ isComplete: true })
    expect(await original()).toMatchObject({ sizeBytes: 5_000 })
    expect(await refusal(get(id))).toMatchObject(refused("expired"))
  })

  it("takes no byte of a stalled request after another node has completed it", async () => {
    const trial = await makeTrial()
    const { append, create, original, refusal, run } = trial
    const node = trial.on(await anotherNode(trial))
    const { id } = await run(create(null))
    const [arrived, goesOn] = [Deferred.makeUnsafe<void>(), Deferred.makeUnsafe<void>()]
    const rest = Effect.as(Deferred.await(goesOn), new Uint8Array(file.subarray(0, 9)))
    const stalled = Stream.concat(
      Stream.succeed(new Uint8Array(file)),
      Stream.fromEffect(Effect.andThen(Deferred.succeed(arrived, undefined), rest))
    )
    const first = refusal(append(id, 0, stalled))
    await run(Deferred.await(arrived))
    await run(node.append(id, 0, file))
    await run(node.append(id, 5_000, new Uint8Array(), { sizeBytes: 5_000 }))
    await run(Deferred.succeed(goesOn, undefined))
    expect((await first)._tag).toBe("ResumableUploadRefused")
    expect(await original()).toMatchObject({ sizeBytes: 5_000 })
  })

  it("takes a checksum of a body of 64 MiB, and of none that is a byte longer", async () => {
    const { create, refusal, run, service } = await makeTrial()
    const { id } = await run(create(1_000_000_000))
    const checksum = { algorithm: "sha1", digest: new Uint8Array(20) } as const
    const sent = (declaredBytes: number) =>
      refusal(
        service.append(member, {
          ...{ recordingUuid, uploadId: id, offset: 0, sizeBytes: null, declaredBytes, checksum },
          bytes: Stream.succeed(new Uint8Array(file))
        })
      )
    expect(await sent(64 * 1024 * 1024)).toMatchObject(refused("checksum"))
    expect(await sent(64 * 1024 * 1024 + 1)).toMatchObject(refused("checksummed"))
    const chunk = Buffer.concat([file, Buffer.alloc(1024 * 1024 - file.length)])
    const long = Stream.map(Stream.range(0, 64), () => new Uint8Array(chunk))
    const undeclared = { recordingUuid, uploadId: id, offset: 0, sizeBytes: null, declaredBytes: null, checksum }
    expect(await refusal(service.append(member, { ...undeclared, bytes: long }))).toMatchObject(refused("checksummed"))
  })

  it("goes on at another node, also with a length that is declared there", async () => {
    const trial = await makeTrial()
    const node = trial.on(await anotherNode(trial))
    const { id } = await trial.run(trial.create(null))
    await trial.run(trial.append(id, 0, file.subarray(0, 3_000)))
    expect(await trial.run(node.get(id))).toMatchObject({ offset: 3_000, sizeBytes: null })
    expect(await trial.refusal(node.append(id, 3_000, file, { sizeBytes: 2_999 }))).toMatchObject(refused("length"))
    await trial.run(node.append(id, 3_000, file.subarray(3_000), { sizeBytes: 5_000 }))
    expect(await trial.original()).toMatchObject({ sizeBytes: 5_000 })
  })

  it("ends a stalled request for a later one, and keeps what arrived", async () => {
    const { append, create, get, refusal, run } = await makeTrial()
    const { id } = await run(create())
    const arrived = Deferred.makeUnsafe<void>()
    const stalled = Stream.concat(
      Stream.succeed(new Uint8Array(file.subarray(0, 1_000))),
      Stream.fromEffect(Effect.andThen(Deferred.succeed(arrived, undefined), Effect.never))
    )
    const first = refusal(append(id, 0, stalled))
    await run(Deferred.await(arrived))
    expect(await run(get(id))).toMatchObject({ offset: 1_000 })
    expect(await first).toMatchObject(refused("aborted"))
  })

  it("keeps what arrived before its request was interrupted", async () => {
    const { append, create, get, run } = await makeTrial()
    const { id } = await run(create())
    await run(
      Effect.gen(function* () {
        const arrived = Deferred.makeUnsafe<void>()
        const stalled = Stream.concat(
          Stream.succeed(new Uint8Array(file.subarray(0, 1_000))),
          Stream.fromEffect(Effect.andThen(Deferred.succeed(arrived, undefined), Effect.never))
        )
        const fiber = yield* Effect.forkChild(append(id, 0, stalled))
        yield* Deferred.await(arrived)
        yield* Fiber.interrupt(fiber)
      })
    )
    expect(await run(get(id))).toMatchObject({ offset: 1_000 })
  })

  it.each(checksumAlgorithms)("with a checksum (%s) keeps all bytes of a request, or none", async (algorithm) => {
    const { append, create, files, get, original, refusal, run } = await makeTrial()
    // More than one piece.
    const large = Buffer.concat([file, Buffer.alloc(3 * 1024 ** 2, 1)])
    const digest = createHash(algorithm).update(large).digest()
    const { id } = await run(create(large.length))
    const wrong = Buffer.concat([large.subarray(0, -1), Buffer.from("x")])
    expect(await refusal(append(id, 0, wrong, { checksum: { algorithm, digest } }))).toMatchObject(refused("checksum"))
    expect([await run(get(id)), files()]).toMatchObject([{ offset: 0 }, ["f1"]])
    await run(append(id, 0, large, { checksum: { algorithm, digest } }))
    expect(await original()).toMatchObject({ sizeBytes: large.length })
  })

  it("takes the last byte of its length, and not one more", async () => {
    const { append, create, files, refusal, run } = await makeTrial()
    const { id } = await run(create(4_999))
    expect(await refusal(append(id, 0, file))).toMatchObject(refused("size"))
    expect(files()).toEqual(["f1"])
    expect(await run(append(id, 0, file.subarray(0, 4_999)))).toMatchObject({ isComplete: true })
  })

  it("is removed with its pieces if it is no video", async () => {
    const { append, create, files, get, refusal, run } = await makeTrial()
    const { id } = await run(create())
    expect(await refusal(append(id, 0, Buffer.alloc(5_000, "x")))).toMatchObject({ _tag: "NotAVideo" })
    expect(await refusal(get(id))).toMatchObject(refused("missing"))
    const { id: short } = await run(create(16))
    await run(append(short, 0, Buffer.from("eightyes")))
    expect(await refusal(append(short, 8, Buffer.from("eightyes")))).toMatchObject({ _tag: "NotAVideo" })
    expect(await refusal(get(short))).toMatchObject(refused("missing"))
    expect(files()).toEqual(["f1"])
  })

  it("may be sent in as many pieces as the limit, and not in one more", async () => {
    const { append, create, memory, refusal, run, settings, store } = await makeTrial()
    const limit = maxUploadPieces(settings)
    expect(limit).toBe(10_000 + 1_024)
    const { id } = await run(create())
    await run(append(id, 0, file.subarray(0, 100)))
    await run(store.uploads.save({ ...memory.state().uploads.get(id)!, pieces: limit - 1 }))
    await run(append(id, 100, file.subarray(100, 200)))
    expect(await refusal(append(id, 200, file.subarray(200)))).toMatchObject({ _tag: "TooManyPieces", limit })
  })

  it("is removed with its pieces when it has expired, and a complete one without its video", async () => {
    const { append, create, files, get, original, refusal, run, service, setTime } = await makeTrial({
      uploadExpiryMs: 60_000
    })
    const [{ id }, { id: complete }] = [await run(create()), await run(create())]
    await run(append(id, 0, file.subarray(0, 1_000)))
    await run(append(complete, 0, file))
    await run(service.sweep)
    expect(await run(get(id))).toMatchObject({ offset: 1_000 })
    await setTime(instantAfter(60_000))
    expect(await refusal(get(id))).toMatchObject(refused("expired"))
    expect(await refusal(append(id, 1_000, file.subarray(1_000)))).toMatchObject(refused("expired"))
    await run(service.sweep)
    for (const gone of [id, complete]) expect(await refusal(get(gone))).toMatchObject(refused("missing"))
    expect(files()).toEqual([(await original())?.fileId])
  })
})
