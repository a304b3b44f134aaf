import type * as client from "@tapedeck/client"
import type * as signing from "@tapedeck/client/signing"

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))

/**
 * Uses the packed client in any runtime, on an account whose oldest recording has a video, and gives what it found. The
 * modules are given: one runtime imports them, another requires them.
 */
export const use = async (
  { NotFoundError, Tapedeck }: typeof client,
  { sampleRecordingAddedToFolder, sign, SigningError }: typeof signing,
  options: client.ClientOptions = {}
) => {
  const agents = new Set<string>()
  const tapedeck = new Tapedeck({
    ...options,
    onRequest: ({ headers }) => {
      agents.add(headers["user-agent"] === undefined ? "none" : headers["user-agent"].split(" ")[0]!)
    }
  })

  const uuids: Array<string> = []
  for await (const recording of tapedeck.recordings.list()) uuids.push(recording.uuid)
  const first: client.Recording = await tapedeck.recordings.get(uuids[uuids.length - 1]!)
  const { data, requestId } = await tapedeck.recordings.update(first.uuid, { title: "Paid" }).withResponse()

  const video = await tapedeck.recordings.download(first.uuid)
  const part = await video.range(2, 6)
  const bytes = await video.bytes()

  const keyed = { idempotencyKey: "once" }
  const folders = [
    await tapedeck.settings.folders.create({ name: "VIP" }, keyed),
    await tapedeck.settings.folders.create({ name: "VIP" }, keyed)
  ]
  const made: client.Settings.Recording = await tapedeck.settings.recordings.create({ title: "Made" })
  const upload = await tapedeck.uploads.start(made.uuid, new Blob([new Uint8Array(bytes)]), {
    contentType: "video/webm",
    chunkSizeBytes: 16
  })
  const uploaded = await upload.done
  await tapedeck.settings.recordings.delete(made.uuid)
  const refused = await tapedeck.settings.recordings.get(made.uuid).catch((error: unknown) => error)

  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
  const sample = sampleRecordingAddedToFolder()
  const body = JSON.stringify({ ...sample, recording: { ...sample.recording, id: first.uuid, title: "Paid" } })
  const now = () => new Date(1000)
  const headers = await sign({ scheme: "standard", body, secret, id: "msg_1", timestamp: 1 })
  const event = await tapedeck.webhooks.unwrap(body, headers, { secret, now })
  const forged = await tapedeck.webhooks.unwrap(`${body} `, headers, { secret, now }).catch((error: unknown) => error)

  return {
    listed: new Set(uuids).size,
    oldest: first.uuid,
    title: data.title,
    hasRequestId: requestId !== undefined,
    video: base64(bytes),
    part: base64(await part.bytes()),
    hasOneFolder: folders[0]?.id === folders[1]?.id,
    uploadedBytes: uploaded.video.original?.size_bytes,
    refused: refused instanceof NotFoundError && refused.status,
    event: "recording" in event && event.recording.title,
    forged: forged instanceof SigningError && forged.code,
    agents: [...agents]
  }
}
