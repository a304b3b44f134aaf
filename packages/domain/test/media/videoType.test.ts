import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { videoHeadBytes, videoTypeOf } from "../../src/internal/files.ts"

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"))

/** Packets of a transport stream, as ffmpeg wrote the first; what follows in each is of no matter. */
const packets = (first: string, size: number, before = 0) => {
  const bytes = new Uint8Array(size * 3)
  for (const at of [0, size, 2 * size]) bytes.set(hex(first), at + before)
  return bytes
}

/** The first bytes of real files, as ffmpeg 5.1 made them of its test picture; those marked by hand are of the format's text. */
const heads: ReadonlyArray<readonly [string, string | undefined, string]> = [
  ["MP4", "video/mp4", "00000020 6674797069736f6d 00000200 69736f6d69736f32617663316d703431 0000000866726565"],
  ["a fragmented MP4", "video/mp4", "00000024 6674797069736f6d 00000200 69736f6d69736f3669736f32617663316d703431"],
  ["M4V", "video/mp4", "00000020 667479704d345620 00000200 4d34562069736f6d69736f3261766331"],
  [
    "an MP4 of an unknown brand that is compatible (by hand)",
    "video/mp4",
    "00000018 6674797078787878 00000000 787878786d703432"
  ],
  ["QuickTime", "video/quicktime", "00000014 6674797071742020 00000200 71742020 0000000877696465"],
  ["QuickTime without ftyp, wide first (by hand)", "video/quicktime", "0000000877696465 000005526d646174 000002ae0605"],
  ["QuickTime without ftyp, moov first (by hand)", "video/quicktime", "000002ee 6d6f6f76 0000006c 6d766864 00000000"],
  ["QuickTime without ftyp, a large mdat first (by hand)", "video/quicktime", "00000001 6d646174 0000000180000000"],
  ["3GP", "video/3gpp", "0000001c 6674797033677034 00000200 3367703469736f6d69736f32"],
  ["3G2", "video/3gpp2", "0000001c 6674797033673261 00010000 3367326169736f6d69736f32"],
  ["WebM", "video/webm", "1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878102428581021853806701"],
  [
    "Matroska",
    "video/x-matroska",
    "1a45dfa3a34286810142f7810142f2810442f381084282886d6174726f736b61428781044285810218538067"
  ],
  ["AVI", "video/x-msvideo", "524946462c1f0000415649204c495354381200006864726c61766968"],
  ["MPEG-PS", "video/mpeg", "000001ba2100010001c33367000001bb0009c333670021ffe0e0e6"],
  ["FLV", "video/x-flv", "464c5601010000000900000000120000b80000000000000002000a6f6e4d65746144617461"],
  ["ASF (WMV)", "video/x-ms-asf", "3026b2758e66cf11a6d900aa0062ce6c4d02000000000000050000000102a1dc"],
  [
    "Ogg with Theora",
    "video/ogg",
    "4f67675300020000000000000000e55a02fb000000009409073a012a807468656f7261030201000400030000"
  ],
  // No video.
  ["M4A", undefined, "0000001c 667479704d344120 00000200 4d34412069736f6d69736f32"],
  ["HEIC (by hand)", undefined, "00000018 6674797068656963 00000000 6d69663168656963"],
  ["AVIF (by hand)", undefined, "0000001c 6674797061766966 00000000 61766966 6d696631 69736f38"],
  ["Ogg with Vorbis", undefined, "4f67675300020000000000000000d3b3990a000000007fcbbfb4011e01766f7262697300000000"],
  ["FLV with sound alone (by hand)", undefined, "464c5601040000000900000000"],
  ["WAV", undefined, "52494646ba22000057415645666d7420100000000100010044ac0000"],
  ["MP3", undefined, "49443304000000000023545353450000000f0000034c61766635392e"],
  ["another EBML document (by hand)", undefined, "1a45dfa38742828464617461 0000"],
  ["PNG (by hand)", undefined, "89504e470d0a1a0a0000000d49484452"],
  ["PDF (by hand)", undefined, "255044462d312e370a25e2e3cfd30a"],
  ["sixteen zeros", undefined, "00".repeat(16)],
  ["sixteen letters", undefined, Buffer.from("this is no video").toString("hex")],
  ["nothing", undefined, ""]
]

describe("the type of a video, by its first bytes", () => {
  it.each(heads)("detects %s: %s", (_name, type, bytes) => {
    expect(videoTypeOf(hex(bytes))).toBe(type)
  })

  it("detects MPEG-TS and Blu-ray by at least two packets", () => {
    expect(videoTypeOf(packets("474011100042f025", 188))).toBe("video/mp2t")
    expect(videoTypeOf(packets("474011100042f025", 192, 4))).toBe("video/mp2t")
    expect(videoTypeOf(packets("474011100042f025", 188).subarray(0, 188))).toBeUndefined()
  })

  it("is detected at any offset of its buffer", () => {
    const bytes = new Uint8Array([1, 2, 3, ...hex(heads[0]![2])])
    expect(videoTypeOf(bytes.subarray(3))).toBe("video/mp4")
  })

  it("is computed without an exception for any bytes, wherever they are cut", () => {
    const damaged = fc
      .tuple(fc.constantFrom(...heads), fc.nat(60), fc.uint8Array({ maxLength: 12 }))
      .map(([[, , bytes], at, noise]) => new Uint8Array([...hex(bytes).subarray(0, at), ...noise]))
    fc.assert(
      fc.property(fc.oneof(damaged, fc.uint8Array({ maxLength: videoHeadBytes })), (bytes) => {
        const type = videoTypeOf(bytes)
        expect(type === undefined || type.startsWith("video/")).toBe(true)
      }),
      { seed: 5, numRuns: 2_000 }
    )
  })
})
