/** Bytes that begin as a WebM file does, which is what the service looks at; not a video that plays. */
export const webm = (sizeBytes: number): Buffer => {
  const head = Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex")
  return Buffer.concat([head, Buffer.alloc(sizeBytes - head.length, "tapedeck")])
}
