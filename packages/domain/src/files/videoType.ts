/** Maximum number of a file's first bytes that `videoTypeOf` reads. */
export const videoHeadBytes = 4096

/**
 * Returns the media type of a video by its first bytes, which are more reliable than a name or a header; undefined if it is not a
 * video. `head` has the first `videoHeadBytes`, or all bytes of a shorter file. Only containers are distinguished, not their content: a
 * file without pictures is accepted. It never throws.
 */
export const videoTypeOf = (head: Uint8Array): string | undefined =>
  ofBoxes(head) ?? ofEbml(head) ?? ofMagic(head) ?? ofTransportStream(head)

const text = (head: Uint8Array, at: number, length = 4): string =>
  String.fromCharCode(...head.subarray(at, Math.min(at + length, head.length)))

const uint32 = (head: Uint8Array, at: number): number =>
  at + 4 > head.length ? 0 : new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(at)

/** ISO base media (ISO/IEC 14496-12, 4.2 and 4.3) and QuickTime: boxes of a size and a type. */
const ofBoxes = (head: Uint8Array): string | undefined => {
  let at = 0
  while (at + 8 <= head.length) {
    const size = uint32(head, at)
    const type = text(head, at + 4)
    if (type === "ftyp" && size >= 16) return ofBrands(head, at, size)
    // QuickTime is older than its `ftyp`. A size of 1 is followed by a 64-bit size; a size of 0 means up to the end of the file.
    if ((type === "moov" || type === "mdat") && (size < 2 || size >= 8)) return "video/quicktime"
    if (!["wide", "free", "skip", "pnot"].includes(type) || size < 8) return undefined
    at += size
  }
  return undefined
}

/** Brands of pictures and sound in the same boxes: HEIF, AVIF, JPEG 2000, Canon's raw, iTunes' audio and books. */
const noVideo = /^(hei[cfmsx]|hev[cmsx]|mif[12]|msf1|miaf|avi[fos]|jp[2xmcg ]|jxl |crx |M4[ABP] |F4[AB] )/
const mp4 =
  /^(iso.|mp4[12]|avc[1-4]|hvc1|av01|dash|dby1|ms[dn][hx]|msix|cmf[c2fs]|M4V.|MSNV|mmp4|[fF]4v |F4V |ND..|CAEP)/

const ofBrands = (head: Uint8Array, at: number, size: number): string | undefined => {
  const major = text(head, at + 8)
  if (noVideo.test(major)) return undefined
  if (major === "qt  ") return "video/quicktime"
  if (major.startsWith("3g2")) return "video/3gpp2"
  if (major.startsWith("3g")) return "video/3gpp"
  const brands = [major]
  for (let each = at + 16; each + 4 <= Math.min(at + size, head.length); each += 4) brands.push(text(head, each))
  return brands.some((brand) => mp4.test(brand)) ? "video/mp4" : undefined
}

const docTypeId = 0x4282

/** Matroska and its subset WebM (RFC 8794, 11.2): the document's type is one of the elements of the EBML header. */
const ofEbml = (head: Uint8Array): string | undefined => {
  if (uint32(head, 0) !== 0x1a45dfa3) return undefined
  const header = variableInt(head, 4)
  let at = header.end
  while (at < Math.min(header.end + header.value, head.length)) {
    const id = variableInt(head, at)
    const { end, value } = variableInt(head, id.end)
    if (id.end === at || end === id.end) return undefined
    if (id.raw === docTypeId) {
      const [docType] = text(head, end, value).split("\0", 1)
      return docType === "webm" ? "video/webm" : docType === "matroska" ? "video/x-matroska" : undefined
    }
    at = end + value
  }
  return undefined
}

/** Reads a variable-size integer (RFC 8794, 4), whose leading zeros give its length. `end` is `at` if there is none. */
const variableInt = (head: Uint8Array, at: number) => {
  const first = head[at] ?? 0
  const length = Math.clz32(first) - 23
  if (first === 0 || at + length > head.length) return { raw: 0, value: 0, end: at }
  let raw = first
  for (let index = 1; index < length; index++) raw = raw * 256 + head[at + index]!
  return { raw, value: raw - 2 ** (7 * length), end: at + length }
}

const asfHeader = "\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"
const oggPictures = ["\x80theora", "BBCD\0", "\x01video\0"]

const ofMagic = (head: Uint8Array): string | undefined => {
  if (text(head, 0) === "RIFF" && text(head, 8) === "AVI ") return "video/x-msvideo"
  if (text(head, 0) === "\x00\x00\x01\xba" || text(head, 0) === "\x00\x00\x01\xb3") return "video/mpeg"
  // The fifth byte's lowest bit says that there is a picture.
  if (text(head, 0) === "FLV\x01" && (head[4]! & 1) === 1) return "video/x-flv"
  if (text(head, 0, 16) === asfHeader) return "video/x-ms-asf"
  // Every stream of an Ogg file is announced at its beginning; most of them are sound alone.
  const start = text(head, 0, head.length)
  const isOgg = start.startsWith("OggS") && oggPictures.some((codec) => start.includes(codec))
  return isOgg ? "video/ogg" : undefined
}

/** MPEG-TS (ISO/IEC 13818-1, 2.4.3.2): packets of 188 bytes, each begins with 0x47; Blu-ray's with four bytes before. */
const ofTransportStream = (head: Uint8Array): string | undefined => {
  const isSync = (first: number, packet: number) =>
    [0, 1, 2].every(
      (index) => head[first + index * packet] === 0x47 && (head[first + index * packet + 1]! & 0x80) === 0
    )
  return isSync(0, 188) || isSync(4, 192) ? "video/mp2t" : undefined
}
